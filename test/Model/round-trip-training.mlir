// RUN: vernier-opt %s --verify-roundtrip | FileCheck %s
// The operations that only training graphs have, and slots.

// CHECK-LABEL: func.func @adjoints
// CHECK-SAME: {vernier.slot = #vernier.slot<gradient, "head">}
// CHECK-SAME: {vernier.slot = #vernier.slot<ids>}
func.func @adjoints(%table: tensor<9x4xf32> {vernier.slot = #vernier.slot<gradient, "head">},
                    %ids: tensor<2x3xi32> {vernier.slot = #vernier.slot<ids>}, %dy: tensor<2x3x5xf32>,
                    %x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>, %dloss: tensor<f32>, %logits: tensor<2x3x9xf32>,
                    %lse: tensor<2x3xf32>, %n: tensor<i64>)
    -> (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5xf32>, tensor<9x4xf32>, tensor<2x3x9xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  // CHECK: vernier.linear_input_grad %{{.*}}, %{{.*}} : (tensor<2x3x5xf32>, tensor<5x4xf32>) -> tensor<2x3x4xf32>
  %dx = vernier.linear_input_grad %dy, %w : (tensor<2x3x5xf32>, tensor<5x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: vernier.linear_weight_grad
  %dw = vernier.linear_weight_grad %dy, %x : (tensor<2x3x5xf32>, tensor<2x3x4xf32>) -> tensor<5x4xf32>
  // CHECK: vernier.column_sum %{{.*}} : tensor<2x3x5xf32> -> tensor<5xf32>
  %db = vernier.column_sum %dy : tensor<2x3x5xf32> -> tensor<5xf32>
  // CHECK: vernier.rms_norm_grad
  %dn = vernier.rms_norm_grad %dx, %x epsilon 1.0e-5 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: vernier.layer_norm_grad
  %dl = vernier.layer_norm_grad %dn, %x epsilon 1.0e-5 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: vernier.embedding_grad %{{.*}}, %{{.*}} into %{{.*}} :
  %dt = vernier.embedding_grad %dl, %ids into %table : (tensor<2x3x4xf32>, tensor<2x3xi32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  // CHECK: vernier.cross_entropy_grad
  %dlogits = vernier.cross_entropy_grad %dloss, %logits, %ids, %lse, %n ignore -100
    : (tensor<f32>, tensor<2x3x9xf32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<i64>) -> tensor<2x3x9xf32>
  // CHECK: vernier.glu_grad relu
  %dg, %du = vernier.glu_grad relu %dl, %x, %dx : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>)
  return %dx, %dw, %db, %dt, %dlogits, %dg, %du : tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5xf32>, tensor<9x4xf32>, tensor<2x3x9xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @scales
// CHECK-SAME: {vernier.slot = #vernier.slot<group_norm, "q">}
// CHECK-SAME: {vernier.slot = #vernier.slot<scale_vector, "g">}
func.func @scales(%p: tensor<2x3x4xf32>, %dy: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<1xf32>)
    -> (tensor<2x3xf32> {vernier.slot = #vernier.slot<group_norm, "q">}, tensor<4xf32> {vernier.slot = #vernier.slot<scale_vector, "g">}, tensor<1xf32>) {
  // CHECK: vernier.row_sum %{{.*}} : tensor<2x3x4xf32> -> tensor<2x3xf32>
  %s = vernier.row_sum %p : tensor<2x3x4xf32> -> tensor<2x3xf32>
  // CHECK: vernier.scale_from_direction_grad original %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<1xf32>) -> (tensor<4xf32>, tensor<1xf32>)
  %da, %db = vernier.scale_from_direction_grad original %dy, %a, %b : (tensor<4xf32>, tensor<4xf32>, tensor<1xf32>) -> (tensor<4xf32>, tensor<1xf32>)
  // CHECK: vernier.scale_from_direction_grad exponential squared %{{.*}}, %{{.*}}, %{{.*}} :
  %va, %vb = vernier.scale_from_direction_grad exponential squared %da, %a, %db : (tensor<4xf32>, tensor<4xf32>, tensor<1xf32>) -> (tensor<4xf32>, tensor<1xf32>)
  return %s, %va, %vb : tensor<2x3xf32>, tensor<4xf32>, tensor<1xf32>
}

// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x3x8xf32>, %lse: tensor<2x4x6xf32>) -> tensor<2x4x3x8xf32> {
  // CHECK: vernier.attention_grad {{.*}} scale 2.500000e-01 causal window 2 :
  %dq, %dk, %dv = vernier.attention_grad %q, %q, %k, %k, %q, %lse scale 0.25 causal window 2
    : (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6xf32>)
    -> (tensor<2x4x6x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>)
  return %dk : tensor<2x4x3x8xf32>
}

// CHECK-LABEL: func.func @optimizer
func.func @optimizer(%p: tensor<5x4xf32>, %g: tensor<5x4xf32>, %steps: tensor<i64>, %rate: tensor<f32>) -> tensor<5x4xf32> {
  // CHECK: vernier.global_norm %{{.*}}, %{{.*}} : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<f64>
  %norm = vernier.global_norm %g, %p : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<f64>
  // CHECK: vernier.clip_factor %{{.*}} max 1.000000e+00 : tensor<f64> -> tensor<f32>
  %clip = vernier.clip_factor %norm max 1.0 : tensor<f64> -> tensor<f32>
  // CHECK: vernier.adamw {{.*}} beta1 9.000000e-01 beta2 0.94{{[0-9]*}} epsilon 1.000000e-08 weight_decay 1.000000e-01 toward 1.000000e+00 :
  %p1, %m1, %v1 = vernier.adamw %p, %p, %p, %g, %steps, %rate, %clip
    beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1 toward 1.0
    : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<i64>, tensor<f32>, tensor<f32>)
    -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>)
  return %p1 : tensor<5x4xf32>
}

// Each gradient in bf16: what flows through the model is, statistics (log_sum_exp) and the
// gradient of the loss are f32.
// CHECK-LABEL: func.func @all_of_bf16
func.func @all_of_bf16(%dy: tensor<2x3x5xbf16>, %x: tensor<2x3x4xbf16>, %w: tensor<5x4xbf16>, %ids: tensor<2x3xi32>, %table: tensor<9x4xbf16>,
                       %q: tensor<2x4x6x8xbf16>, %k: tensor<2x4x3x8xbf16>, %heads: tensor<2x4x6xf32>,
                       %dloss: tensor<f32>, %logits: tensor<2x3x9xbf16>, %lse: tensor<2x3xf32>, %n: tensor<i64>)
    -> (tensor<9x4xbf16>, tensor<5x4xbf16>, tensor<5xbf16>, tensor<2x3xbf16>, tensor<2x3x4xbf16>, tensor<2x4x3x8xbf16>, tensor<2x3x9xbf16>) {
  // CHECK: vernier.linear_input_grad %{{.*}} : (tensor<2x3x5xbf16>, tensor<5x4xbf16>) -> tensor<2x3x4xbf16>
  %dx = vernier.linear_input_grad %dy, %w : (tensor<2x3x5xbf16>, tensor<5x4xbf16>) -> tensor<2x3x4xbf16>
  // CHECK: vernier.linear_weight_grad %{{.*}} : (tensor<2x3x5xbf16>, tensor<2x3x4xbf16>) -> tensor<5x4xbf16>
  %dw = vernier.linear_weight_grad %dy, %x : (tensor<2x3x5xbf16>, tensor<2x3x4xbf16>) -> tensor<5x4xbf16>
  // CHECK: vernier.column_sum %{{.*}} : tensor<2x3x5xbf16> -> tensor<5xbf16>
  %db = vernier.column_sum %dy : tensor<2x3x5xbf16> -> tensor<5xbf16>
  // CHECK: vernier.row_sum %{{.*}} : tensor<2x3x5xbf16> -> tensor<2x3xbf16>
  %dr = vernier.row_sum %dy : tensor<2x3x5xbf16> -> tensor<2x3xbf16>
  // CHECK: vernier.rms_norm_grad %{{.*}} : (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>) -> tensor<2x3x4xbf16>
  %dn = vernier.rms_norm_grad %dx, %x epsilon 1.0e-5 : (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>) -> tensor<2x3x4xbf16>
  // CHECK: vernier.layer_norm_grad %{{.*}} : (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>) -> tensor<2x3x4xbf16>
  %dl = vernier.layer_norm_grad %dn, %x epsilon 1.0e-5 : (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>) -> tensor<2x3x4xbf16>
  // CHECK: vernier.glu_grad silu %{{.*}} : (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>, tensor<2x3x4xbf16>) -> (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>)
  %dg, %du = vernier.glu_grad silu %dl, %x, %dx : (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>, tensor<2x3x4xbf16>) -> (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>)
  // CHECK: vernier.embedding_grad %{{.*}} : (tensor<2x3x4xbf16>, tensor<2x3xi32>, tensor<9x4xbf16>) -> tensor<9x4xbf16>
  %dt = vernier.embedding_grad %dg, %ids into %table : (tensor<2x3x4xbf16>, tensor<2x3xi32>, tensor<9x4xbf16>) -> tensor<9x4xbf16>
  // CHECK: vernier.attention_grad %{{.*}} -> (tensor<2x4x6x8xbf16>, tensor<2x4x3x8xbf16>, tensor<2x4x3x8xbf16>)
  %dq, %dk, %dv = vernier.attention_grad %q, %q, %k, %k, %q, %heads scale 0.25 causal
    : (tensor<2x4x6x8xbf16>, tensor<2x4x6x8xbf16>, tensor<2x4x3x8xbf16>, tensor<2x4x3x8xbf16>, tensor<2x4x6x8xbf16>, tensor<2x4x6xf32>)
    -> (tensor<2x4x6x8xbf16>, tensor<2x4x3x8xbf16>, tensor<2x4x3x8xbf16>)
  // CHECK: vernier.cross_entropy_grad %{{.*}} -> tensor<2x3x9xbf16>
  %dlogits = vernier.cross_entropy_grad %dloss, %logits, %ids, %lse, %n ignore -100
    : (tensor<f32>, tensor<2x3x9xbf16>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<i64>) -> tensor<2x3x9xbf16>
  return %dt, %dw, %db, %dr, %du, %dk, %dlogits
    : tensor<9x4xbf16>, tensor<5x4xbf16>, tensor<5xbf16>, tensor<2x3xbf16>, tensor<2x3x4xbf16>, tensor<2x4x3x8xbf16>, tensor<2x3x9xbf16>
}

// CHECK-LABEL: func.func @scales_of_bf16
func.func @scales_of_bf16(%w: tensor<4x8xbf16>, %g: tensor<4xbf16>, %dy: tensor<4xbf16>) -> (tensor<4x8xbf16>, tensor<4xbf16>, tensor<1xbf16>) {
  // CHECK: vernier.scale_to_direction original %{{.*}} : (tensor<4xbf16>) -> (tensor<4xbf16>, tensor<1xbf16>)
  %a, %b = vernier.scale_to_direction original %g : (tensor<4xbf16>) -> (tensor<4xbf16>, tensor<1xbf16>)
  // CHECK: vernier.scale_from_direction exponential %{{.*}} : (tensor<4xbf16>, tensor<1xbf16>) -> tensor<4xbf16>
  %h = vernier.scale_from_direction exponential %a, %b : (tensor<4xbf16>, tensor<1xbf16>) -> tensor<4xbf16>
  // CHECK: vernier.scale_rows %{{.*}} : (tensor<4x8xbf16>, tensor<4xbf16>) -> tensor<4x8xbf16>
  %v = vernier.scale_rows %w, %h : (tensor<4x8xbf16>, tensor<4xbf16>) -> tensor<4x8xbf16>
  // CHECK: vernier.scale_from_direction_grad original %{{.*}} : (tensor<4xbf16>, tensor<4xbf16>, tensor<1xbf16>) -> (tensor<4xbf16>, tensor<1xbf16>)
  %da, %db = vernier.scale_from_direction_grad original %dy, %a, %b : (tensor<4xbf16>, tensor<4xbf16>, tensor<1xbf16>) -> (tensor<4xbf16>, tensor<1xbf16>)
  return %v, %da, %db : tensor<4x8xbf16>, tensor<4xbf16>, tensor<1xbf16>
}

// A gradient may be bf16 where the parameter and its state are not.
// CHECK-LABEL: func.func @optimizer_of_bf16_gradient
func.func @optimizer_of_bf16_gradient(%p: tensor<4xf32>, %g: tensor<4xbf16>, %steps: tensor<i64>, %rate: tensor<f32>) -> tensor<4xf32> {
  // CHECK: vernier.global_norm %{{.*}} : (tensor<4xbf16>) -> tensor<f64>
  %norm = vernier.global_norm %g : (tensor<4xbf16>) -> tensor<f64>
  %clip = vernier.clip_factor %norm max 1.0 : tensor<f64> -> tensor<f32>
  // CHECK: vernier.adamw {{.*}} weight_decay 0.000000e+00 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>,
  %p1, %m1, %v1 = vernier.adamw %p, %p, %p, %g, %steps, %rate, %clip beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.0
    : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<i64>, tensor<f32>, tensor<f32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %p1 : tensor<4xf32>
}
