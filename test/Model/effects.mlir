// RUN: vernier-opt %s --cse --canonicalize --split-input-file | FileCheck %s
// Operations are pure: equal ones merge, unused ones vanish; different ones stay.

// CHECK-LABEL: func.func @equal_norms_merge
func.func @equal_norms_merge(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK-COUNT-1: vernier.rms_norm
  // CHECK-NEXT: vernier.mul
  %a = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %b = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %c = vernier.mul %a, %b : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %c : tensor<2x4xf32>
}

// -----
// CHECK-LABEL: func.func @other_epsilon_stays
func.func @other_epsilon_stays(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK-COUNT-2: vernier.rms_norm
  %a = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %b = vernier.rms_norm %x epsilon 1.0e-6 : tensor<2x4xf32> -> tensor<2x4xf32>
  %c = vernier.mul %a, %b : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %c : tensor<2x4xf32>
}

// -----
// CHECK-LABEL: func.func @unused_vanish
func.func @unused_vanish(%x: tensor<2x4xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // CHECK-NEXT: return
  %a = vernier.linear %x, %w : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  %b = vernier.glu silu %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %x : tensor<2x4xf32>
}

// -----
// Two scales in a row are two parameters: not folded.
vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @h : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"h">])
// CHECK-LABEL: func.func @two_scales_stay
func.func @two_scales_stay(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK-COUNT-2: vernier.scale
  %g = vernier.get_param @g : tensor<4xf32>
  %h = vernier.get_param @h : tensor<4xf32>
  %a = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %b = vernier.scale %a, %h : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %b : tensor<2x4xf32>
}

// -----
// A rotation and its inverse cancel.
// CHECK-LABEL: func.func @rope_and_inverse
func.func @rope_and_inverse(%x: tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32> {
  // CHECK-NEXT: return %arg0
  %a = vernier.rope %x theta 1.0e4 : tensor<2x4x2x6xf32> -> tensor<2x4x2x6xf32>
  %b = vernier.rope %a theta 1.0e4 inverse : tensor<2x4x2x6xf32> -> tensor<2x4x2x6xf32>
  return %b : tensor<2x4x2x6xf32>
}

// -----
// CHECK-LABEL: func.func @rope_twice_stays
func.func @rope_twice_stays(%x: tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32> {
  // CHECK-COUNT-2: vernier.rope
  %a = vernier.rope %x theta 1.0e4 : tensor<2x4x2x6xf32> -> tensor<2x4x2x6xf32>
  %b = vernier.rope %a theta 1.0e4 : tensor<2x4x2x6xf32> -> tensor<2x4x2x6xf32>
  return %b : tensor<2x4x2x6xf32>
}

// -----
// In bf16 the first rotation rounds, and the rounding is part of what the graph says.
// CHECK-LABEL: func.func @rope_and_inverse_bf16_stays
func.func @rope_and_inverse_bf16_stays(%x: tensor<2x4x2x6xbf16>) -> tensor<2x4x2x6xbf16> {
  // CHECK-COUNT-2: vernier.rope
  %a = vernier.rope %x theta 1.0e4 : tensor<2x4x2x6xbf16> -> tensor<2x4x2x6xbf16>
  %b = vernier.rope %a theta 1.0e4 inverse : tensor<2x4x2x6xbf16> -> tensor<2x4x2x6xbf16>
  return %b : tensor<2x4x2x6xbf16>
}

// -----
// CHECK-LABEL: func.func @rope_through_bf16_stays
func.func @rope_through_bf16_stays(%x: tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32> {
  // CHECK-COUNT-2: vernier.rope
  %a = vernier.rope %x theta 1.0e4 : tensor<2x4x2x6xf32> -> tensor<2x4x2x6xbf16>
  %b = vernier.rope %a theta 1.0e4 inverse : tensor<2x4x2x6xbf16> -> tensor<2x4x2x6xf32>
  return %b : tensor<2x4x2x6xf32>
}

// -----
// CHECK-LABEL: func.func @inverse_and_rope
func.func @inverse_and_rope(%x: tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32> {
  // CHECK-NEXT: return %arg0
  %a = vernier.rope %x theta 1.0e4 inverse : tensor<2x4x2x6xf32> -> tensor<2x4x2x6xf32>
  %b = vernier.rope %a theta 1.0e4 : tensor<2x4x2x6xf32> -> tensor<2x4x2x6xf32>
  return %b : tensor<2x4x2x6xf32>
}

// -----
// CHECK-LABEL: func.func @rope_and_inverse_of_other_theta_stays
func.func @rope_and_inverse_of_other_theta_stays(%x: tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32> {
  // CHECK-COUNT-2: vernier.rope
  %a = vernier.rope %x theta 1.0e4 : tensor<2x4x2x6xf32> -> tensor<2x4x2x6xf32>
  %b = vernier.rope %a theta 1.0e5 inverse : tensor<2x4x2x6xf32> -> tensor<2x4x2x6xf32>
  return %b : tensor<2x4x2x6xf32>
}

// -----
// CHECK-LABEL: func.func @rope_and_inverse_of_other_scaling_stays
func.func @rope_and_inverse_of_other_scaling_stays(%x: tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32> {
  // CHECK-COUNT-2: vernier.rope
  %a = vernier.rope %x theta 1.0e4 scaling <factor = 8.0 : f64, low_freq_factor = 1.0 : f64, high_freq_factor = 4.0 : f64, original_context = 128> : tensor<2x4x2x6xf32> -> tensor<2x4x2x6xf32>
  %b = vernier.rope %a theta 1.0e4 scaling <factor = 8.0 : f64, low_freq_factor = 1.0 : f64, high_freq_factor = 4.0 : f64, original_context = 256> inverse : tensor<2x4x2x6xf32> -> tensor<2x4x2x6xf32>
  return %b : tensor<2x4x2x6xf32>
}

// -----
// CHECK-LABEL: func.func @rope_scaled_and_inverse_plain_stays
func.func @rope_scaled_and_inverse_plain_stays(%x: tensor<2x4x2x6xf32>) -> tensor<2x4x2x6xf32> {
  // CHECK-COUNT-2: vernier.rope
  %a = vernier.rope %x theta 1.0e4 scaling <factor = 8.0 : f64, low_freq_factor = 1.0 : f64, high_freq_factor = 4.0 : f64, original_context = 128> : tensor<2x4x2x6xf32> -> tensor<2x4x2x6xf32>
  %b = vernier.rope %a theta 1.0e4 inverse : tensor<2x4x2x6xf32> -> tensor<2x4x2x6xf32>
  return %b : tensor<2x4x2x6xf32>
}
