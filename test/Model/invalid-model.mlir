// RUN: vernier-opt %s --split-input-file --verify-diagnostics
// One case for each numbered constraint of the model operations.

// param (1)
// expected-error @+1 {{has type 'tensor<4xbf16>', but a static, non-empty tensor of f32 is needed}}
vernier.param @p : tensor<4xbf16> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"p">])

// -----
// expected-error @+1 {{has type 'tensor<0xf32>', but a static, non-empty tensor of f32 is needed}}
vernier.param @p : tensor<0xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"p">])

// -----
// param (2)
// expected-error @+1 {{of kind matrix has shape 4, but two dimensions are needed}}
vernier.param @p : tensor<4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"p">])

// -----
// expected-error @+1 {{of kind bias has shape 4x4, but one dimension is needed}}
vernier.param @p : tensor<4x4xf32> kind(bias) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"p">])

// -----
// expected-error @+1 {{of kind magnitude has shape 4, but one entry is needed}}
vernier.param @p : tensor<4xf32> kind(magnitude) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"p">])

// -----
// param (3)
// expected-error @+1 {{is stored nowhere: 'stored' is empty}}
vernier.param @p : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([])

// -----
// expected-error @+1 {{is stored as rows 3 to 2 of 'q', which is no range}}
vernier.param @p : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"q", rows = 3 to 2>])

// -----
// expected-error @+1 {{is stored as 5 rows, but has shape 4}}
vernier.param @p : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"q", rows = 0 to 5>])

// -----
// param (4)
// expected-error @+1 {{has initializer 1 : i32, but #vernier.constant, #vernier.normal or #vernier.residual_normal is needed}}
vernier.param @p : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(1 : i32) stored([#vernier.stored<"p">])

// -----
// param (4): #vernier.normal (1)
// expected-error @+1 {{mean is nan, but must be finite}}
vernier.param @p : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0x7FF8000000000000 : f64, std = 0.02 : f64>) stored([#vernier.stored<"p">])

// -----
// param (4): #vernier.normal (2)
// expected-error @+1 {{std is INF, but must be finite and not negative}}
vernier.param @p : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0x7FF0000000000000 : f64>) stored([#vernier.stored<"p">])

// -----
// expected-error @+1 {{std is -2.000000e-02, but must be finite and not negative}}
vernier.param @p : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = -0.02 : f64>) stored([#vernier.stored<"p">])

// -----
// param (4): #vernier.residual_normal (1)
// expected-error @+1 {{std is -1.000000e+00, but must be finite and not negative}}
vernier.param @p : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.residual_normal<std = -1.0 : f64, layers = 6>) stored([#vernier.stored<"p">])

// -----
// param (4): #vernier.residual_normal (2)
// expected-error @+1 {{layers is 0, but must be at least 1}}
vernier.param @p : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.residual_normal<std = 0.02 : f64, layers = 0>) stored([#vernier.stored<"p">])

// -----
// param (5)
// expected-error @+1 {{decays toward INF, but must do so toward a finite number}}
vernier.param @p : tensor<4xf32> kind(scale) decay(decay) toward(0x7FF0000000000000) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"p">])

// -----
// No parameter without a kind and a group.
// expected-error @+1 {{expected 'kind'}}
vernier.param @p : tensor<4xf32> decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"p">])

// -----
// expected-error @+1 {{expected 'decay'}}
vernier.param @p : tensor<4xf32> kind(scale) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"p">])

// -----
// expected-error @+1 {{requires attribute 'decay'}}
"vernier.param"() {sym_name = "p", type = tensor<4xf32>, kind = #vernier.kind<scale>, optimizer = #vernier.optimizer<adamw>, initializer = #vernier.constant<1.0 : f64>, stored = [#vernier.stored<"p">]} : () -> ()

// -----
// get_param (1)
func.func @f() -> tensor<4xf32> {
  // expected-error @+1 {{'missing' is not a vernier.param of this module}}
  %0 = vernier.get_param @missing : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
// get_param (2)
vernier.param @p : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"p">])
func.func @f() -> tensor<5xf32> {
  // expected-error @+1 {{reads parameter 'p' of type 'tensor<4xf32>' as 'tensor<5xf32>'}}
  %0 = vernier.get_param @p : tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----
// embedding (1)
func.func @f(%ids: tensor<2xi32>, %t: tensor<4xf32>) {
  // expected-error @+1 {{table has shape 4, but 2 dimensions are needed}}
  %0 = vernier.embedding %ids, %t : (tensor<2xi32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----
// embedding (2)
func.func @f(%ids: tensor<2xi32>, %t: tensor<4x5xf32>) {
  // expected-error @+1 {{result has shape 2x4, but 2x5 is needed}}
  %0 = vernier.embedding %ids, %t : (tensor<2xi32>, tensor<4x5xf32>) -> tensor<2x4xf32>
  return
}

// -----
// embedding (3)
func.func @f(%ids: tensor<0x2xi32>, %t: tensor<4x5xf32>) {
  // expected-error @+1 {{ids has shape 0x2, but at least one token is needed}}
  %0 = vernier.embedding %ids, %t : (tensor<0x2xi32>, tensor<4x5xf32>) -> tensor<0x2x5xf32>
  return
}

// -----
// Numbers are positive as f32 too, which has nothing between 0 and 1.4e-45.
func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{must be positive and finite in f32}}
  %0 = vernier.rms_norm %x epsilon 1.0e-300 : tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----
// Ids are i32.
func.func @f(%ids: tensor<2xi64>, %t: tensor<4x5xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit signless integer values, but got 'tensor<2xi64>'}}
  %0 = vernier.embedding %ids, %t : (tensor<2xi64>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----
// linear (1)
func.func @f(%x: tensor<2x4xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{weight has shape 4, but 2 dimensions are needed}}
  %0 = vernier.linear %x, %w : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----
// linear (2): nothing to be the last dimension.
func.func @f(%x: tensor<f32>, %w: tensor<3x4xf32>) {
  // expected-error @+1 {{input is a scalar, but a last dimension is needed}}
  %0 = vernier.linear %x, %w : (tensor<f32>, tensor<3x4xf32>) -> tensor<3xf32>
  return
}

// -----
// linear (2): a parameter used with another shape.
func.func @f(%x: tensor<2x4xf32>, %w: tensor<3x5xf32>) {
  // expected-error @+1 {{weight has shape 3x5, but the last dimension of the input is 4}}
  %0 = vernier.linear %x, %w : (tensor<2x4xf32>, tensor<3x5xf32>) -> tensor<2x3xf32>
  return
}

// -----
// linear (3)
func.func @f(%x: tensor<2x4xf32>, %w: tensor<3x4xf32>) {
  // expected-error @+1 {{result has shape 2x4, but 2x3 is needed}}
  %0 = vernier.linear %x, %w : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
// linear (4)
func.func @f(%x: tensor<2x4xf32>, %w: tensor<3x4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{bias has shape 4, but 3 is needed}}
  %0 = vernier.linear %x, %w bias %b : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----
// rms_norm (1)
func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{result has shape 2x5, but input has 2x4}}
  %0 = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x5xf32>
  return
}

// -----
func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{input is a scalar, but a last dimension is needed}}
  %0 = vernier.rms_norm %x epsilon 1.0e-5 : tensor<f32> -> tensor<f32>
  return
}

