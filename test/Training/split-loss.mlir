// RUN: vernier-opt %s --split-input-file --vernier-split-loss | FileCheck %s

// The example of the pass: the embedding is used as it is, and in a product.
vernier.param @w : tensor<16x4xf32> kind(embedding) decay(decay) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"w">])
vernier.param @s : tensor<16x4xf32> kind(matrix) decay(decay) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"s">])
// CHECK-NOT: @loss
// CHECK-LABEL: func.func @prepare(
// CHECK-SAME: %[[W:.*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">},
// CHECK-SAME: %[[S:.*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "s">})
// CHECK-SAME: -> (tensor<16x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">})
// CHECK-NEXT: %[[H:.*]] = vernier.mul %[[W]], %[[S]]
// CHECK-NEXT: return %[[H]]
// CHECK-LABEL: func.func private @forward(
// CHECK-SAME: %[[IDS:.*]]: tensor<2x3xi32> {vernier.slot = #vernier.slot<ids>},
// CHECK-SAME: %[[TARGETS:.*]]: tensor<2x3xi32> {vernier.slot = #vernier.slot<targets>},
// CHECK-SAME: %[[DIVISOR:.*]]: tensor<i64> {vernier.slot = #vernier.slot<divisor>},
// CHECK-SAME: %[[W:.*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">},
// CHECK-SAME: %[[H:.*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">})
// CHECK-SAME: -> (tensor<f32> {vernier.slot = #vernier.slot<loss>})
// CHECK-NEXT: %[[X:.*]] = vernier.embedding %[[IDS]], %[[W]]
// CHECK-NEXT: %[[L:.*]] = vernier.linear %[[X]], %[[H]]
// CHECK-NEXT: %[[LOSS:.*]], %{{.*}} = vernier.cross_entropy %[[L]], %[[TARGETS]], %[[DIVISOR]]
// CHECK-NEXT: return %[[LOSS]]
func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
  %w = vernier.get_param @w : tensor<16x4xf32>
  %s = vernier.get_param @s : tensor<16x4xf32>
  %h = vernier.mul %w, %s : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
  %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
  %l = vernier.linear %x, %h : (tensor<2x3x4xf32>, tensor<16x4xf32>) -> tensor<2x3x16xf32>
  %n = vernier.count_valid %targets ignore -100 : tensor<2x3xi32> -> tensor<i64>
  %loss, %lse = vernier.cross_entropy %l, %targets, %n ignore -100
      : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  return %loss : tensor<f32>
}

// -----

// Nothing to prepare: an empty function. Parameters come in the order of the
// module, whatever the order of the reads, and once however often they are read.
vernier.param @b : tensor<16xf32> kind(bias) decay(none) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"b">])
vernier.param @w : tensor<16x4xf32> kind(embedding) decay(decay) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"w">])
// CHECK-LABEL: func.func @prepare() {
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @forward(
// CHECK-SAME: vernier.slot<divisor>}, %[[B:.*]]: tensor<16xf32> {vernier.slot = #vernier.slot<param, "b">}, %[[W:.*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">}) ->
// CHECK: vernier.embedding %{{.*}}, %[[W]]
// CHECK: vernier.linear %{{.*}}, %[[W]] bias %[[B]]
func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
  %table = vernier.get_param @w : tensor<16x4xf32>
  %x = vernier.embedding %ids, %table : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
  %head = vernier.get_param @w : tensor<16x4xf32>
  %b = vernier.get_param @b : tensor<16xf32>
  %l = vernier.linear %x, %head bias %b : (tensor<2x3x4xf32>, tensor<16x4xf32>, tensor<16xf32>) -> tensor<2x3x16xf32>
  %n = vernier.count_valid %targets ignore -100 : tensor<2x3xi32> -> tensor<i64>
  %loss, %lse = vernier.cross_entropy %l, %targets, %n ignore -100
      : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  return %loss : tensor<f32>
}

// -----

// A chain on parameters with a constant in it, a value used on both sides of
// the frontier, and a constant that only data-dependent operations use.
vernier.param @w : tensor<16x4xf32> kind(embedding) decay(decay) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"w">])
vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"g">])
// CHECK-LABEL: func.func @prepare(
// CHECK-SAME: -> (tensor<4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">}, tensor<16x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.1">})
// CHECK-NOT: dense<3.0
// CHECK: %[[TWO:.*]] = arith.constant dense<2.0
// CHECK-NEXT: %[[G2:.*]] = vernier.mul %{{.*}}, %[[TWO]]
// CHECK-NEXT: %[[WG:.*]] = vernier.scale %{{.*}}, %[[G2]]
// CHECK-NEXT: return %[[G2]], %[[WG]]
// CHECK-LABEL: func.func private @forward(
// CHECK-SAME: %[[W:[^:]*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">},
// CHECK-SAME: %[[G2:[^:]*]]: tensor<4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">},
// CHECK-SAME: %[[WG:[^:]*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.1">})
// CHECK-NOT: dense<2.0
// CHECK: arith.constant dense<3.0
// CHECK: vernier.scale %{{.*}}, %[[G2]]
// CHECK: vernier.linear %{{.*}}, %[[WG]]
func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
  %two = arith.constant dense<2.0> : tensor<4xf32>
  %three = arith.constant dense<3.0> : tensor<4xf32>
  %w = vernier.get_param @w : tensor<16x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  %g2 = vernier.mul %g, %two : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %wg = vernier.scale %w, %g2 : (tensor<16x4xf32>, tensor<4xf32>) -> tensor<16x4xf32>
  %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
  %y = vernier.scale %x, %three : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %z = vernier.scale %y, %g2 : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %l = vernier.linear %z, %wg : (tensor<2x3x4xf32>, tensor<16x4xf32>) -> tensor<2x3x16xf32>
  %n = vernier.count_valid %targets ignore -100 : tensor<2x3xi32> -> tensor<i64>
  %loss, %lse = vernier.cross_entropy %l, %targets, %n ignore -100
      : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  return %loss : tensor<f32>
}
