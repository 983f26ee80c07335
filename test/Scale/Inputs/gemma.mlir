// Gemma-like: norms before and after each sublayer, all with 1 + w; grouped queries;
// GELU. One layer, d 8, two heads of 4, one of keys and values, FFN 12, vocabulary 20.
vernier.param @embed : tensor<20x8xf32> kind(embedding) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"embed">])
vernier.param @attn_in : tensor<8xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"attn_in">])
vernier.param @wq : tensor<8x8xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"wq">])
vernier.param @wk : tensor<4x8xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"wk">])
vernier.param @wv : tensor<4x8xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"wv">])
vernier.param @wo : tensor<8x8xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"wo">])
vernier.param @attn_out : tensor<8xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"attn_out">])
vernier.param @ffn_in : tensor<8xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"ffn_in">])
vernier.param @wg : tensor<12x8xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"wg">])
vernier.param @wu : tensor<12x8xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"wu">])
vernier.param @wd : tensor<8x12xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"wd">])
vernier.param @ffn_out : tensor<8xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"ffn_out">])
vernier.param @final : tensor<8xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"final">])
vernier.param @head : tensor<20x8xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"head">])
func.func @loss(%ids: tensor<2x5xi32>, %targets: tensor<2x5xi32>) -> tensor<f32> {
  %embed = vernier.get_param @embed : tensor<20x8xf32>
  %x = vernier.embedding %ids, %embed : (tensor<2x5xi32>, tensor<20x8xf32>) -> tensor<2x5x8xf32>
  %h.n = vernier.rms_norm %x epsilon 1.0e-6 : tensor<2x5x8xf32> -> tensor<2x5x8xf32>
  %attn_in = vernier.get_param @attn_in : tensor<8xf32>
  %h = vernier.scale %h.n, %attn_in offset 1.0 : (tensor<2x5x8xf32>, tensor<8xf32>) -> tensor<2x5x8xf32>
  %wq = vernier.get_param @wq : tensor<8x8xf32>
  %q = vernier.linear %h, %wq : (tensor<2x5x8xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
  %wk = vernier.get_param @wk : tensor<4x8xf32>
  %k = vernier.linear %h, %wk : (tensor<2x5x8xf32>, tensor<4x8xf32>) -> tensor<2x5x4xf32>
  %wv = vernier.get_param @wv : tensor<4x8xf32>
  %v = vernier.linear %h, %wv : (tensor<2x5x8xf32>, tensor<4x8xf32>) -> tensor<2x5x4xf32>
  %qh = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [2, 5, 2, 4] : tensor<2x5x8xf32> into tensor<2x5x2x4xf32>
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [2, 5, 1, 4] : tensor<2x5x4xf32> into tensor<2x5x1x4xf32>
  %vh = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [2, 5, 1, 4] : tensor<2x5x4xf32> into tensor<2x5x1x4xf32>
  %qr = vernier.rope %qh theta 1.0e4 : tensor<2x5x2x4xf32> -> tensor<2x5x2x4xf32>
  %kr = vernier.rope %kh theta 1.0e4 : tensor<2x5x1x4xf32> -> tensor<2x5x1x4xf32>
  %a, %lse = vernier.attention %qr, %kr, %vh scale 0.5 causal : (tensor<2x5x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>) -> (tensor<2x5x2x4xf32>, tensor<2x5x2xf32>)
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<2x5x2x4xf32> into tensor<2x5x8xf32>
  %wo = vernier.get_param @wo : tensor<8x8xf32>
  %o = vernier.linear %c, %wo : (tensor<2x5x8xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
  %p.n = vernier.rms_norm %o epsilon 1.0e-6 : tensor<2x5x8xf32> -> tensor<2x5x8xf32>
  %attn_out = vernier.get_param @attn_out : tensor<8xf32>
  %p = vernier.scale %p.n, %attn_out offset 1.0 : (tensor<2x5x8xf32>, tensor<8xf32>) -> tensor<2x5x8xf32>
  %y = vernier.add %x, %p : (tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
  %f.n = vernier.rms_norm %y epsilon 1.0e-6 : tensor<2x5x8xf32> -> tensor<2x5x8xf32>
  %ffn_in = vernier.get_param @ffn_in : tensor<8xf32>
  %f = vernier.scale %f.n, %ffn_in offset 1.0 : (tensor<2x5x8xf32>, tensor<8xf32>) -> tensor<2x5x8xf32>
  %wg = vernier.get_param @wg : tensor<12x8xf32>
  %gate = vernier.linear %f, %wg : (tensor<2x5x8xf32>, tensor<12x8xf32>) -> tensor<2x5x12xf32>
  %wu = vernier.get_param @wu : tensor<12x8xf32>
  %up = vernier.linear %f, %wu : (tensor<2x5x8xf32>, tensor<12x8xf32>) -> tensor<2x5x12xf32>
  %act = vernier.glu gelu_tanh %gate, %up : (tensor<2x5x12xf32>, tensor<2x5x12xf32>) -> tensor<2x5x12xf32>
  %wd = vernier.get_param @wd : tensor<8x12xf32>
  %down = vernier.linear %act, %wd : (tensor<2x5x12xf32>, tensor<8x12xf32>) -> tensor<2x5x8xf32>
  %r.n = vernier.rms_norm %down epsilon 1.0e-6 : tensor<2x5x8xf32> -> tensor<2x5x8xf32>
  %ffn_out = vernier.get_param @ffn_out : tensor<8xf32>
  %r = vernier.scale %r.n, %ffn_out offset 1.0 : (tensor<2x5x8xf32>, tensor<8xf32>) -> tensor<2x5x8xf32>
  %z = vernier.add %y, %r : (tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
  %e.n = vernier.rms_norm %z epsilon 1.0e-6 : tensor<2x5x8xf32> -> tensor<2x5x8xf32>
  %final = vernier.get_param @final : tensor<8xf32>
  %e = vernier.scale %e.n, %final offset 1.0 : (tensor<2x5x8xf32>, tensor<8xf32>) -> tensor<2x5x8xf32>
  %head = vernier.get_param @head : tensor<20x8xf32>
  %logits = vernier.linear %e, %head : (tensor<2x5x8xf32>, tensor<20x8xf32>) -> tensor<2x5x20xf32>
  %n = vernier.count_valid %targets ignore -100 : tensor<2x5xi32> -> tensor<i64>
  %loss, %s = vernier.cross_entropy %logits, %targets, %n ignore -100 : (tensor<2x5x20xf32>, tensor<2x5xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x5xf32>)
  return %loss : tensor<f32>
}
