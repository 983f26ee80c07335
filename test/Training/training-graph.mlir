// RUN: vernier-opt %s --vernier-training-graph | FileCheck %s

vernier.param @"emb" : tensor<16x4xf32> kind(embedding) decay(decay) optimizer(adamw)
    init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"emb">])
vernier.param @"norm" : tensor<4xf32> kind(scale) decay(none) optimizer(adamw)
    init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"norm">])
vernier.param @"u" : tensor<4x4xf32> kind(matrix) decay(decay) toward(1.0) optimizer(adamw)
    init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"u">])
vernier.param @"w" : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw)
    init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"w">])

func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
  %emb = vernier.get_param @emb : tensor<16x4xf32>
  %norm = vernier.get_param @norm : tensor<4xf32>
  %u = vernier.get_param @u : tensor<4x4xf32>
  %w = vernier.get_param @w : tensor<4x4xf32>
  %weff = vernier.mul %u, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %x = vernier.embedding %ids, %emb : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  %s = vernier.scale %n, %norm : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %y = vernier.linear %s, %weff : (tensor<2x3x4xf32>, tensor<4x4xf32>) -> tensor<2x3x4xf32>
  %h = vernier.add %x, %y : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %logits = vernier.linear %h, %emb : (tensor<2x3x4xf32>, tensor<16x4xf32>) -> tensor<2x3x16xf32>
  %count = vernier.count_valid %targets ignore -100 : tensor<2x3xi32> -> tensor<i64>
  %loss, %lse = vernier.cross_entropy %logits, %targets, %count ignore -100
      : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  return %loss : tensor<f32>
}

// The frontier: the product of two parameters leaves the loop, the embedding
// and the scale vector are used as they are.
// CHECK-LABEL: func.func @scales(
// CHECK-LABEL: func.func @prepare
// CHECK-SAME: %[[U:.*]]: tensor<4x4xf32> {vernier.slot = #vernier.slot<param, "u">}
// CHECK-SAME: %[[W:.*]]: tensor<4x4xf32> {vernier.slot = #vernier.slot<param, "w">}
// CHECK-SAME: -> (tensor<4x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">})
// CHECK-NEXT: %[[P:.*]] = vernier.mul %[[U]], %[[W]]
// CHECK-NEXT: return %[[P]]

// CHECK-LABEL: func.func @accumulate_first
// CHECK-SAME: %[[IDS:.*]]: tensor<2x3xi32> {vernier.slot = #vernier.slot<ids>},
// CHECK-SAME: %[[TARGETS:.*]]: tensor<2x3xi32> {vernier.slot = #vernier.slot<targets>},
// CHECK-SAME: %[[DIVISOR:.*]]: tensor<i64> {vernier.slot = #vernier.slot<divisor>},
// CHECK-SAME: %[[EMB:.*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "emb">},
// CHECK-SAME: %[[NORM:.*]]: tensor<4xf32> {vernier.slot = #vernier.slot<param, "norm">},
// CHECK-SAME: %[[P:.*]]: tensor<4x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">})
// CHECK-SAME: -> (tensor<f32> {vernier.slot = #vernier.slot<loss>},
// CHECK-SAME: tensor<16x4xf32> {vernier.slot = #vernier.slot<gradient, "emb">},
// CHECK-SAME: tensor<4xf32> {vernier.slot = #vernier.slot<gradient, "norm">},
// CHECK-SAME: tensor<4x4xf32> {vernier.slot = #vernier.slot<gradient, "prepared.0">})
// CHECK-NOT: count_valid
// CHECK: %[[X:.*]] = vernier.embedding %[[IDS]], %[[EMB]]
// CHECK: %[[N:.*]] = vernier.rms_norm %[[X]]
// CHECK: %[[S:.*]] = vernier.scale %[[N]], %[[NORM]]
// CHECK: %[[Y:.*]] = vernier.linear %[[S]], %[[P]]
// CHECK: %[[H:.*]] = vernier.add %[[X]], %[[Y]]
// CHECK: %[[LOGITS:.*]] = vernier.linear %[[H]], %[[EMB]]
// CHECK: %[[LOSS:.*]], %[[LSE:.*]] = vernier.cross_entropy %[[LOGITS]], %[[TARGETS]], %[[DIVISOR]] ignore -100
// CHECK: %[[ONE:.*]] = arith.constant dense<1.0{{.*}}> : tensor<f32>
// CHECK: %[[DLOGITS:.*]] = vernier.cross_entropy_grad %[[ONE]], %[[LOGITS]], %[[TARGETS]], %[[LSE]], %[[DIVISOR]]
// CHECK: %[[DEMB0:.*]] = vernier.linear_weight_grad %[[DLOGITS]], %[[H]]
// CHECK: %[[DH:.*]] = vernier.linear_input_grad %[[DLOGITS]], %[[EMB]]
// CHECK: %[[DP:.*]] = vernier.linear_weight_grad %[[DH]], %[[S]]
// CHECK: %[[DS:.*]] = vernier.linear_input_grad %[[DH]], %[[P]]
// CHECK: %[[DSN:.*]] = vernier.mul %[[DS]], %[[N]]
// CHECK: %[[DNORM:.*]] = vernier.column_sum %[[DSN]]
// CHECK: %[[DN:.*]] = vernier.scale %[[DS]], %[[NORM]]
// CHECK: %[[DX0:.*]] = vernier.rms_norm_grad %[[DN]], %[[X]]
// CHECK: %[[DX:.*]] = vernier.add %[[DH]], %[[DX0]]
// The tied head's gradient is what the embedding adds to.
// CHECK: %[[DEMB:.*]] = vernier.embedding_grad %[[DX]], %[[IDS]] into %[[DEMB0]]
// CHECK-NEXT: return %[[LOSS]], %[[DEMB]], %[[DNORM]], %[[DP]]

// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[SUM_EMB:[^:]*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<gradient, "emb">},
// CHECK-SAME: %[[SUM_NORM:[^:]*]]: tensor<4xf32> {vernier.slot = #vernier.slot<gradient, "norm">},
// CHECK-SAME: %[[SUM_P:[^:]*]]: tensor<4x4xf32> {vernier.slot = #vernier.slot<gradient, "prepared.0">})
// CHECK-SAME: -> (tensor<f32> {vernier.slot = #vernier.slot<loss>},
// CHECK-SAME: tensor<16x4xf32> {vernier.slot = #vernier.slot<gradient, "emb">},
// CHECK: %[[HEAD:.*]] = vernier.linear_weight_grad
// CHECK: %[[HEAD_SUM:.*]] = vernier.add %[[SUM_EMB]], %[[HEAD]]
// CHECK: %[[DP:.*]] = vernier.linear_weight_grad
// CHECK: %[[NEW_P:.*]] = vernier.add %[[SUM_P]], %[[DP]]
// CHECK: %[[DNORM:.*]] = vernier.column_sum
// CHECK: %[[NEW_NORM:.*]] = vernier.add %[[SUM_NORM]], %[[DNORM]]
// CHECK: %[[NEW_EMB:.*]] = vernier.embedding_grad %{{.*}}, %{{.*}} into %[[HEAD_SUM]]
// CHECK-NEXT: return %{{.*}}, %[[NEW_EMB]], %[[NEW_NORM]], %[[NEW_P]]

