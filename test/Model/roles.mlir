// RUN: vernier-opt %s --vernier-print-roles --split-input-file --verify-diagnostics

// A Llama layer: q, k, v share an Input-Norm, gate and up another.
func.func @llama(%x: tensor<2x4x8xf32>, %g: tensor<8xf32>, %w: tensor<8x8xf32>, %t: tensor<2x4xi32>, %d: tensor<i64>) -> tensor<f32> {
  // expected-remark @+1 {{Input-Norm, site attention-input of layer 0}}
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  %s = vernier.scale %n, %g : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @+1 {{q of layer 0}}
  %q = vernier.linear %s, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @+1 {{k of layer 0}}
  %k = vernier.linear %s, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @+1 {{v of layer 0}}
  %v = vernier.linear %s, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %qh = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<2x4x8xf32> into tensor<2x4x2x4xf32>
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<2x4x8xf32> into tensor<2x4x2x4xf32>
  %vh = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<2x4x8xf32> into tensor<2x4x2x4xf32>
  %qr = vernier.rope %qh theta 1.0e4 : tensor<2x4x2x4xf32> -> tensor<2x4x2x4xf32>
  %kr = vernier.rope %kh theta 1.0e4 : tensor<2x4x2x4xf32> -> tensor<2x4x2x4xf32>
  %a, %lse = vernier.attention %qr, %kr, %vh scale 0.5 causal : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>)
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x4x2x4xf32> into tensor<2x4x8xf32>
  // expected-remark @+1 {{o of layer 0}}
  %o = vernier.linear %c, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %h = vernier.add %x, %o : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @+1 {{Input-Norm, site ffn-input of layer 0}}
  %m = vernier.rms_norm %h epsilon 1.0e-5 : tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  // expected-remark @+1 {{gate of layer 0}}
  %gate = vernier.linear %m, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @+1 {{up of layer 0}}
  %up = vernier.linear %m, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %act = vernier.glu silu %gate, %up : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @+1 {{down of layer 0}}
  %down = vernier.linear %act, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %y = vernier.add %h, %down : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @+1 {{Input-Norm, site final}}
  %f = vernier.rms_norm %y epsilon 1.0e-5 : tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  // expected-remark @+1 {{head}}
  %logits = vernier.linear %f, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %loss, %l = vernier.cross_entropy %logits, %t, %d ignore -100 : (tensor<2x4x8xf32>, tensor<2x4xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x4xf32>)
  return %loss : tensor<f32>
}

// -----
// Output-Norms: on q and k per head (Qwen3), on a sublayer's output (Gemma), on the embedding.
func.func @output_norms(%kh: tensor<2x4x2x4xf32>, %vh: tensor<2x4x2x4xf32>, %ids: tensor<2x4xi32>, %e: tensor<9x8xf32>, %g: tensor<4xf32>, %w: tensor<8x8xf32>) -> tensor<2x4x8xf32> {
  %x = vernier.embedding %ids, %e : (tensor<2x4xi32>, tensor<9x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @+1 {{Output-Norm, site embedding}}
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  // expected-remark @+1 {{q of layer 0}}
  %q = vernier.linear %n, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %qh = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 4, 2, 4] : tensor<2x4x8xf32> into tensor<2x4x2x4xf32>
  // expected-remark @+1 {{Output-Norm, site qk of layer 0}}
  %qn = vernier.rms_norm %qh epsilon 1.0e-5 : tensor<2x4x2x4xf32> -> tensor<2x4x2x4xf32>
  %qs = vernier.scale %qn, %g : (tensor<2x4x2x4xf32>, tensor<4xf32>) -> tensor<2x4x2x4xf32>
  %a, %lse = vernier.attention %qs, %kh, %vh scale 0.5 causal : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>)
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x4x2x4xf32> into tensor<2x4x8xf32>
  // expected-remark @+1 {{o of layer 0}}
  %o = vernier.linear %c, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  // expected-remark @+1 {{Output-Norm, site sublayer-output of layer 0}}
  %on = vernier.rms_norm %o epsilon 1.0e-5 : tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  %h = vernier.add %n, %on : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %h : tensor<2x4x8xf32>
}

// -----
// A norm that feeds a linear map and the residual stream is an Output-Norm.
func.func @mixed_use(%x: tensor<2x4x8xf32>, %w: tensor<8x8xf32>) -> tensor<2x4x8xf32> {
  // expected-remark @+1 {{Output-Norm, site other}}
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  // expected-remark @+1 {{other}}
  %y = vernier.linear %n, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %h = vernier.add %n, %y : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %h : tensor<2x4x8xf32>
}

// -----
// A norm behind gate is in gate's layer.
func.func @inner_norm(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  // expected-remark @+1 {{gate of layer 0}}
  %gate = vernier.linear %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  // expected-remark @+1 {{Output-Norm, site other of layer 0}}
  %n = vernier.rms_norm %gate epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  // expected-remark @+1 {{up of layer 0}}
  %up = vernier.linear %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %h = vernier.glu silu %n, %up : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %h : tensor<2x4xf32>
}

// -----
// A map that is query and key at once is neither.
func.func @two_roles(%x: tensor<2x4x2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4x2x4xf32> {
  // expected-remark @+1 {{other}}
  %q = vernier.linear %x, %w : (tensor<2x4x2x4xf32>, tensor<4x4xf32>) -> tensor<2x4x2x4xf32>
  %a, %lse = vernier.attention %q, %q, %x scale 0.5 causal : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>)
  return %a : tensor<2x4x2x4xf32>
}

// -----

// Directly in a module a value may be used by what makes it: that has no role.
// expected-remark @+1 {{Output-Norm, site other}}
%b = vernier.rms_norm %b epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
