// RUN: vernier-opt %s --split-input-file --verify-diagnostics --vernier-split-loss

// expected-error @below {{the module has no loss: expected a function 'loss' with a body}}
module {
  func.func @lost(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) { return }
}

// -----

// expected-error @below {{'loss' must take ids and targets, two tensors of i32 of the same static shape, not empty, but takes ('tensor<2x3xi32>')}}
func.func @loss(%ids: tensor<2x3xi32>) -> tensor<f32> {
  %l = arith.constant dense<0.0> : tensor<f32>
  return %l : tensor<f32>
}

// -----

// expected-error @below {{two tensors of i32 of the same static shape, not empty, but takes ('tensor<2x3xi32>', 'tensor<2x4xi32>')}}
func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x4xi32>) -> tensor<f32> {
  %l = arith.constant dense<0.0> : tensor<f32>
  return %l : tensor<f32>
}

// -----

// expected-error @below {{'loss' must return the loss as 'tensor<f32>', but returns ('tensor<f64>')}}
func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f64> {
  %l = arith.constant dense<0.0> : tensor<f64>
  return %l : tensor<f64>
}

// -----

// expected-error @below {{'loss' must return the loss as 'tensor<f32>', but returns ()}}
func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) { return }

// -----

// expected-error @below {{'loss' must be one block, but has 2}}
func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
  cf.br ^next
^next:
  %l = arith.constant dense<0.0> : tensor<f32>
  return %l : tensor<f32>
}

// -----

func.func private @other() -> tensor<f32>
func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
  // expected-error @below {{'func.call' op may have side effects, which a loss must not have}}
  %l = func.call @other() : () -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// expected-error @below {{the loss does not depend on ids or targets}}
func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
  %l = arith.constant dense<0.0> : tensor<f32>
  return %l : tensor<f32>
}

// -----

vernier.param @used : tensor<16x4xf32> kind(embedding) decay(decay) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"used">])
// expected-note @below {{parameter 'unread'}}
vernier.param @unread : tensor<4xf32> kind(scale) decay(none) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"unread">])
// expected-note @below {{parameter 'without.effect'}}
vernier.param @without.effect : tensor<4xf32> kind(scale) decay(none) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"without.effect">])
// expected-error @below {{the loss does not depend on 2 parameters, which cannot be trained}}
func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
  %w = vernier.get_param @used : tensor<16x4xf32>
  %s = vernier.get_param @without.effect : tensor<4xf32>
  %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
  %dead = vernier.scale %x, %s : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %l = vernier.linear %x, %w : (tensor<2x3x4xf32>, tensor<16x4xf32>) -> tensor<2x3x16xf32>
  %n = vernier.count_valid %targets ignore -100 : tensor<2x3xi32> -> tensor<i64>
  %loss, %lse = vernier.cross_entropy %l, %targets, %n ignore -100
      : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  return %loss : tensor<f32>
}

// -----

vernier.param @e : tensor<16x4xf32> kind(embedding) decay(decay) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"e">])
func.func @loss(%targets: tensor<2x3xi32>, %ids: tensor<2x3xi32>) -> tensor<f32> {
  %e = vernier.get_param @e : tensor<16x4xf32>
  // expected-error @below {{reads the second argument of 'loss', the targets, which only vernier.cross_entropy and count_valid may}}
  %x = vernier.embedding %ids, %e : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
  %l = arith.constant dense<0.0> : tensor<f32>
  return %l : tensor<f32>
}

// -----

// expected-error @below {{two tensors of i32 of the same static shape, not empty, but takes ('tensor<0x3xi32>', 'tensor<0x3xi32>')}}
func.func @loss(%ids: tensor<0x3xi32>, %targets: tensor<0x3xi32>) -> tensor<f32> {
  %l = arith.constant dense<0.0> : tensor<f32>
  return %l : tensor<f32>
}
