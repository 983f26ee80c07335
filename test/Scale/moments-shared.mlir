// A vector that is read elsewhere as well sees all of its gradient still when a branch
// leaves it: no share is taken from its moments.
// RUN: vernier-opt %s '--vernier-relocate-scale=to=output branches=gate' | FileCheck %s
// CHECK: func.func private @vernier.values(
// CHECK-SAME: #vernier.slot<param, "w.output_scale">
// CHECK-NOT: first_moment
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @w : tensor<8x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w">])
func.func @ffn(%x: tensor<2x4xf32>, %u: tensor<8x4xf32>) -> (tensor<2x8xf32>, tensor<2x4xf32>) {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %w = vernier.get_param @w : tensor<8x4xf32>
  %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %up = vernier.linear %s, %u : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %y = vernier.glu silu %gate, %up : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %t = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y, %t : tensor<2x8xf32>, tensor<2x4xf32>
}