// -----
// rms_norm (2)
func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{epsilon is 0, but must be positive and finite}}
  %0 = vernier.rms_norm %x epsilon 0.0 : tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----
// layer_norm (1)
func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{result has shape 4x2, but input has 2x4}}
  %0 = vernier.layer_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<4x2xf32>
  return
}

// -----
// layer_norm (2)
func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{epsilon is -1, but must be positive and finite}}
  %0 = vernier.layer_norm %x epsilon -1.0 : tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----
// scale (1)
func.func @f(%x: tensor<2x4xf32>, %g: tensor<5xf32>) {
  // expected-error @+1 {{scale vector has 5 entries, but the last dimension of the input is 4}}
  %0 = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<5xf32>) -> tensor<2x4xf32>
  return
}

// -----
func.func @f(%x: tensor<2x4xf32>, %g: tensor<2x4xf32>) {
  // expected-error @+1 {{scale vector has shape 2x4, but 1 dimension is needed}}
  %0 = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
func.func @f(%x: tensor<f32>, %g: tensor<1xf32>) {
  // expected-error @+1 {{input is a scalar, but a last dimension is needed}}
  %0 = vernier.scale %x, %g : (tensor<f32>, tensor<1xf32>) -> tensor<f32>
  return
}

// -----
// scale (2)
func.func @f(%x: tensor<2x4xf32>, %g: tensor<4xf32>) {
  // expected-error @+1 {{result has shape 4x4, but input has 2x4}}
  %0 = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----
// scale_rows (1)
func.func @f(%x: tensor<2x3x4xf32>, %g: tensor<2xf32>) {
  // expected-error @+1 {{input has shape 2x3x4, but 2 dimensions are needed}}
  %0 = vernier.scale_rows %x, %g : (tensor<2x3x4xf32>, tensor<2xf32>) -> tensor<2x3x4xf32>
  return
}

// -----
// scale_rows (2)
func.func @f(%x: tensor<2x4xf32>, %g: tensor<4xf32>) {
  // expected-error @+1 {{scale vector has 4 entries, but the first dimension of the input is 2}}
  %0 = vernier.scale_rows %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----
func.func @f(%x: tensor<2x4xf32>, %g: tensor<2x1xf32>) {
  // expected-error @+1 {{scale vector has shape 2x1, but 1 dimension is needed}}
  %0 = vernier.scale_rows %x, %g : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return
}

// -----
// scale_rows (3)
func.func @f(%x: tensor<2x4xf32>, %g: tensor<2xf32>) {
  // expected-error @+1 {{result has shape 2x2, but input has 2x4}}
  %0 = vernier.scale_rows %x, %g : (tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return
}

// -----
// add (1)
func.func @f(%x: tensor<2x4xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{right operand has shape 4, but left operand has 2x4}}
  %0 = vernier.add %x, %y : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----
func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{result has shape 8, but left operand has 2x4}}
  %0 = vernier.add %x, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<8xf32>
  return
}

// -----
// mul (1)
func.func @f(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+1 {{result has shape 8, but left operand has 2x4}}
  %0 = vernier.mul %x, %y : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<8xf32>
  return
}

// -----
func.func @f(%x: tensor<2x4xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{right operand has shape 4, but left operand has 2x4}}
  %0 = vernier.mul %x, %y : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----
// rope (1)
func.func @f(%x: tensor<2x4x8xf32>) {
  // expected-error @+1 {{input has shape 2x4x8, but 4 dimensions are needed}}
  %0 = vernier.rope %x theta 1.0e4 : tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  return
}

// -----
func.func @f(%x: tensor<2x4x8x6xf32>) {
  // expected-error @+1 {{result has shape 2x4x6x8, but input has 2x4x8x6}}
  %0 = vernier.rope %x theta 1.0e4 : tensor<2x4x8x6xf32> -> tensor<2x4x6x8xf32>
  return
}

// -----
// rope (2)
func.func @f(%x: tensor<2x4x8x5xf32>) {
  // expected-error @+1 {{head_dim is 5, but must be even}}
  %0 = vernier.rope %x theta 1.0e4 : tensor<2x4x8x5xf32> -> tensor<2x4x8x5xf32>
  return
}

// -----
// rope (3)
func.func @f(%x: tensor<2x4x8x6xf32>) {
  // expected-error @+1 {{theta is -2, but must be positive and finite}}
  %0 = vernier.rope %x theta -2.0 : tensor<2x4x8x6xf32> -> tensor<2x4x8x6xf32>
  return
}

// -----
// rope (4): #vernier.rope_llama3 (1)
func.func @f(%x: tensor<2x4x8x6xf32>) {
  // expected-error @+1 {{factor is -1.000000e+00, but must be positive and finite}}
  %0 = vernier.rope %x theta 1.0e4 scaling <factor = -1.0 : f64, low_freq_factor = 1.0 : f64, high_freq_factor = 4.0 : f64, original_context = 128> : tensor<2x4x8x6xf32> -> tensor<2x4x8x6xf32>
  return
}

// -----
func.func @f(%x: tensor<2x4x8x6xf32>) {
  // expected-error @+1 {{low_freq_factor is 0.000000e+00, but must be positive and finite}}
  %0 = vernier.rope %x theta 1.0e4 scaling <factor = 8.0 : f64, low_freq_factor = 0.0 : f64, high_freq_factor = 4.0 : f64, original_context = 128> : tensor<2x4x8x6xf32> -> tensor<2x4x8x6xf32>
  return
}

// -----
func.func @f(%x: tensor<2x4x8x6xf32>) {
  // expected-error @+1 {{high_freq_factor is INF, but must be positive and finite}}
  %0 = vernier.rope %x theta 1.0e4 scaling <factor = 8.0 : f64, low_freq_factor = 1.0 : f64, high_freq_factor = 0x7FF0000000000000 : f64, original_context = 128> : tensor<2x4x8x6xf32> -> tensor<2x4x8x6xf32>
  return
}

// -----
// rope (4): #vernier.rope_llama3 (2)
func.func @f(%x: tensor<2x4x8x6xf32>) {
  // expected-error @+1 {{high_freq_factor is 4.000000e+00, but must be above low_freq_factor, 4.000000e+00}}
  %0 = vernier.rope %x theta 1.0e4 scaling <factor = 8.0 : f64, low_freq_factor = 4.0 : f64, high_freq_factor = 4.0 : f64, original_context = 128> : tensor<2x4x8x6xf32> -> tensor<2x4x8x6xf32>
  return
}

// -----
// rope (4): #vernier.rope_llama3 (3)
func.func @f(%x: tensor<2x4x8x6xf32>) {
  // expected-error @+1 {{original_context is 0, but must be at least 1}}
  %0 = vernier.rope %x theta 1.0e4 scaling <factor = 8.0 : f64, low_freq_factor = 1.0 : f64, high_freq_factor = 4.0 : f64, original_context = 0> : tensor<2x4x8x6xf32> -> tensor<2x4x8x6xf32>
  return
}

// -----
// attention (1)
func.func @f(%q: tensor<2x4x8x6xf32>, %k: tensor<2x4x8x6xf32>, %v: tensor<2x4x4x6xf32>) {
  // expected-error @+1 {{value has shape 2x4x4x6, but key has 2x4x8x6}}
  %0, %1 = vernier.attention %q, %k, %v scale 1.0 : (tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>, tensor<2x4x4x6xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  return
}

// -----
func.func @f(%q: tensor<4x8x6xf32>, %k: tensor<2x4x8x6xf32>) {
  // expected-error @+1 {{query has shape 4x8x6, but 4 dimensions are needed}}
  %0, %1 = vernier.attention %q, %k, %k scale 1.0 : (tensor<4x8x6xf32>, tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>) -> (tensor<4x8x6xf32>, tensor<4x8xf32>)
  return
}

// -----
func.func @f(%q: tensor<2x4x8x6xf32>, %k: tensor<4x8x6xf32>) {
  // expected-error @+1 {{key has shape 4x8x6, but 4 dimensions are needed}}
  %0, %1 = vernier.attention %q, %k, %k scale 1.0 : (tensor<2x4x8x6xf32>, tensor<4x8x6xf32>, tensor<4x8x6xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  return
}

// -----
// attention (2)
func.func @f(%q: tensor<2x4x8x6xf32>, %k: tensor<2x5x8x6xf32>) {
  // expected-error @+1 {{sequence of the key is 5, but that of the query is 4}}
  %0, %1 = vernier.attention %q, %k, %k scale 1.0 : (tensor<2x4x8x6xf32>, tensor<2x5x8x6xf32>, tensor<2x5x8x6xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  return
}

// -----
func.func @f(%q: tensor<2x4x8x6xf32>, %k: tensor<3x4x8x6xf32>) {
  // expected-error @+1 {{batch of the key is 3, but that of the query is 2}}
  %0, %1 = vernier.attention %q, %k, %k scale 1.0 : (tensor<2x4x8x6xf32>, tensor<3x4x8x6xf32>, tensor<3x4x8x6xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  return
}

// -----
func.func @f(%q: tensor<2x4x8x6xf32>, %k: tensor<2x4x8x5xf32>) {
  // expected-error @+1 {{head_dim of the key is 5, but that of the query is 6}}
  %0, %1 = vernier.attention %q, %k, %k scale 1.0 : (tensor<2x4x8x6xf32>, tensor<2x4x8x5xf32>, tensor<2x4x8x5xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  return
}

// -----
// attention (3)
func.func @f(%q: tensor<2x4x8x6xf32>, %k: tensor<2x4x3x6xf32>) {
  // expected-error @+1 {{has 8 query heads, which is no multiple of its 3 key heads}}
  %0, %1 = vernier.attention %q, %k, %k scale 1.0 : (tensor<2x4x8x6xf32>, tensor<2x4x3x6xf32>, tensor<2x4x3x6xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  return
}

// -----
// attention (4)
func.func @f(%q: tensor<2x4x8x6xf32>) {
  // expected-error @+1 {{output has shape 2x4x8x5, but query has 2x4x8x6}}
  %0, %1 = vernier.attention %q, %q, %q scale 1.0 : (tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>) -> (tensor<2x4x8x5xf32>, tensor<2x4x8xf32>)
  return
}

// -----
// attention (5)
func.func @f(%q: tensor<2x4x8x6xf32>) {
  // expected-error @+1 {{log_sum_exp has shape 2x8x4, but 2x4x8 is needed}}
  %0, %1 = vernier.attention %q, %q, %q scale 1.0 : (tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x8x4xf32>)
  return
}

// -----
// attention (6)
func.func @f(%q: tensor<2x4x8x6xf32>) {
  // expected-error @+1 {{window is 0, but must be positive}}
  %0, %1 = vernier.attention %q, %q, %q scale 1.0 causal window 0 : (tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  return
}

// -----
func.func @f(%q: tensor<2x4x8x6xf32>) {
  // expected-error @+1 {{has a window, but is not causal}}
  %0, %1 = vernier.attention %q, %q, %q scale 1.0 window 4 : (tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  return
}

// -----
// attention (7)
func.func @f(%q: tensor<2x4x8x6xf32>, %k: tensor<2x4x8x6xf32>) {
  // expected-error @+1 {{scale is 0, but must be positive and finite}}
  %0, %1 = vernier.attention %q, %k, %k scale 0.0 : (tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>, tensor<2x4x8x6xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  return
}

// -----
// glu (1)
func.func @f(%x: tensor<2x4xf32>, %y: tensor<2x5xf32>) {
  // expected-error @+1 {{up has shape 2x5, but gate has 2x4}}
  %0 = vernier.glu silu %x, %y : (tensor<2x4xf32>, tensor<2x5xf32>) -> tensor<2x4xf32>
  return
}

// -----
func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{result has shape 2x5, but gate has 2x4}}
  %0 = vernier.glu silu %x, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x5xf32>
  return
}

// -----
func.func @f(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{unknown keyword 'swish'}}
  %0 = vernier.glu swish %x, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
// cross_entropy (1)
func.func @f(%x: tensor<2x4x9xf32>, %t: tensor<2x5xi32>, %n: tensor<i64>) {
  // expected-error @+1 {{logits has leading dimensions 2x4, but 2x5 is needed}}
  %0, %1 = vernier.cross_entropy %x, %t, %n ignore -100 : (tensor<2x4x9xf32>, tensor<2x5xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x5xf32>)
  return
}

// -----
func.func @f(%x: tensor<f32>, %t: tensor<i32>, %n: tensor<i64>) {
  // expected-error @+1 {{logits is a scalar, but a last dimension is needed}}
  %0, %1 = vernier.cross_entropy %x, %t, %n ignore -100 : (tensor<f32>, tensor<i32>, tensor<i64>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----
func.func @f(%x: tensor<2x4x9xf32>, %t: tensor<2x4xi32>, %n: tensor<i64>) {
  // expected-error @+1 {{log_sum_exp has shape 2x5, but targets has 2x4}}
  %0, %1 = vernier.cross_entropy %x, %t, %n ignore -100 : (tensor<2x4x9xf32>, tensor<2x4xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x5xf32>)
  return
}

// -----
// scale_from_direction (1), (2)
func.func @f(%a: tensor<4xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{magnitude has shape 2, but 1 is needed}}
  %0 = vernier.scale_from_direction original %a, %b : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----
func.func @f(%a: tensor<2x4xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{direction has shape 2x4, but 1 dimension is needed}}
  %0 = vernier.scale_from_direction original %a, %b : (tensor<2x4xf32>, tensor<1xf32>) -> tensor<2x4xf32>
  return
}

// -----
func.func @f(%a: tensor<4xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{result has shape 5, but direction has 4}}
  %0 = vernier.scale_from_direction original %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<5xf32>
  return
}

// -----
func.func @f(%a: tensor<4xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{unknown keyword 'log'}}
  %0 = vernier.scale_from_direction log %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----
// scale_to_direction (1), (2)
func.func @f(%g: tensor<4xf32>) {
  // expected-error @+1 {{scale vector has shape 4, but direction has 5}}
  %0, %1 = vernier.scale_to_direction original %g : (tensor<4xf32>) -> (tensor<5xf32>, tensor<1xf32>)
  return
}

// -----
func.func @f(%g: tensor<2x4xf32>) {
  // expected-error @+1 {{direction has shape 2x4, but 1 dimension is needed}}
  %0, %1 = vernier.scale_to_direction original %g : (tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<1xf32>)
  return
}

// -----
func.func @f(%g: tensor<4xf32>) {
  // expected-error @+1 {{magnitude has shape 4, but 1 is needed}}
  %0, %1 = vernier.scale_to_direction original %g : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}
