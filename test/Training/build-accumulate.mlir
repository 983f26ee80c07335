// RUN: vernier-opt %s --split-input-file --verify-diagnostics --vernier-build-accumulate | FileCheck %s

// An untied table and a head: the first micro-batch starts from zero, the
// others from the gradient so far.
// CHECK-LABEL: func.func @accumulate_first(
// CHECK: %[[DH:.*]] = vernier.linear_weight_grad
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : tensor<16x4xf32>
// CHECK: %[[DW:.*]] = vernier.embedding_grad %{{.*}} into %[[ZERO]]
// CHECK: return %{{.*}}, %[[DW]], %[[DH]]
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[SUM_W:[^:]*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<gradient, "w">},
// CHECK-SAME: %[[SUM_H:[^:]*]]: tensor<8x4xf32> {vernier.slot = #vernier.slot<gradient, "prepared.0">})
// CHECK: %[[DH:.*]] = vernier.linear_weight_grad
// CHECK: %[[NEW_H:.*]] = vernier.add %[[SUM_H]], %[[DH]]
// CHECK-NOT: dense<0.0
// CHECK: %[[NEW_W:.*]] = vernier.embedding_grad %{{.*}} into %[[SUM_W]]
// CHECK-NEXT: return %{{.*}}, %[[NEW_W]], %[[NEW_H]]
func.func private @forward(%ids: tensor<2x3xi32> {vernier.slot = #vernier.slot<ids>},
    %targets: tensor<2x3xi32> {vernier.slot = #vernier.slot<targets>},
    %divisor: tensor<i64> {vernier.slot = #vernier.slot<divisor>},
    %w: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">},
    %h: tensor<8x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">})
    -> (tensor<f32> {vernier.slot = #vernier.slot<loss>}) {
  %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
  %l = vernier.linear %x, %h : (tensor<2x3x4xf32>, tensor<8x4xf32>) -> tensor<2x3x8xf32>
  %loss, %lse = vernier.cross_entropy %l, %targets, %divisor ignore -100
      : (tensor<2x3x8xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  return %loss : tensor<f32>
}

// -----

// expected-error @below {{cannot differentiate the loss: 1 operation has no gradient rule}}
func.func private @forward(%ids: tensor<2x3xi32> {vernier.slot = #vernier.slot<ids>},
    %targets: tensor<2x3xi32> {vernier.slot = #vernier.slot<targets>},
    %divisor: tensor<i64> {vernier.slot = #vernier.slot<divisor>},
    %w: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">})
    -> (tensor<f32> {vernier.slot = #vernier.slot<loss>}) {
  %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
  // expected-note @below {{'math.tanh' op has no gradient rule}}
  %y = math.tanh %x : tensor<2x3x4xf32>
  %loss, %lse = vernier.cross_entropy %y, %targets, %divisor ignore -100
      : (tensor<2x3x4xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  return %loss : tensor<f32>
}

// -----

// expected-error @below {{the module has no function 'forward', which 'vernier-split-loss' makes}}
module {}
