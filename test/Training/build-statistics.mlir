// RUN: vernier-opt %s --vernier-build-statistics | FileCheck %s
// RUN: vernier-opt %s --vernier-training-graph=phases=gradient_norms,scales | FileCheck %s --check-prefix=PHASES
// RUN: vernier-opt %s --vernier-training-graph=phases=update | FileCheck %s --check-prefix=WITHOUT
// RUN: vernier-opt %s --vernier-training-graph --vernier-kernel-program | FileCheck %s --check-prefix=PLANNED

// Names say nothing: a matrix called norm, a scale vector called weight.
vernier.param @emb : tensor<16x4xf32> kind(embedding) decay(decay) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"emb">])
vernier.param @"in.direction" : tensor<4xf32> kind(direction) decay(none) optimizer(adamw)
    init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"in.direction">])
vernier.param @"in.magnitude" : tensor<1xf32> kind(magnitude) decay(none) optimizer(adamw)
    init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"in.magnitude">])
vernier.param @norm : tensor<8x4xf32> kind(matrix) decay(decay) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"norm">])
vernier.param @up : tensor<8x4xf32> kind(matrix) decay(decay) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"up">])
vernier.param @down : tensor<4x8xf32> kind(matrix) decay(decay) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"down">])
vernier.param @weight : tensor<4xf32> kind(scale) decay(none) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"weight">])

func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
  %emb = vernier.get_param @emb : tensor<16x4xf32>
  %a = vernier.get_param @"in.direction" : tensor<4xf32>
  %b = vernier.get_param @"in.magnitude" : tensor<1xf32>
  %gate_w = vernier.get_param @norm : tensor<8x4xf32>
  %up_w = vernier.get_param @up : tensor<8x4xf32>
  %down_w = vernier.get_param @down : tensor<4x8xf32>
  %w = vernier.get_param @weight : tensor<4xf32>
  %x = vernier.embedding %ids, %emb : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  %g = vernier.scale_from_direction original %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %s = vernier.scale %n, %g : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %gate = vernier.linear %s, %gate_w : (tensor<2x3x4xf32>, tensor<8x4xf32>) -> tensor<2x3x8xf32>
  %up = vernier.linear %s, %up_w : (tensor<2x3x4xf32>, tensor<8x4xf32>) -> tensor<2x3x8xf32>
  %h = vernier.glu silu %gate, %up : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %d = vernier.linear %h, %down_w : (tensor<2x3x8xf32>, tensor<4x8xf32>) -> tensor<2x3x4xf32>
  %r = vernier.add %x, %d : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %m = vernier.rms_norm %r epsilon 1.0e-5 : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  // One vector with an offset and without: two vectors of one parameter. The
  // second place without is no third.
  %t = vernier.scale %m, %w offset 1.0 : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %u = vernier.scale %t, %w : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %v = vernier.scale %u, %w : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %l = vernier.linear %v, %emb : (tensor<2x3x4xf32>, tensor<16x4xf32>) -> tensor<2x3x16xf32>
  %count = vernier.count_valid %targets ignore -100 : tensor<2x3xi32> -> tensor<i64>
  %loss, %lse = vernier.cross_entropy %l, %targets, %count ignore -100
      : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  return %loss : tensor<f32>
}

// CHECK-LABEL: func.func @scales(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4xf32> {vernier.slot = #vernier.slot<param, "in.direction">},
// CHECK-SAME: %[[B:[^:]*]]: tensor<1xf32> {vernier.slot = #vernier.slot<param, "in.magnitude">},
// CHECK-SAME: %[[W:[^:]*]]: tensor<4xf32> {vernier.slot = #vernier.slot<param, "weight">})
// CHECK-SAME: -> (tensor<4xf32> {vernier.slot = #vernier.slot<scale_vector, "in">},
// CHECK-SAME: tensor<4xf32> {vernier.slot = #vernier.slot<scale_vector, "weight">},
// CHECK-SAME: tensor<4xf32> {vernier.slot = #vernier.slot<scale_vector, "weight#2">})
// CHECK-NEXT: %[[G:.*]] = vernier.scale_from_direction original %[[A]], %[[B]]
// CHECK-NEXT: %[[ONE:.*]] = arith.constant dense<1.0{{.*}}> : tensor<4xf32>
// CHECK-NEXT: %[[SUM:.*]] = vernier.add %[[W]], %[[ONE]]
// CHECK-NEXT: return %[[G]], %[[SUM]], %[[W]]

// CHECK-LABEL: func.func private @norms_of_gradients(
// CHECK-SAME: %[[EMB:[^:]*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<param_gradient, "emb">},
// CHECK-SAME: -> (tensor<f64> {vernier.slot = #vernier.slot<group_norm, "embedding/embedding+head">},
// CHECK-SAME: tensor<f64> {vernier.slot = #vernier.slot<group_norm, "direction/ffn-input/gate+up">},
// CHECK-SAME: tensor<f64> {vernier.slot = #vernier.slot<group_norm, "magnitude/ffn-input/gate+up">},
// CHECK-SAME: tensor<f64> {vernier.slot = #vernier.slot<group_norm, "matrix/gate">},
// CHECK-SAME: tensor<f64> {vernier.slot = #vernier.slot<group_norm, "matrix/up">},
// CHECK-SAME: tensor<f64> {vernier.slot = #vernier.slot<group_norm, "matrix/down">},
// CHECK-SAME: tensor<f64> {vernier.slot = #vernier.slot<group_norm, "scale/final/head">})
// CHECK-NEXT: vernier.global_norm %[[EMB]] :

// The adjoint of prepare comes before the norms; no moments, no update.
// PHASES-LABEL: func.func @scales(
// PHASES-LABEL: func.func @gradient_norms(
// PHASES-NOT: first_moment
// PHASES-SAME: %[[DG:[^:]*]]: tensor<4xf32> {vernier.slot = #vernier.slot<gradient, "prepared.0">}
// PHASES: %[[DA:.*]], %[[DB:.*]] = vernier.scale_from_direction_grad original %[[DG]]
// PHASES: vernier.global_norm %[[DA]] :
// PHASES-NEXT: vernier.global_norm %[[DB]] :
// PHASES-NOT: func.func

// WITHOUT-NOT: group_norm
// WITHOUT-NOT: scale_vector

// A vector that is a parameter lies where the parameter lies, and costs nothing.
// PLANNED-LABEL: func.func @scales(
// PLANNED-SAME: {program.offset = [[W:[0-9]+]] : i64, vernier.slot = #vernier.slot<param, "weight">})
// PLANNED-SAME: {program.offset = [[W]] : i64, vernier.slot = #vernier.slot<scale_vector, "weight#2">})
// PLANNED-COUNT-2: program.launch
// PLANNED-NOT: program.launch
// PLANNED: return
