// Stock mlir-opt reads our dialects through the plugin.
// RUN: mlir-opt --load-dialect-plugin=%build/lib/libVernierPlugin.so \
// RUN:   --load-pass-plugin=%build/lib/libVernierPlugin.so --pass-pipeline='builtin.module(cse)' %s | FileCheck %s

// CHECK-LABEL: func.func @twice
func.func @twice(%x: tensor<8x384xf32>) -> tensor<8x384xf32> {
  // CHECK-COUNT-1: vernier.rms_norm
  %y = vernier.rms_norm %x epsilon 1.0e-5 : tensor<8x384xf32> -> tensor<8x384xf32>
  %z = vernier.rms_norm %x epsilon 1.0e-5 : tensor<8x384xf32> -> tensor<8x384xf32>
  // CHECK-NEXT: vernier.add
  %a = vernier.add %y, %z : (tensor<8x384xf32>, tensor<8x384xf32>) -> tensor<8x384xf32>
  return %a : tensor<8x384xf32>
}

// MLIR's own driver goes on without a plugin that cannot be loaded; ours does not.
// RUN: not vernier-opt --load-dialect-plugin=%t.none.so %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not vernier-opt --load-pass-plugin %t.none.so %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: --load-{{dialect|pass}}-plugin: {{.*}}none.so

// Passes with options, through the plugin.
// RUN: mlir-opt --load-dialect-plugin=%build/lib/libVernierPlugin.so --load-pass-plugin=%build/lib/libVernierPlugin.so \
// RUN:   --pass-pipeline='builtin.module(vernier-apply-scale-to-weights{side=weights})' %s | FileCheck %s --check-prefix=WEIGHTS
// WEIGHTS-LABEL: func.func @scaled
// WEIGHTS: vernier.scale {{.*}} : (tensor<9x384xf32>, tensor<384xf32>)
vernier.param @g : tensor<384xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @w : tensor<9x384xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w">])
func.func @scaled(%x: tensor<8x384xf32>) -> tensor<8x9xf32> {
  %g = vernier.get_param @g : tensor<384xf32>
  %w = vernier.get_param @w : tensor<9x384xf32>
  %s = vernier.scale %x, %g : (tensor<8x384xf32>, tensor<384xf32>) -> tensor<8x384xf32>
  %y = vernier.linear %s, %w : (tensor<8x384xf32>, tensor<9x384xf32>) -> tensor<8x9xf32>
  return %y : tensor<8x9xf32>
}
