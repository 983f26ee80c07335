// RUN: vernier-opt %s --split-input-file --verify-diagnostics --vernier-build-evaluate | FileCheck %s

// CHECK-LABEL: func.func @evaluate(
// CHECK-SAME: %{{.*}}: tensor<2x3xi32> {vernier.slot = #vernier.slot<ids>},
// CHECK-SAME: vernier.slot<targets>
// CHECK-SAME: vernier.slot<divisor>
// CHECK-SAME: -> (tensor<f32> {vernier.slot = #vernier.slot<loss>})
// CHECK: %[[LOSS:.*]], %{{.*}} = vernier.cross_entropy
// CHECK-NEXT: return %[[LOSS]]
// CHECK-LABEL: func.func @logits(
// CHECK-SAME: %[[IDS:.*]]: tensor<2x3xi32> {vernier.slot = #vernier.slot<ids>},
// CHECK-SAME: %[[W:.*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">})
// CHECK-SAME: -> (tensor<2x3x16xf32> {vernier.slot = #vernier.slot<logits>})
// CHECK-NEXT: %[[X:.*]] = vernier.embedding %[[IDS]], %[[W]]
// CHECK-NEXT: %[[L:.*]] = vernier.linear %[[X]], %[[W]]
// CHECK-NEXT: return %[[L]]
func.func private @forward(%ids: tensor<2x3xi32> {vernier.slot = #vernier.slot<ids>},
    %targets: tensor<2x3xi32> {vernier.slot = #vernier.slot<targets>},
    %divisor: tensor<i64> {vernier.slot = #vernier.slot<divisor>},
    %w: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">})
    -> (tensor<f32> {vernier.slot = #vernier.slot<loss>}) {
  %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
  %l = vernier.linear %x, %w : (tensor<2x3x4xf32>, tensor<16x4xf32>) -> tensor<2x3x16xf32>
  %loss, %lse = vernier.cross_entropy %l, %targets, %divisor ignore -100
      : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  return %loss : tensor<f32>
}

// -----

// expected-error @below {{the logits are those of the only 'vernier.cross_entropy', but the loss has 2}}
func.func private @forward(%ids: tensor<2x3xi32> {vernier.slot = #vernier.slot<ids>},
    %targets: tensor<2x3xi32> {vernier.slot = #vernier.slot<targets>},
    %divisor: tensor<i64> {vernier.slot = #vernier.slot<divisor>},
    %w: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">})
    -> (tensor<f32> {vernier.slot = #vernier.slot<loss>}) {
  %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
  %a, %lse = vernier.cross_entropy %x, %targets, %divisor ignore -100
      : (tensor<2x3x4xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  %b, %lse2 = vernier.cross_entropy %x, %targets, %divisor ignore -100
      : (tensor<2x3x4xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  %loss = vernier.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// expected-error @below {{the module has no function 'forward', which 'vernier-split-loss' makes}}
module {}
