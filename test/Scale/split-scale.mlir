// RUN: vernier-opt %s --vernier-split-scale --split-input-file --remarks-filter=vernier-scale --verify-diagnostics --verify-roundtrip | FileCheck %s
// RUN: vernier-opt %s --vernier-split-scale --split-input-file | vernier-opt --split-input-file --vernier-split-scale --remarks-filter=vernier-scale -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE-NOT: Passed
// TWICE: nothing to change
// TWICE-NOT: Passed
// RUN: vernier-opt %s --vernier-split-scale --cse --split-input-file | FileCheck %s
// RUN: vernier-opt %s --vernier-split-scale=branches=gate --split-input-file | FileCheck %s --check-prefix=GATE

// Both branches get a vector. The function from old to new values.
// CHECK-LABEL: module
// CHECK-NOT: vernier.param @g :
// CHECK-DAG: vernier.param @g.gate : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.000000e+00 : f64>) stored([#vernier.stored<"g.gate">])
// CHECK-DAG: vernier.param @g.up : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.000000e+00 : f64>) stored([#vernier.stored<"g.up">])
// CHECK: func.func @ffn(%[[X:.*]]: tensor<2x4xf32>, %[[W:.*]]: tensor<8x4xf32>, %[[U:.*]]: tensor<8x4xf32>)
// CHECK: %[[N:.*]] = vernier.rms_norm %[[X]]
// CHECK-DAG: %[[GG:.*]] = vernier.get_param @g.gate
// CHECK-DAG: %[[GU:.*]] = vernier.get_param @g.up
// CHECK-DAG: %[[SG:.*]] = vernier.scale %[[N]], %[[GG]] offset 1.0
// CHECK-DAG: %[[SU:.*]] = vernier.scale %[[N]], %[[GU]] offset 1.0
// CHECK: vernier.linear %[[SG]], %[[W]]
// CHECK: vernier.linear %[[SU]], %[[U]]
// CHECK: func.func private @vernier.values(%[[OLD:.*]]: tensor<4xf32> {vernier.slot = #vernier.slot<param, "g">})
// CHECK-SAME: -> (tensor<4xf32> {vernier.slot = #vernier.slot<param, "g.gate">}, tensor<4xf32> {vernier.slot = #vernier.slot<param, "g.up">})
// CHECK: return %[[OLD]], %[[OLD]]

// With branches=gate, up goes on with the old one.
// GATE-LABEL: module
// GATE-DAG: vernier.param @g :
// GATE-DAG: vernier.param @g.gate :
// GATE: func.func @ffn(%[[X:.*]]: tensor<2x4xf32>, %[[W:.*]]: tensor<8x4xf32>, %[[U:.*]]: tensor<8x4xf32>)
// GATE: %[[N:.*]] = vernier.rms_norm %[[X]]
// GATE-DAG: %[[GG:.*]] = vernier.get_param @g.gate
// GATE-DAG: %[[GU:.*]] = vernier.get_param @g :
// GATE-DAG: %[[SG:.*]] = vernier.scale %[[N]], %[[GG]]
// GATE-DAG: %[[SU:.*]] = vernier.scale %[[N]], %[[GU]]
// GATE: vernier.linear %[[SG]], %[[W]]
// GATE: vernier.linear %[[SU]], %[[U]]
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
func.func @ffn(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>, %u: tensor<8x4xf32>) -> tensor<2x8xf32> {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{split 'g' for gate, up}}
  %s = vernier.scale %n, %g offset 1.0 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %up = vernier.linear %s, %u : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %y = vernier.glu silu %gate, %up : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----
// Names that are taken.
// CHECK-LABEL: module
// CHECK: vernier.param @g.gate_1
// CHECK: vernier.param @g.gate :
// CHECK: stored([#vernier.stored<"g.gate">])
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @g.gate : tensor<8x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g.gate">])
func.func @taken(%x: tensor<2x4xf32>, %u: tensor<8x4xf32>) -> tensor<2x8xf32> {
  %w = vernier.get_param @g.gate : tensor<8x4xf32>
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{split 'g' for gate, up}}
  %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %up = vernier.linear %s, %u : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %y = vernier.glu silu %gate, %up : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// Not split: one branch (the final norm).
// CHECK-LABEL: module
// CHECK-NEXT: vernier.param @g :
// CHECK-NEXT: func.func @one_branch
// CHECK-NOT: vernier.values
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
func.func @one_branch(%x: tensor<2x4xf32>, %w: tensor<9x4xf32>, %t: tensor<2xi32>, %d: tensor<i64>) -> tensor<f32> {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{not split: feeds head only}}
  %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %l = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<9x4xf32>) -> tensor<2x9xf32>
  %loss, %lse = vernier.cross_entropy %l, %t, %d ignore -100 : (tensor<2x9xf32>, tensor<2xi32>, tensor<i64>) -> (tensor<f32>, tensor<2xf32>)
  return %loss : tensor<f32>
}

// -----
// expected-remark @above {{nothing to change}}
// Not split: the scaled value is on the residual stream, too.
// CHECK-LABEL: func.func @residual_use
// CHECK: vernier.get_param @g :
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
func.func @residual_use(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>, %u: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{not split: has other uses than linear maps}}
  %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %up = vernier.linear %s, %u : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %y = vernier.glu silu %gate, %up : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %z = vernier.add %y, %s : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// Not split: two norms share the vector.
// CHECK-LABEL: func.func @shared
// CHECK: vernier.get_param @g :
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
func.func @shared(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>, %u: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %g = vernier.get_param @g : tensor<4xf32>
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  // expected-remark @below {{not split: 'g' has 2 uses}}
  %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %up = vernier.linear %s, %u : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %y = vernier.glu silu %gate, %up : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %m = vernier.rms_norm %y epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  // expected-remark @below {{not split: has other uses than linear maps}}
  %z = vernier.scale %m, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// Not split: the vector is data.
// CHECK-LABEL: func.func @data
// CHECK: vernier.scale %{{.*}}, %arg
func.func @data(%x: tensor<2x4xf32>, %g: tensor<4xf32>, %w: tensor<4x4xf32>, %u: tensor<4x4xf32>) -> tensor<2x4xf32> {
  // expected-remark @below {{not split: its vector is not a parameter}}
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %up = vernier.linear %s, %u : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %y = vernier.glu silu %gate, %up : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
