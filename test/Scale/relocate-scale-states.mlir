// A linear map with a scale on no side, on one and on both, and before a norm; to each place.
// RUN: vernier-opt %s '--vernier-relocate-scale=to=input branches=down' --remarks-filter=vernier-scale 2>%t | FileCheck %s --check-prefix=INPUT
// RUN: FileCheck %s --check-prefix=INPUT-SAYS < %t
// RUN: vernier-opt %s '--vernier-relocate-scale=to=output branches=down' --remarks-filter=vernier-scale 2>%t | FileCheck %s --check-prefix=OUTPUT
// RUN: FileCheck %s --check-prefix=OUTPUT-SAYS < %t
// RUN: vernier-opt %s '--vernier-relocate-scale=to=dual branches=down' --remarks-filter=vernier-scale 2>%t | FileCheck %s --check-prefix=DUAL
// RUN: FileCheck %s --check-prefix=DUAL-SAYS < %t
// RUN: vernier-opt %s '--vernier-relocate-scale=to=dual-norm branches=down' --remarks-filter=vernier-scale 2>%t | FileCheck %s --check-prefix=NORM
// RUN: FileCheck %s --check-prefix=NORM-SAYS < %t
vernier.param @w : tensor<4x8xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w">])
vernier.param @w1 : tensor<4x8xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w1">])
vernier.param @w2 : tensor<4x8xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w2">])
vernier.param @w3 : tensor<4x8xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w3">])
vernier.param @w4 : tensor<4x8xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w4">])
vernier.param @w5 : tensor<4x8xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w5">])
vernier.param @in : tensor<8xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"in">])
vernier.param @out : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"out">])
vernier.param @dual_in : tensor<8xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"dual_in">])
vernier.param @dual_out : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"dual_out">])
vernier.param @norm_out : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"norm_out">])

