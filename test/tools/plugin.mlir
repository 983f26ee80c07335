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
