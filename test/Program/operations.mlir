// RUN: vernier-opt %s --vernier-form-products --vernier-form-kernels --vernier-fuse-rows --vernier-recompute-rows --cse --canonicalize --vernier-outline-kernels -o %t.mlir
// RUN: vernier compare %s %t.mlir | FileCheck %s

// Operations that the models of test/golden do not have.
// CHECK-NOT: too large
// CHECK: gated_units result 11
// CHECK: layer_norm result 1
// CHECK: scale_with_offset result 0
// CHECK: losses result 3
// CHECK-NOT: too large

func.func @gated_units(%dy: tensor<3x5xf32>, %g: tensor<3x5xf32>, %u: tensor<3x5xf32>)
    -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>,
        tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %0 = vernier.glu silu %g, %u : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = vernier.glu gelu %g, %u : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %2 = vernier.glu gelu_tanh %g, %u : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %3 = vernier.glu relu %g, %u : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %4, %5 = vernier.glu_grad silu %dy, %g, %u : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>)
  %6, %7 = vernier.glu_grad gelu %dy, %g, %u : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>)
  %8, %9 = vernier.glu_grad gelu_tanh %dy, %g, %u : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>)
  %10, %11 = vernier.glu_grad relu %dy, %g, %u : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>)
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>,
    tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}

func.func @layer_norm(%x: tensor<2x3x5xf32>, %dy: tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>) {
  %n = vernier.layer_norm %x epsilon 1.0e-3 : tensor<2x3x5xf32> -> tensor<2x3x5xf32>
  %d = vernier.layer_norm_grad %dy, %x epsilon 1.0e-3 : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %n, %d : tensor<2x3x5xf32>, tensor<2x3x5xf32>
}

func.func @scale_with_offset(%x: tensor<3x5xf32>, %g: tensor<5xf32>) -> tensor<3x5xf32> {
  %y = vernier.scale %x, %g offset 1.0 : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// Targets that are ignored, and a divisor of zero: zeros, not NaN.
func.func @losses(%l: tensor<3x7xf32>) -> (tensor<f32>, tensor<3x7xf32>, tensor<f32>, tensor<3x7xf32>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %none = arith.constant dense<0> : tensor<i64>
  %t = arith.constant dense<-100> : tensor<3xi32>
  %n = arith.constant dense<3> : tensor<i64>
  %t1 = arith.constant dense<4> : tensor<3xi32>
  %loss, %lse = vernier.cross_entropy %l, %t, %n ignore -100 : (tensor<3x7xf32>, tensor<3xi32>, tensor<i64>) -> (tensor<f32>, tensor<3xf32>)
  %d = vernier.cross_entropy_grad %one, %l, %t, %lse, %n ignore -100 : (tensor<f32>, tensor<3x7xf32>, tensor<3xi32>, tensor<3xf32>, tensor<i64>) -> tensor<3x7xf32>
  %loss1, %lse1 = vernier.cross_entropy %l, %t1, %none ignore -100 : (tensor<3x7xf32>, tensor<3xi32>, tensor<i64>) -> (tensor<f32>, tensor<3xf32>)
  %d1 = vernier.cross_entropy_grad %one, %l, %t1, %lse1, %none ignore -100 : (tensor<f32>, tensor<3x7xf32>, tensor<3xi32>, tensor<3xf32>, tensor<i64>) -> tensor<3x7xf32>
  return %loss, %d, %loss1, %d1 : tensor<f32>, tensor<3x7xf32>, tensor<f32>, tensor<3x7xf32>
}
