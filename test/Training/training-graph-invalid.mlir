// RUN: vernier-opt %s --split-input-file --verify-diagnostics --vernier-training-graph
// RUN: vernier-opt %s --split-input-file --vernier-training-graph=phases=prepare,logits | FileCheck %s

// All operations without a rule, on both sides of the frontier, at once.
vernier.param @w : tensor<16x4xf32> kind(embedding) decay(decay) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"w">])
// expected-error @below {{cannot differentiate the loss: 3 operations have no gradient rule}}
func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
  %w = vernier.get_param @w : tensor<16x4xf32>
  // expected-note @below {{'math.exp' op has no gradient rule}}
  %h = math.exp %w : tensor<16x4xf32>
  %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
  // expected-note @below {{'math.tanh' op has no gradient rule}}
  %t = math.tanh %x : tensor<2x3x4xf32>
  // expected-note @below {{'math.sin' op has no gradient rule}}
  %s = math.sin %t : tensor<2x3x4xf32>
  %l = vernier.linear %s, %h : (tensor<2x3x4xf32>, tensor<16x4xf32>) -> tensor<2x3x16xf32>
  %n = vernier.count_valid %targets ignore -100 : tensor<2x3xi32> -> tensor<i64>
  %loss, %lse = vernier.cross_entropy %l, %targets, %n ignore -100
      : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  return %loss : tensor<f32>
}

// Without the phases that need gradients, the graph is all right.
// CHECK: func.func @prepare(
// CHECK-NOT: func.func
// CHECK: func.func @logits(
// CHECK-NOT: func.func
