// RUN: vernier check-gradients %s --seed=1
// RUN: vernier check-gradients %s --seed=2

// Chains of three and more: what each rule hands on is what the next one needs.

vernier.param @table : tensor<11x6xf32> kind(embedding) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 1.0 : f64>) stored([#vernier.stored<"table">])
vernier.param @gamma : tensor<6xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"gamma">])
vernier.param @w : tensor<6x6xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 1.0 : f64>) stored([#vernier.stored<"w">])

func.func @norm_scale_linear(%x: tensor<3x6xf32>, %g: tensor<6xf32>, %w: tensor<5x6xf32>, %b: tensor<5xf32>) -> tensor<3x5xf32> {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<3x6xf32> -> tensor<3x6xf32>
  %s = vernier.scale %n, %g : (tensor<3x6xf32>, tensor<6xf32>) -> tensor<3x6xf32>
  %y = vernier.linear %s, %w bias %b : (tensor<3x6xf32>, tensor<5x6xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
// The residual stream is read twice and added to.
func.func @residual(%x: tensor<3x6xf32>, %g: tensor<6xf32>, %gate: tensor<4x6xf32>, %up: tensor<4x6xf32>, %down: tensor<6x4xf32>) -> tensor<3x6xf32> {
  %n = vernier.layer_norm %x epsilon 1.0e-5 : tensor<3x6xf32> -> tensor<3x6xf32>
  %s = vernier.scale %n, %g offset 1.0 : (tensor<3x6xf32>, tensor<6xf32>) -> tensor<3x6xf32>
  %a = vernier.linear %s, %gate : (tensor<3x6xf32>, tensor<4x6xf32>) -> tensor<3x4xf32>
  %b = vernier.linear %s, %up : (tensor<3x6xf32>, tensor<4x6xf32>) -> tensor<3x4xf32>
  %c = vernier.glu gelu %a, %b : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %d = vernier.linear %c, %down : (tensor<3x4xf32>, tensor<6x4xf32>) -> tensor<3x6xf32>
  %y = vernier.add %x, %d : (tensor<3x6xf32>, tensor<3x6xf32>) -> tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}
// Norm per head, rope with scaling, grouped attention within a window.
func.func @attention_block(%q: tensor<1x7x12xf32>, %k: tensor<1x7x4xf32>, %v: tensor<1x7x4xf32>, %g: tensor<4xf32>) -> tensor<1x7x12xf32> {
  %q4 = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [1, 7, 3, 4] : tensor<1x7x12xf32> into tensor<1x7x3x4xf32>
  %k4 = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [1, 7, 1, 4] : tensor<1x7x4xf32> into tensor<1x7x1x4xf32>
  %v4 = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [1, 7, 1, 4] : tensor<1x7x4xf32> into tensor<1x7x1x4xf32>
  %qn = vernier.rms_norm %q4 epsilon 1.0e-5 : tensor<1x7x3x4xf32> -> tensor<1x7x3x4xf32>
  %qs = vernier.scale %qn, %g : (tensor<1x7x3x4xf32>, tensor<4xf32>) -> tensor<1x7x3x4xf32>
  %qr = vernier.rope %qs theta 150.0 scaling <factor = 8.0 : f64, low_freq_factor = 1.0 : f64, high_freq_factor = 4.0 : f64, original_context = 32>
      : tensor<1x7x3x4xf32> -> tensor<1x7x3x4xf32>
  %kr = vernier.rope %k4 theta 150.0 : tensor<1x7x1x4xf32> -> tensor<1x7x1x4xf32>
  %o, %lse = vernier.attention %qr, %kr, %v4 scale 0.5 causal window 4
      : (tensor<1x7x3x4xf32>, tensor<1x7x1x4xf32>, tensor<1x7x1x4xf32>) -> (tensor<1x7x3x4xf32>, tensor<1x7x3xf32>)
  %y = tensor.collapse_shape %o [[0], [1], [2, 3]] : tensor<1x7x3x4xf32> into tensor<1x7x12xf32>
  return %y : tensor<1x7x12xf32>
}
// The same linear map and scale three times in a row: gradients of uses add up.
func.func @looped(%x: tensor<3x6xf32>) -> tensor<3x6xf32> {
  %w = vernier.get_param @w : tensor<6x6xf32>
  %g = vernier.get_param @gamma : tensor<6xf32>
  %a = vernier.linear %x, %w : (tensor<3x6xf32>, tensor<6x6xf32>) -> tensor<3x6xf32>
  %b = vernier.scale %a, %g : (tensor<3x6xf32>, tensor<6xf32>) -> tensor<3x6xf32>
  %c = vernier.linear %b, %w : (tensor<3x6xf32>, tensor<6x6xf32>) -> tensor<3x6xf32>
  %d = vernier.scale %c, %g : (tensor<3x6xf32>, tensor<6xf32>) -> tensor<3x6xf32>
  %e = vernier.linear %d, %w : (tensor<3x6xf32>, tensor<6x6xf32>) -> tensor<3x6xf32>
  return %e : tensor<3x6xf32>
}
// A tied table is embedding and head; two results have cotangents, one
// parameter is not read.
func.func @tied(%ids: tensor<2x5xi32>, %t: tensor<2x5xi32>) -> (tensor<f32>, tensor<2x5x6xf32>) {
  %table = vernier.get_param @table : tensor<11x6xf32>
  %g = vernier.get_param @gamma : tensor<6xf32>
  %x = vernier.embedding %ids, %table : (tensor<2x5xi32>, tensor<11x6xf32>) -> tensor<2x5x6xf32>
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x5x6xf32> -> tensor<2x5x6xf32>
  %s = vernier.scale %n, %g : (tensor<2x5x6xf32>, tensor<6xf32>) -> tensor<2x5x6xf32>
  %l = vernier.linear %s, %table : (tensor<2x5x6xf32>, tensor<11x6xf32>) -> tensor<2x5x11xf32>
  %c = vernier.count_valid %t ignore -100 : tensor<2x5xi32> -> tensor<i64>
  %loss, %lse = vernier.cross_entropy %l, %t, %c ignore -100
      : (tensor<2x5x11xf32>, tensor<2x5xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x5xf32>)
  return %loss, %s : tensor<f32>, tensor<2x5x6xf32>
}
// What an argument does not reach, or only by ids, has a gradient of zero.
func.func @unused(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %z = vernier.mul %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %z : tensor<3xf32>
}
