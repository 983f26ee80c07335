// RUN: vernier-opt %s --split-input-file --verify-diagnostics
// One case for each numbered constraint of the training operations.

// linear_input_grad (1)
func.func @f(%dy: tensor<2x5xf32>, %w: tensor<4x3xf32>) {
  // expected-error @+1 {{weight has shape 4x3, but the last dimension of the output gradient is 5}}
  %0 = vernier.linear_input_grad %dy, %w : (tensor<2x5xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
func.func @f(%dy: tensor<2x5xf32>, %w: tensor<5xf32>) {
  // expected-error @+1 {{weight has shape 5, but 2 dimensions are needed}}
  %0 = vernier.linear_input_grad %dy, %w : (tensor<2x5xf32>, tensor<5xf32>) -> tensor<2xf32>
  return
}

// -----
func.func @f(%dy: tensor<f32>, %w: tensor<1x3xf32>) {
  // expected-error @+1 {{output gradient is a scalar, but a last dimension is needed}}
  %0 = vernier.linear_input_grad %dy, %w : (tensor<f32>, tensor<1x3xf32>) -> tensor<3xf32>
  return
}

// -----
// linear_input_grad (2)
func.func @f(%dy: tensor<2x5xf32>, %w: tensor<5x3xf32>) {
  // expected-error @+1 {{result has shape 2x5, but 2x3 is needed}}
  %0 = vernier.linear_input_grad %dy, %w : (tensor<2x5xf32>, tensor<5x3xf32>) -> tensor<2x5xf32>
  return
}

// -----
// linear_weight_grad (1)
func.func @f(%dy: tensor<2x5xf32>, %x: tensor<3x4xf32>) {
  // expected-error @+1 {{input has leading dimensions 3, but 2 is needed}}
  %0 = vernier.linear_weight_grad %dy, %x : (tensor<2x5xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  return
}

// -----
func.func @f(%dy: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error @+1 {{output gradient is a scalar, but a last dimension is needed}}
  %0 = vernier.linear_weight_grad %dy, %x : (tensor<f32>, tensor<4xf32>) -> tensor<1x4xf32>
  return
}

// -----
func.func @f(%dy: tensor<5xf32>, %x: tensor<f32>) {
  // expected-error @+1 {{input is a scalar, but a last dimension is needed}}
  %0 = vernier.linear_weight_grad %dy, %x : (tensor<5xf32>, tensor<f32>) -> tensor<5x1xf32>
  return
}

// -----
// linear_weight_grad (2)
func.func @f(%dy: tensor<2x5xf32>, %x: tensor<2x4xf32>) {
  // expected-error @+1 {{result has shape 4x5, but 5x4 is needed}}
  %0 = vernier.linear_weight_grad %dy, %x : (tensor<2x5xf32>, tensor<2x4xf32>) -> tensor<4x5xf32>
  return
}

// -----
// column_sum (1)
func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{result has shape 2, but 4 is needed}}
  %0 = vernier.column_sum %x : tensor<2x4xf32> -> tensor<2xf32>
  return
}

// -----
func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{input is a scalar, but a last dimension is needed}}
  %0 = vernier.column_sum %x : tensor<f32> -> tensor<f32>
  return
}

// -----
// row_sum (1)
func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{result has shape 4, but 2 is needed}}
  %0 = vernier.row_sum %x : tensor<2x4xf32> -> tensor<4xf32>
  return
}

// -----
func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{input is a scalar, but a last dimension is needed}}
  %0 = vernier.row_sum %x : tensor<f32> -> tensor<f32>
  return
}

