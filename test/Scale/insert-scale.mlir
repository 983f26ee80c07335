// RUN: vernier-opt %s --vernier-insert-scale --split-input-file --remarks-filter=vernier-scale --verify-diagnostics --verify-roundtrip | FileCheck %s
// RUN: vernier-opt %s --vernier-insert-scale --split-input-file | vernier-opt --split-input-file --vernier-insert-scale --remarks-filter=vernier-scale -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: vernier-opt %s --vernier-insert-scale='branches=gate value=0.5' --split-input-file | FileCheck %s --check-prefix=BRANCH
// RUN: vernier-opt %s --vernier-insert-scale='sites=final' --split-input-file | FileCheck %s --check-prefix=FINAL
// RUN: vernier-opt %s --vernier-insert-scale='sites=ffn-input layers=1' --split-input-file | FileCheck %s --check-prefix=FINAL
// RUN: vernier-opt %s --vernier-insert-scale='branches=gate layers=1' --split-input-file | FileCheck %s --check-prefix=FINAL
// RUN: not vernier-opt %s --vernier-insert-scale=value=inf --split-input-file 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not vernier-opt %s --vernier-insert-scale='sites=atention-input' --split-input-file 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not vernier-opt %s --vernier-insert-scale='layers=3-1' --split-input-file 2>&1 | FileCheck %s --check-prefix=RANGE
// TWICE-NOT: Passed
// TWICE: nothing to change
// VALUE: error: option 'value' must be a number, but is INF
// WORD: error: there is no site 'atention-input'; expected one of attention-input, ffn-input, final, qk, sublayer-output, embedding, branch-output
// RANGE: error: '3-1' is no range of layers; expected a number, or first-last

// A vector of ones changes no function, another one does.
// CHECK: module attributes {vernier.rewrites = [{pass = "vernier-insert-scale
// CHECK-NEXT: vernier.param @ffn_input.0.scale : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.000000e+00 : f64>) stored([#vernier.stored<"ffn_input.0.scale">])
// CHECK: %[[N:.*]] = vernier.rms_norm
// CHECK: %[[G:.*]] = vernier.get_param @ffn_input.0.scale
// CHECK: %[[S:.*]] = vernier.scale %[[N]], %[[G]] :
// CHECK: vernier.linear %[[S]]
// CHECK: vernier.linear %[[S]]
// CHECK: func.func private @vernier.values() -> (tensor<4xf32> {vernier.slot = #vernier.slot<param, "ffn_input.0.scale">})
// CHECK: %[[ONE:.*]] = arith.constant dense<1.0
// CHECK: return %[[ONE]]

// FINAL-LABEL: module
// FINAL-NEXT: func.func @ffn
// FINAL-NOT: vernier.values

// BRANCH: module attributes {vernier.rewrites = [{changes_function, pass = "vernier-insert-scale
// BRANCH-NEXT: vernier.param @gate.0.output_scale : tensor<8xf32> {{.*}} init(#vernier.constant<5.000000e-01 : f64>)
// BRANCH: %[[N:.*]] = vernier.rms_norm
// BRANCH-NEXT: %[[GATE:.*]] = vernier.linear %[[N]]
// BRANCH-NEXT: %[[G:.*]] = vernier.get_param @gate.0.output_scale
// BRANCH-NEXT: %[[S:.*]] = vernier.scale %[[GATE]], %[[G]] :
// BRANCH-NEXT: %[[UP:.*]] = vernier.linear %[[N]]
// BRANCH-NEXT: vernier.glu silu %[[S]], %[[UP]]
func.func @ffn(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>, %u: tensor<8x4xf32>) -> tensor<2x8xf32> {
  // expected-remark @below {{inserted 'ffn_input.0.scale'}}
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %gate = vernier.linear %n, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %up = vernier.linear %n, %u : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %y = vernier.glu silu %gate, %up : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// Not inserted: there is one.
// CHECK-LABEL: func.func @has_scale
// CHECK-COUNT-1: vernier.scale
// CHECK-NOT: vernier.scale
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
func.func @has_scale(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-remark @below {{not inserted: has a scale}}
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// -----
// What is normed here is the vector of a scale, not its data.
// CHECK-LABEL: func.func @vector
// CHECK: %[[N:.*]] = vernier.rms_norm
// CHECK: %[[S:.*]] = vernier.scale %[[N]]
// CHECK: vernier.scale %{{.*}}, %[[S]]
func.func @vector(%x: tensor<2x4xf32>, %g: tensor<4xf32>) -> tensor<2x4xf32> {
  // expected-remark @below {{inserted 'other.scale'}}
  %n = vernier.rms_norm %g epsilon 1.0e-5 : tensor<4xf32> -> tensor<4xf32>
  %s = vernier.scale %x, %n : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}
