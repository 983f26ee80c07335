// RUN: vernier-opt %s | vernier-opt | FileCheck %s

// CHECK-LABEL: func.func @scale
func.func @scale(%x: tensor<8x384xf32>, %g: tensor<384xf32>) -> tensor<8x384xf32> {
  // CHECK: vernier.scale %{{.*}}, %{{.*}} offset 1.0
  %y = vernier.scale %x, %g offset 1.0 : (tensor<8x384xf32>, tensor<384xf32>) -> tensor<8x384xf32>
  return %y : tensor<8x384xf32>
}
