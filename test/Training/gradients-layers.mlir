// RUN: vernier check-gradients %s --seed=1
// RUN: vernier check-gradients %s --seed=2

// Each layer's adjoint against finite differences, on shapes that fit no
// vector. That a wrong adjoint is noticed: GradientCheckTest.cpp, AWrongRule; what
// is printed then: ../Reference/check-gradients-errors.mlir.

func.func @embedding(%ids: tensor<2x3xi32>, %t: tensor<5x7xf32>) -> tensor<2x3x7xf32> {
  %y = vernier.embedding %ids, %t : (tensor<2x3xi32>, tensor<5x7xf32>) -> tensor<2x3x7xf32>
  return %y : tensor<2x3x7xf32>
}
// More ids than rows: rows are hit several times.
func.func @embedding_repeated(%ids: tensor<11xi32>, %t: tensor<2x3xf32>) -> tensor<11x3xf32> {
  %y = vernier.embedding %ids, %t : (tensor<11xi32>, tensor<2x3xf32>) -> tensor<11x3xf32>
  return %y : tensor<11x3xf32>
}
func.func @linear(%x: tensor<2x3x5xf32>, %w: tensor<7x5xf32>) -> tensor<2x3x7xf32> {
  %y = vernier.linear %x, %w : (tensor<2x3x5xf32>, tensor<7x5xf32>) -> tensor<2x3x7xf32>
  return %y : tensor<2x3x7xf32>
}
func.func @linear_bias(%x: tensor<3x5xf32>, %w: tensor<1x5xf32>, %b: tensor<1xf32>) -> tensor<3x1xf32> {
  %y = vernier.linear %x, %w bias %b : (tensor<3x5xf32>, tensor<1x5xf32>, tensor<1xf32>) -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}
func.func @rms_norm(%x: tensor<2x3x7xf32>) -> tensor<2x3x7xf32> {
  %y = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x3x7xf32> -> tensor<2x3x7xf32>
  return %y : tensor<2x3x7xf32>
}
// An epsilon that weighs as much as the row.
func.func @rms_norm_epsilon(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %y = vernier.rms_norm %x epsilon 1.0 : tensor<4x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
func.func @layer_norm(%x: tensor<2x3x7xf32>) -> tensor<2x3x7xf32> {
  %y = vernier.layer_norm %x epsilon 1.0e-5 : tensor<2x3x7xf32> -> tensor<2x3x7xf32>
  return %y : tensor<2x3x7xf32>
}
func.func @layer_norm_epsilon(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %y = vernier.layer_norm %x epsilon 1.0 : tensor<4x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
func.func @scale(%x: tensor<2x3x5xf32>, %g: tensor<5xf32>) -> tensor<2x3x5xf32> {
  %y = vernier.scale %x, %g : (tensor<2x3x5xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}
// dx has the offset too, dgamma has not.
func.func @scale_offset(%x: tensor<3x5xf32>, %g: tensor<5xf32>) -> tensor<3x5xf32> {
  %y = vernier.scale %x, %g offset 1.0 : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
func.func @scale_rows(%x: tensor<3x5xf32>, %g: tensor<3xf32>) -> tensor<3x5xf32> {
  %y = vernier.scale_rows %x, %g : (tensor<3x5xf32>, tensor<3xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
func.func @scale_rows_offset(%x: tensor<5x3xf32>, %g: tensor<5xf32>) -> tensor<5x3xf32> {
  %y = vernier.scale_rows %x, %g offset 1.0 : (tensor<5x3xf32>, tensor<5xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}
func.func @scale_from_direction(%a: tensor<5xf32>, %b: tensor<1xf32>) -> tensor<5xf32> {
  %g = vernier.scale_from_direction original %a, %b : (tensor<5xf32>, tensor<1xf32>) -> tensor<5xf32>
  return %g : tensor<5xf32>
}
func.func @scale_from_direction_exponential(%a: tensor<5xf32>, %b: tensor<1xf32>) -> tensor<5xf32> {
  %g = vernier.scale_from_direction exponential %a, %b : (tensor<5xf32>, tensor<1xf32>) -> tensor<5xf32>
  return %g : tensor<5xf32>
}
func.func @add(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = vernier.add %a, %b : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
func.func @mul(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = vernier.mul %a, %b : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
// One value is both operands.
func.func @square(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = vernier.mul %a, %a : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
func.func @glu_silu(%g: tensor<3x5xf32>, %u: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = vernier.glu silu %g, %u : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
func.func @glu_gelu(%g: tensor<3x5xf32>, %u: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = vernier.glu gelu %g, %u : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
func.func @glu_gelu_tanh(%g: tensor<3x5xf32>, %u: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = vernier.glu gelu_tanh %g, %u : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
// Away from the kink: few enough entries that none lies within a step of it.
func.func @glu_relu(%g: tensor<3x5xf32>, %u: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = vernier.glu relu %g, %u : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
func.func @shapes(%x: tensor<2x3x10xf32>) -> tensor<6x5x2xf32> {
  %h = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [2, 3, 5, 2] : tensor<2x3x10xf32> into tensor<2x3x5x2xf32>
  %s = vernier.mul %h, %h : (tensor<2x3x5x2xf32>, tensor<2x3x5x2xf32>) -> tensor<2x3x5x2xf32>
  %c = tensor.collapse_shape %s [[0, 1], [2], [3]] : tensor<2x3x5x2xf32> into tensor<6x5x2xf32>
  return %c : tensor<6x5x2xf32>
}
