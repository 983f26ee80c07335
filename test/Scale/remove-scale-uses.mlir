// What else a vector, and what it is computed from, may be read by.
// RUN: vernier-opt %s --vernier-remove-scale --split-input-file --remarks-filter=vernier-scale --verify-diagnostics | FileCheck %s
// RUN: vernier-opt %s --vernier-remove-scale=sites=branch-output --split-input-file | FileCheck %s --check-prefix=OUTPUTS
// RUN: vernier-opt %s "--vernier-remove-scale=branches=gate layers=0" --split-input-file | FileCheck %s --check-prefix=GATE
// RUN: vernier-opt %s --vernier-remove-scale=branches=gate --split-input-file | FileCheck %s --check-prefix=ANYWHERE

// Magnitude and direction go with the vector.
// CHECK-NOT: vernier.param
// CHECK-LABEL: func.func @form(
// CHECK-NEXT: return
vernier.param @a : tensor<4xf32> kind(direction) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"a">])
vernier.param @b : tensor<1xf32> kind(magnitude) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"b">])
func.func @form(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %a = vernier.get_param @a : tensor<4xf32>
  %b = vernier.get_param @b : tensor<1xf32>
  %g = vernier.scale_from_direction original %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  // expected-remark @below {{removed 'a'}}
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// One of two vectors of one direction is read by something else.
// CHECK-LABEL: func.func @shared_direction(
// CHECK-COUNT-2: vernier.scale_from_direction
// CHECK: vernier.scale
// CHECK: return
vernier.param @a : tensor<4xf32> kind(direction) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"a">])
vernier.param @b : tensor<1xf32> kind(magnitude) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"b">])
func.func @shared_direction(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>) {
  %a = vernier.get_param @a : tensor<4xf32>
  %b = vernier.get_param @b : tensor<1xf32>
  %g = vernier.scale_from_direction original %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %h = vernier.scale_from_direction original %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  // expected-remark @below {{not removed: 'a' has other uses}}
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s, %h : tensor<2x4xf32>, tensor<4xf32>
}

// -----
// The vector of one scale is the data of another.
// CHECK: vernier.param @g
// CHECK-NOT: vernier.param
// CHECK-LABEL: func.func @data(
// CHECK: vernier.scale %arg0
// CHECK-NOT: vernier.scale
// CHECK: return
vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @k : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"k">])
func.func @data(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>) {
  %g = vernier.get_param @g : tensor<4xf32>
  %k = vernier.get_param @k : tensor<4xf32>
  // expected-remark @below {{removed 'k'}}
  %d = vernier.scale %g, %k : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @below {{not removed: 'g' has other uses}}
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s, %d : tensor<2x4xf32>, tensor<4xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// What a call returns is not a parameter.
// CHECK-LABEL: func.func @call(
// CHECK: vernier.scale
func.func private @vector() -> tensor<4xf32>
func.func @call(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %g = func.call @vector() : () -> tensor<4xf32>
  // expected-remark @below {{not removed: its vector is not a parameter}}
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// -----
// Scales at the results of linear maps are a site of their own.
// OUTPUTS-LABEL: func.func @output(
// OUTPUTS: %[[S:.*]] = vernier.scale %arg0
// OUTPUTS: %[[Y:.*]] = vernier.linear %[[S]]
// OUTPUTS-NEXT: return %[[Y]]
vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @k : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"k">])
func.func @output(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %g = vernier.get_param @g : tensor<4xf32>
  %k = vernier.get_param @k : tensor<4xf32>
  // expected-remark @below {{removed 'k'}}
  %s = vernier.scale %x, %k : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{removed 'g'}}
  %t = vernier.scale %y, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %t : tensor<2x4xf32>
}

// -----
// Before and behind its inner norm, a scale belongs to the linear map. What feeds a
// linear map belongs to that one, wherever it comes from, but lies where that is.
// GATE-LABEL: func.func @inner(
// GATE: %[[FIRST:.*]] = vernier.linear
// GATE-NEXT: %[[FED:.*]] = vernier.scale %[[FIRST]]
// GATE-NEXT: %[[Y:.*]] = vernier.linear %[[FED]]
// ANYWHERE-LABEL: func.func @inner(
// ANYWHERE: %[[FIRST:.*]] = vernier.linear
// ANYWHERE-NEXT: vernier.linear %[[FIRST]]
// GATE-NEXT: %[[N:.*]] = vernier.rms_norm %[[Y]]
// GATE-NEXT: %[[UP:.*]] = vernier.linear
// GATE-NEXT: %[[H:.*]] = vernier.glu silu %[[N]], %[[UP]]
// GATE: %[[S:.*]] = vernier.scale
// GATE: vernier.linear %[[S]]
vernier.param @a : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"a">])
vernier.param @b : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"b">])
vernier.param @c : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"c">])
vernier.param @d : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"d">])
func.func @inner(%x: tensor<2x4xf32>, %v: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %a = vernier.get_param @a : tensor<4xf32>
  %b = vernier.get_param @b : tensor<4xf32>
  %c = vernier.get_param @c : tensor<4xf32>
  %d = vernier.get_param @d : tensor<4xf32>
  %first = vernier.linear %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{removed 'd'}}
  %fed = vernier.scale %first, %d : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y = vernier.linear %fed, %v : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{removed 'a'}}
  %ya = vernier.scale %y, %a : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %n = vernier.rms_norm %ya epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  // expected-remark @below {{removed 'b'}}
  %nb = vernier.scale %n, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %up = vernier.linear %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %h = vernier.glu silu %nb, %up : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{removed 'c'}}
  %hc = vernier.scale %h, %c : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %down = vernier.linear %hc, %v : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return %down : tensor<2x4xf32>
}
