// A graph remembers the passes that have changed it, in order, and whether each kept its function.
// RUN: vernier-opt %s --vernier-split-scale --vernier-split-scale "--vernier-relocate-scale=to=dual branches=up" --vernier-remove-scale=sites=ffn-input --verify-roundtrip | FileCheck %s
// RUN: vernier-opt %s --vernier-split-scale -emit-bytecode | vernier-opt - --vernier-insert-scale=value=2 | FileCheck %s --check-prefix=OTHER

// CHECK: module attributes {vernier.rewrites = [
// CHECK-SAME: {pass = "vernier-split-scale"},
// CHECK-NOT: vernier-split-scale
// CHECK-SAME: {pass = "vernier-relocate-scale{branches={up} epsilon=0.000000e+00 norm-axis=vector to=dual}"},
// CHECK-SAME: {changes_function, pass = "vernier-remove-scale{fold=false sites={ffn-input}}"}]}
// OTHER: module attributes {vernier.rewrites = [{pass = "vernier-split-scale"}]}
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
func.func @ffn(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>, %u: tensor<8x4xf32>) -> tensor<2x8xf32> {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %up = vernier.linear %s, %u : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %y = vernier.glu silu %gate, %up : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