// -----
// embedding_grad (1)
func.func @f(%dy: tensor<2x5xf32>, %ids: tensor<2xi32>, %t: tensor<9x4xf32>) {
  // expected-error @+1 {{output gradient has shape 2x5, but 2x4 is needed}}
  %0 = vernier.embedding_grad %dy, %ids into %t : (tensor<2x5xf32>, tensor<2xi32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  return
}

// -----
// embedding_grad (2)
func.func @f(%dy: tensor<2x4xf32>, %ids: tensor<2xi32>, %t: tensor<9x4xf32>) {
  // expected-error @+1 {{result has shape 9x5, but into has 9x4}}
  %0 = vernier.embedding_grad %dy, %ids into %t : (tensor<2x4xf32>, tensor<2xi32>, tensor<9x4xf32>) -> tensor<9x5xf32>
  return
}

// -----
func.func @f(%dy: tensor<2x4xf32>, %ids: tensor<2xi32>, %t: tensor<4xf32>) {
  // expected-error @+1 {{into has shape 4, but 2 dimensions are needed}}
  %0 = vernier.embedding_grad %dy, %ids into %t : (tensor<2x4xf32>, tensor<2xi32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// rms_norm_grad (1)
func.func @f(%dy: tensor<2x5xf32>, %x: tensor<2x4xf32>) {
  // expected-error @+1 {{output gradient has shape 2x5, but input has 2x4}}
  %0 = vernier.rms_norm_grad %dy, %x epsilon 1.0e-5 : (tensor<2x5xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{result has shape 2x5, but input has 2x4}}
  %0 = vernier.rms_norm_grad %x, %x epsilon 1.0e-5 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x5xf32>
  return
}

// -----
// rms_norm_grad (2)
func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{epsilon is 0, but must be positive and finite}}
  %0 = vernier.rms_norm_grad %x, %x epsilon 0.0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{input is a scalar, but a last dimension is needed}}
  %0 = vernier.rms_norm_grad %x, %x epsilon 1.0e-5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----
// layer_norm_grad (1)
func.func @f(%dy: tensor<2x5xf32>, %x: tensor<2x4xf32>) {
  // expected-error @+1 {{output gradient has shape 2x5, but input has 2x4}}
  %0 = vernier.layer_norm_grad %dy, %x epsilon 1.0e-5 : (tensor<2x5xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{result has shape 2x5, but input has 2x4}}
  %0 = vernier.layer_norm_grad %x, %x epsilon 1.0e-5 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x5xf32>
  return
}

// -----
// layer_norm_grad (2)
func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{epsilon is 0, but must be positive and finite}}
  %0 = vernier.layer_norm_grad %x, %x epsilon 0.0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
// attention_grad (1) to (7): those of attention
func.func @f(%q: tensor<2x4x6x8xf32>, %l: tensor<2x6x4xf32>) {
  // expected-error @+1 {{log_sum_exp has shape 2x6x4, but 2x4x6 is needed}}
  %0, %1, %2 = vernier.attention_grad %q, %q, %q, %q, %q, %l scale 1.0 causal : (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x6x4xf32>) -> (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>)
  return
}

// -----
func.func @f(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x3x8xf32>, %o: tensor<2x4x6x8xf32>, %l: tensor<2x4x6xf32>) {
  // expected-error @+1 {{scale is -1, but must be positive and finite}}
  %0, %1, %2 = vernier.attention_grad %q, %q, %k, %k, %o, %l scale -1.0 causal : (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6xf32>) -> (tensor<2x4x6x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>)
  return
}

// -----
// attention_grad (8)
func.func @f(%d: tensor<2x4x6x7xf32>, %q: tensor<2x4x6x8xf32>, %l: tensor<2x4x6xf32>) {
  // expected-error @+1 {{output gradient has shape 2x4x6x7, but query has 2x4x6x8}}
  %0, %1, %2 = vernier.attention_grad %d, %q, %q, %q, %q, %l scale 1.0 causal : (tensor<2x4x6x7xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6xf32>) -> (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>)
  return
}

// -----
func.func @f(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x3x8xf32>, %o: tensor<2x4x6x7xf32>, %l: tensor<2x4x6xf32>) {
  // expected-error @+1 {{output has shape 2x4x6x7, but query has 2x4x6x8}}
  %0, %1, %2 = vernier.attention_grad %q, %q, %k, %k, %o, %l scale 1.0 causal : (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x6x7xf32>, tensor<2x4x6xf32>) -> (tensor<2x4x6x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>)
  return
}

// -----
// attention_grad (9)
func.func @f(%q: tensor<2x4x6x8xf32>, %l: tensor<2x4x6xf32>) {
  // expected-error @+1 {{key gradient has shape 2x4x3x8, but key has 2x4x6x8}}
  %0, %1, %2 = vernier.attention_grad %q, %q, %q, %q, %q, %l scale 1.0 causal : (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6xf32>) -> (tensor<2x4x6x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x6x8xf32>)
  return
}

// -----
func.func @f(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x3x8xf32>, %o: tensor<2x4x6x8xf32>, %l: tensor<2x4x6xf32>) {
  // expected-error @+1 {{query gradient has shape 2x4x3x8, but query has 2x4x6x8}}
  %0, %1, %2 = vernier.attention_grad %q, %q, %k, %k, %o, %l scale 1.0 causal : (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6xf32>) -> (tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>)
  return
}

