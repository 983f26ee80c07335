// How AdamW's state follows: @vernier.moments (docs/Architecture.md).
// RUN: vernier-opt %s --vernier-split-scale --verify-roundtrip | FileCheck %s --check-prefixes=CHECK,SPLIT
// RUN: vernier-opt %s --vernier-split-scale=branches=up | FileCheck %s --check-prefixes=CHECK,PART
// RUN: vernier-opt %s --vernier-reparameterize-scale --verify-roundtrip | FileCheck %s --check-prefixes=CHECK,FORM
// RUN: vernier-opt %s --vernier-reparameterize-scale --vernier-reparameterize-scale=form=plain | FileCheck %s --check-prefixes=CHECK,ZERO
// RUN: vernier-opt %s --vernier-insert-scale=branches=up | FileCheck %s --check-prefixes=CHECK,ZERO
// RUN: vernier-opt %s --vernier-split-scale --vernier-remove-scale=branches=gate | FileCheck %s --check-prefixes=CHECK,GONE

// CHECK-LABEL: func.func @ffn

// Each of two branches sees half of the gradient.
// SPLIT: func.func private @vernier.moments(
// SPLIT-SAME: %[[M:[a-z0-9]+]]: tensor<4xf32> {vernier.slot = #vernier.slot<first_moment, "g">},
// SPLIT-SAME: %[[V:[a-z0-9]+]]: tensor<4xf32> {vernier.slot = #vernier.slot<second_moment, "g">},
// SPLIT-SAME: %[[T:[a-z0-9]+]]: tensor<i64> {vernier.slot = #vernier.slot<steps, "g">})
// SPLIT-SAME: tensor<4xf32> {vernier.slot = #vernier.slot<first_moment, "g.gate">}
// SPLIT-SAME: tensor<4xf32> {vernier.slot = #vernier.slot<second_moment, "g.gate">}
// SPLIT-SAME: tensor<i64> {vernier.slot = #vernier.slot<steps, "g.gate">}
// SPLIT: %[[TWO:.*]] = arith.constant dense<2.000000e+00>
// SPLIT: %[[M1:.*]] = arith.divf %[[M]], %[[TWO]]
// SPLIT: %[[FOUR:.*]] = arith.constant dense<4.000000e+00>
// SPLIT: %[[V1:.*]] = arith.divf %[[V]], %[[FOUR]]
// SPLIT: return %[[M1]], %[[V1]], %[[T]],

// The vector that gate keeps, too.
// PART: func.func private @vernier.moments(
// PART-SAME: #vernier.slot<first_moment, "g.up">
// PART-SAME: #vernier.slot<first_moment, "g">

// FORM: func.func private @vernier.moments(
// FORM-SAME: %[[M:[a-z0-9]+]]: tensor<4xf32> {vernier.slot = #vernier.slot<first_moment, "g">},
// FORM-SAME: %[[V:[a-z0-9]+]]: tensor<4xf32> {vernier.slot = #vernier.slot<second_moment, "g">},
// FORM-SAME: %[[T:[a-z0-9]+]]: tensor<i64> {vernier.slot = #vernier.slot<steps, "g">},
// FORM-SAME: %[[G:[a-z0-9]+]]: tensor<4xf32> {vernier.slot = #vernier.slot<param, "g">})
// FORM: %[[A:.*]], %[[B:.*]] = vernier.scale_to_direction original %[[G]]
// FORM: %[[MA:.*]], %[[MB:.*]] = vernier.scale_from_direction_grad original %[[M]], %[[A]], %[[B]]
// FORM: %[[VA:.*]], %[[VB:.*]] = vernier.scale_from_direction_grad original squared %[[V]], %[[A]], %[[B]]
// FORM: return %[[MA]], %[[VA]], %[[T]], %[[MB]], %[[VB]], %[[T]]

// What a later pass removed has neither value nor moments.
// GONE: func.func private @vernier.values
// GONE-SAME: -> (tensor<4xf32> {vernier.slot = #vernier.slot<param, "g.up">})
// GONE: func.func private @vernier.moments
// GONE-NOT: g.gate
// GONE-COUNT-2: arith.divf
// GONE-NOT: arith.divf

// No function: what has a new value and no moments starts at zero.
// ZERO: func.func private @vernier.values
// ZERO-NOT: vernier.moments
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
func.func @ffn(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>, %u: tensor<8x4xf32>) -> tensor<2x8xf32> {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %up = vernier.linear %s, %u : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %y = vernier.glu silu %gate, %up : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