// INPUT-LABEL: func.func @none(
// INPUT: vernier.scale {{.*}} tensor<8xf32>
// INPUT: vernier.linear
// INPUT-NEXT: return
// INPUT-SAYS: relocated to input
// OUTPUT-LABEL: func.func @none(
// OUTPUT-NOT: tensor<8xf32>
// OUTPUT: vernier.linear
// OUTPUT: vernier.scale {{.*}} tensor<4xf32>
// OUTPUT-SAYS: relocated to output
// DUAL-LABEL: func.func @none(
// DUAL: vernier.scale {{.*}} tensor<8xf32>
// DUAL: vernier.linear
// DUAL: vernier.scale {{.*}} tensor<4xf32>
// DUAL-SAYS: relocated to dual{{"$}}
// NORM-LABEL: func.func @none(
// NORM: vernier.scale {{.*}} tensor<8xf32>
// NORM: vernier.linear
// NORM-NEXT: vernier.rms_norm
// NORM-NEXT: vernier.get_param
// NORM-NEXT: vernier.scale {{.*}} tensor<4xf32>
// NORM-SAYS: relocated to dual-norm, which changes the function
func.func @none(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = vernier.get_param @w : tensor<4x8xf32>
  %h = vernier.glu silu %a, %b : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = vernier.linear %h, %w : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// INPUT-LABEL: func.func @input(
// INPUT: vernier.scale {{.*}} tensor<8xf32>
// INPUT: vernier.linear
// INPUT-NEXT: return
// INPUT-SAYS: not relocated: stands at the input already
// OUTPUT-LABEL: func.func @input(
// OUTPUT-NOT: tensor<8xf32>
// OUTPUT: vernier.linear
// OUTPUT: vernier.scale {{.*}} tensor<4xf32>
// OUTPUT-SAYS: relocated to output
// DUAL-LABEL: func.func @input(
// NORM-LABEL: func.func @input(
// DUAL: vernier.scale {{.*}} tensor<8xf32>
// DUAL: vernier.linear
// DUAL: vernier.scale {{.*}} tensor<4xf32>
// DUAL-SAYS: relocated to dual
func.func @input(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = vernier.get_param @w1 : tensor<4x8xf32>
  %g = vernier.get_param @in : tensor<8xf32>
  %h = vernier.glu silu %a, %b : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %s = vernier.scale %h, %g : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %y = vernier.linear %s, %w : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// INPUT-LABEL: func.func @output(
// INPUT: vernier.scale {{.*}} tensor<8xf32>
// INPUT: vernier.linear
// INPUT-NEXT: return
// INPUT-SAYS: relocated to input
// OUTPUT-LABEL: func.func @output(
// OUTPUT-NOT: tensor<8xf32>
// OUTPUT: vernier.linear
// OUTPUT: vernier.scale {{.*}} tensor<4xf32>
// OUTPUT-SAYS: not relocated: stands at the output already
// DUAL-LABEL: func.func @output(
// DUAL: vernier.scale {{.*}} tensor<8xf32>
// DUAL: vernier.linear
// DUAL: vernier.scale {{.*}} tensor<4xf32>
// DUAL-SAYS: relocated to dual
func.func @output(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = vernier.get_param @w2 : tensor<4x8xf32>
  %g = vernier.get_param @out : tensor<4xf32>
  %h = vernier.glu silu %a, %b : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = vernier.linear %h, %w : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  %s = vernier.scale %y, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// INPUT-LABEL: func.func @both(
// INPUT: vernier.scale {{.*}} tensor<8xf32>
// INPUT: vernier.linear
// INPUT-NEXT: return
// INPUT-SAYS: relocated to input
// OUTPUT-LABEL: func.func @both(
// OUTPUT-NOT: tensor<8xf32>
// OUTPUT: vernier.linear
// OUTPUT: vernier.scale {{.*}} tensor<4xf32>
// OUTPUT-SAYS: relocated to output
// DUAL-LABEL: func.func @both(
// DUAL: vernier.scale {{.*}} tensor<8xf32>
// DUAL: vernier.linear
// DUAL: vernier.scale {{.*}} tensor<4xf32>
// DUAL-SAYS: not relocated: stands at both sides already
func.func @both(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = vernier.get_param @w3 : tensor<4x8xf32>
  %g = vernier.get_param @dual_in : tensor<8xf32>
  %k = vernier.get_param @dual_out : tensor<4xf32>
  %h = vernier.glu silu %a, %b : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %s = vernier.scale %h, %g : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %y = vernier.linear %s, %w : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  %t = vernier.scale %y, %k : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %t : tensor<2x4xf32>
}

// A scale before a norm is one at the output; a scale behind it is not.
// INPUT-LABEL: func.func @before_norm(
// INPUT: vernier.scale {{.*}} tensor<8xf32>
// INPUT: vernier.linear
// INPUT-NEXT: vernier.rms_norm
// INPUT-NEXT: return
// INPUT-SAYS: relocated to input
// OUTPUT-SAYS: not relocated: stands at the output already
// DUAL-SAYS: relocated to dual
func.func @before_norm(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = vernier.get_param @w4 : tensor<4x8xf32>
  %g = vernier.get_param @norm_out : tensor<4xf32>
  %h = vernier.glu silu %a, %b : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = vernier.linear %h, %w : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  %s = vernier.scale %y, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %n = vernier.rms_norm %s epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  return %n : tensor<2x4xf32>
}

// INPUT-LABEL: func.func @norm(
// INPUT-NOT: vernier.scale
// INPUT: vernier.linear
// INPUT-NEXT: vernier.rms_norm
// INPUT-NEXT: return
// INPUT-SAYS: not relocated: a norm stands behind the linear map
// OUTPUT-LABEL: func.func @norm(
// OUTPUT: vernier.linear
// OUTPUT: vernier.scale {{.*}} tensor<4xf32>
// OUTPUT: vernier.rms_norm
// OUTPUT-SAYS: relocated to output
func.func @norm(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = vernier.get_param @w5 : tensor<4x8xf32>
  %h = vernier.glu silu %a, %b : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = vernier.linear %h, %w : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  %n = vernier.rms_norm %y epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  return %n : tensor<2x4xf32>
}

// A vector that is no parameter cannot go into a weight.
// OUTPUT-SAYS: not relocated: its vector is not a parameter
// OUTPUT-LABEL: func.func @data(
// OUTPUT: vernier.scale {{.*}} tensor<8xf32>
// OUTPUT: vernier.linear
// OUTPUT-NEXT: return
vernier.param @w6 : tensor<4x8xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w6">])
func.func @data(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>, %g: tensor<8xf32>) -> tensor<2x4xf32> {
  %w = vernier.get_param @w6 : tensor<4x8xf32>
  %h = vernier.glu silu %a, %b : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %s = vernier.scale %h, %g : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %y = vernier.linear %s, %w : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