// -----
func.func @f(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x3x8xf32>, %o: tensor<2x4x6x8xf32>, %l: tensor<2x4x6xf32>) {
  // expected-error @+1 {{value gradient has shape 2x4x6x8, but key has 2x4x3x8}}
  %0, %1, %2 = vernier.attention_grad %q, %q, %k, %k, %o, %l scale 1.0 causal : (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6xf32>) -> (tensor<2x4x6x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x6x8xf32>)
  return
}

// -----
// glu_grad (1)
func.func @f(%x: tensor<2x4xf32>, %y: tensor<2x5xf32>) {
  // expected-error @+1 {{output gradient has shape 2x5, but gate has 2x4}}
  %0, %1 = vernier.glu_grad silu %y, %x, %x : (tensor<2x5xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----
func.func @f(%x: tensor<2x4xf32>, %u: tensor<2x5xf32>) {
  // expected-error @+1 {{up has shape 2x5, but gate has 2x4}}
  %0, %1 = vernier.glu_grad silu %x, %x, %u : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x5xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----
func.func @f(%x: tensor<2x4xf32>, %u: tensor<2x4xf32>) {
  // expected-error @+1 {{gate gradient has shape 2x5, but gate has 2x4}}
  %0, %1 = vernier.glu_grad silu %x, %x, %u : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x5xf32>, tensor<2x4xf32>)
  return
}

// -----
func.func @f(%x: tensor<2x4xf32>, %u: tensor<2x4xf32>) {
  // expected-error @+1 {{up gradient has shape 2x5, but gate has 2x4}}
  %0, %1 = vernier.glu_grad silu %x, %x, %u : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x5xf32>)
  return
}

// -----
// scale_from_direction_grad (3)
func.func @f(%y: tensor<5xf32>, %a: tensor<4xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{output gradient has shape 5, but direction has 4}}
  %0, %1 = vernier.scale_from_direction_grad original %y, %a, %b : (tensor<5xf32>, tensor<4xf32>, tensor<1xf32>) -> (tensor<4xf32>, tensor<1xf32>)
  return
}

// -----
func.func @f(%y: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{magnitude has shape 2, but 1 is needed}}
  %0, %1 = vernier.scale_from_direction_grad original %y, %a, %b : (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<1xf32>)
  return
}

// -----
func.func @f(%y: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{direction gradient has shape 5, but direction has 4}}
  %0, %1 = vernier.scale_from_direction_grad original %y, %a, %b : (tensor<4xf32>, tensor<4xf32>, tensor<1xf32>) -> (tensor<5xf32>, tensor<1xf32>)
  return
}

// -----
func.func @f(%y: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{magnitude gradient has shape 4, but magnitude has 1}}
  %0, %1 = vernier.scale_from_direction_grad original %y, %a, %b : (tensor<4xf32>, tensor<4xf32>, tensor<1xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
func.func @f(%y: tensor<2x4xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{direction has shape 2x4, but 1 dimension is needed}}
  %0, %1 = vernier.scale_from_direction_grad original %y, %y, %b : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<1xf32>) -> (tensor<2x4xf32>, tensor<1xf32>)
  return
}

// -----
// cross_entropy_grad (1)
func.func @f(%d: tensor<f32>, %x: tensor<2x9xf32>, %t: tensor<3xi32>, %l: tensor<2xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{logits has leading dimensions 2, but 3 is needed}}
  %0 = vernier.cross_entropy_grad %d, %x, %t, %l, %n ignore -100 : (tensor<f32>, tensor<2x9xf32>, tensor<3xi32>, tensor<2xf32>, tensor<i64>) -> tensor<2x9xf32>
  return
}

// -----
func.func @f(%d: tensor<f32>, %x: tensor<2x9xf32>, %t: tensor<2xi32>, %l: tensor<3xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{log_sum_exp has shape 3, but targets has 2}}
  %0 = vernier.cross_entropy_grad %d, %x, %t, %l, %n ignore -100 : (tensor<f32>, tensor<2x9xf32>, tensor<2xi32>, tensor<3xf32>, tensor<i64>) -> tensor<2x9xf32>
  return
}

// -----
// cross_entropy_grad (2)
func.func @f(%d: tensor<f32>, %x: tensor<2x9xf32>, %t: tensor<2xi32>, %l: tensor<2xf32>, %n: tensor<i64>) {
  // expected-error @+1 {{result has shape 2x8, but logits has 2x9}}
  %0 = vernier.cross_entropy_grad %d, %x, %t, %l, %n ignore -100 : (tensor<f32>, tensor<2x9xf32>, tensor<2xi32>, tensor<2xf32>, tensor<i64>) -> tensor<2x8xf32>
  return
}