// CHECK-LABEL: func.func @update(
// CHECK-SAME: %[[EMB:[^:]*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "emb">},
// CHECK-SAME: %[[NORM:[^:]*]]: tensor<4xf32> {vernier.slot = #vernier.slot<param, "norm">},
// CHECK-SAME: %[[U:[^:]*]]: tensor<4x4xf32> {vernier.slot = #vernier.slot<param, "u">},
// CHECK-SAME: %[[W:[^:]*]]: tensor<4x4xf32> {vernier.slot = #vernier.slot<param, "w">},
// CHECK-SAME: %[[M_EMB:[^:]*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<first_moment, "emb">},
// CHECK-SAME: %[[V_EMB:[^:]*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<second_moment, "emb">},
// CHECK-SAME: %[[STEPS_EMB:[^:]*]]: tensor<i64> {vernier.slot = #vernier.slot<steps, "emb">},
// CHECK-SAME: %[[G_EMB:[^:]*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<gradient, "emb">},
// CHECK-SAME: %[[G_NORM:[^:]*]]: tensor<4xf32> {vernier.slot = #vernier.slot<gradient, "norm">},
// CHECK-SAME: %[[G_P:[^:]*]]: tensor<4x4xf32> {vernier.slot = #vernier.slot<gradient, "prepared.0">},
// CHECK-SAME: %[[RATE:[^:]*]]: tensor<f32> {vernier.slot = #vernier.slot<rate>})
// CHECK-SAME: -> (tensor<f64> {vernier.slot = #vernier.slot<gradient_norm>},
// CHECK-SAME: tensor<f32> {vernier.slot = #vernier.slot<clip_factor>},
// CHECK-SAME: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "emb">},
// CHECK-SAME: tensor<16x4xf32> {vernier.slot = #vernier.slot<first_moment, "emb">},
// CHECK-SAME: tensor<16x4xf32> {vernier.slot = #vernier.slot<second_moment, "emb">},
// CHECK-SAME: tensor<i64> {vernier.slot = #vernier.slot<steps, "emb">},
// The adjoint of prepare comes before the norm.
// CHECK: %[[G_U:.*]] = vernier.mul %[[G_P]], %[[W]]
// CHECK: %[[G_W:.*]] = vernier.mul %[[G_P]], %[[U]]
// CHECK: %[[GNORM:.*]] = vernier.global_norm %[[G_EMB]], %[[G_NORM]], %[[G_U]], %[[G_W]]
// CHECK: %[[CLIP:.*]] = vernier.clip_factor %[[GNORM]] max 1.0
// CHECK: %[[ONE:.*]] = arith.constant dense<1> : tensor<i64>
// CHECK: %[[STEP:.*]] = arith.addi %[[STEPS_EMB]], %[[ONE]]
// CHECK: %[[P1:.*]], %[[M1:.*]], %[[V1:.*]] = vernier.adamw %[[EMB]], %[[M_EMB]], %[[V_EMB]], %[[G_EMB]], %[[STEP]], %[[RATE]], %[[CLIP]]
// CHECK-SAME: beta1 9.0{{0*}}e-01 beta2 0.94999{{[0-9]*}} epsilon 1.0{{0*}}e-08 weight_decay 1.0{{0*}}e-01 :
// A scale vector does not decay; u decays towards 1.
// CHECK: vernier.adamw %[[NORM]], {{.*}} weight_decay 0.0{{0*}}e+00 :
// CHECK: vernier.adamw %[[U]], {{.*}} weight_decay 1.0{{0*}}e-01 toward 1.0{{0*}}e+00 :
// CHECK: vernier.adamw %[[W]], {{.*}} weight_decay 1.0{{0*}}e-01 :
// CHECK: return %[[GNORM]], %[[CLIP]], %[[P1]], {{.*}}%[[M1]], {{.*}}%[[V1]], {{.*}}%[[STEP]],

// CHECK-LABEL: func.func @gradients(
// CHECK-SAME: %[[G_EMB:[^:]*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<gradient, "emb">},
// CHECK-SAME: -> (tensor<16x4xf32> {vernier.slot = #vernier.slot<param_gradient, "emb">},
// CHECK-SAME: tensor<4x4xf32> {vernier.slot = #vernier.slot<param_gradient, "w">})
// CHECK-NEXT: %[[G_U:.*]] = vernier.mul
// CHECK-NEXT: %[[G_W:.*]] = vernier.mul
// CHECK-NEXT: return %[[G_EMB]], %{{.*}}, %[[G_U]], %[[G_W]]

// CHECK-LABEL: func.func @gradient_norms(
// CHECK: vernier.global_norm
// CHECK-LABEL: func.func @evaluate(
// CHECK-SAME: -> (tensor<f32> {vernier.slot = #vernier.slot<loss>})
// CHECK-NOT: _grad
// CHECK: return

// CHECK-LABEL: func.func @logits(
// CHECK-NOT: targets
// CHECK-NOT: divisor
// CHECK-SAME: -> (tensor<2x3x16xf32> {vernier.slot = #vernier.slot<logits>})
// CHECK-NOT: cross_entropy
// CHECK: vernier.linear
// CHECK: %[[LOGITS:.*]] = vernier.linear
// CHECK-NEXT: return %[[LOGITS]]

// Nothing else is left.
// CHECK-NOT: func.func