// -----
// global_norm (1)
func.func @f() {
  // expected-error @+1 {{has no gradients}}
  %0 = vernier.global_norm : () -> tensor<f64>
  return
}

// -----
// clip_factor (1)
func.func @f(%n: tensor<f64>) {
  // expected-error @+1 {{max is 0, but must be positive and finite}}
  %0 = vernier.clip_factor %n max 0.0 : tensor<f64> -> tensor<f32>
  return
}

// -----
// adamw (1)
func.func @f(%p: tensor<4xf32>, %g: tensor<5xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{gradient has shape 5, but parameter has 4}}
  %0, %1, %2 = vernier.adamw %p, %p, %p, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<5xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
func.func @f(%p: tensor<4xf32>, %m: tensor<5xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{first moment has shape 5, but parameter has 4}}
  %0, %1, %2 = vernier.adamw %p, %m, %v, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : (tensor<4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
func.func @f(%p: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<5xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{second moment has shape 5, but parameter has 4}}
  %0, %1, %2 = vernier.adamw %p, %m, %v, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : (tensor<4xf32>, tensor<4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
func.func @f(%p: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{new parameter has shape 5, but parameter has 4}}
  %0, %1, %2 = vernier.adamw %p, %m, %v, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<5xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
func.func @f(%p: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{new first moment has shape 5, but parameter has 4}}
  %0, %1, %2 = vernier.adamw %p, %m, %v, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<5xf32>, tensor<4xf32>)
  return
}

// -----
func.func @f(%p: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{new second moment has shape 5, but parameter has 4}}
  %0, %1, %2 = vernier.adamw %p, %m, %v, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<5xf32>)
  return
}

// -----
// adamw (2)
func.func @f(%p: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{beta1 is 1.000000e+00, but must be at least 0 and below 1}}
  %0, %1, %2 = vernier.adamw %p, %p, %p, %g, %s, %r, %r beta1 1.0 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
// adamw (2)
func.func @f(%p: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{beta2 is -1.000000e-01, but must be at least 0 and below 1}}
  %0, %1, %2 = vernier.adamw %p, %p, %p, %g, %s, %r, %r beta1 0.9 beta2 -0.1 epsilon 1.0e-8 weight_decay 0.1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
// adamw (2)
func.func @f(%p: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{epsilon is 0, but must be positive and finite}}
  %0, %1, %2 = vernier.adamw %p, %p, %p, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 0.0 weight_decay 0.1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
// adamw (2)
func.func @f(%p: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{weight_decay is -1.000000e+00, but must be finite and not negative}}
  %0, %1, %2 = vernier.adamw %p, %p, %p, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay -1.0 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
// adamw (2)
func.func @f(%p: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{weight_decay is INF, but must be finite and not negative}}
  %0, %1, %2 = vernier.adamw %p, %m, %v, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0x7FF0000000000000 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
// adamw (2)
func.func @f(%p: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{toward is INF, but must be finite}}
  %0, %1, %2 = vernier.adamw %p, %m, %v, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 toward 0x7FF0000000000000 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
// adamw (3)
func.func @f(%p: tensor<4xbf16>, %m: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float values, but got 'tensor<4xbf16>'}}
  %0, %1, %2 = vernier.adamw %p, %m, %v, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : (tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
func.func @f(%p: tensor<4xf32>, %m: tensor<4xbf16>, %v: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float values, but got 'tensor<4xbf16>'}}
  %0, %1, %2 = vernier.adamw %p, %m, %v, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : (tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
func.func @f(%p: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xbf16>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit float values, but got 'tensor<4xbf16>'}}
  %0, %1, %2 = vernier.adamw %p, %m, %v, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
func.func @f(%p: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float values, but got 'tensor<4xbf16>'}}
  %0, %1, %2 = vernier.adamw %p, %m, %v, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----
func.func @f(%p: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{result #1 must be statically shaped tensor of 32-bit float values, but got 'tensor<4xbf16>'}}
  %0, %1, %2 = vernier.adamw %p, %m, %v, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>)
  return
}

// -----
func.func @f(%p: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>, %s: tensor<i64>, %r: tensor<f32>) {
  // expected-error @+1 {{result #2 must be statically shaped tensor of 32-bit float values, but got 'tensor<4xbf16>'}}
  %0, %1, %2 = vernier.adamw %p, %m, %v, %g, %s, %r, %r beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>)
  return
}
