// RUN: vernier-opt %s --vernier-remove-scale --split-input-file --remarks-filter=vernier-scale --verify-diagnostics --verify-roundtrip | FileCheck %s
// RUN: vernier-opt %s --vernier-remove-scale --split-input-file | vernier-opt --split-input-file --vernier-remove-scale --remarks-filter=vernier-scale -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: vernier-opt %s --vernier-remove-scale=fold=true --split-input-file --remarks-filter=vernier-scale 2>%t | FileCheck %s --check-prefix=FOLD
// RUN: FileCheck %s --check-prefix=REMARK < %t
// TWICE-NOT: Passed
// TWICE: nothing to change

// CHECK-LABEL: module
// CHECK-NOT: @g
// CHECK: func.func @head
// CHECK: %[[N:.*]] = vernier.rms_norm
// CHECK-NOT: vernier.scale
// CHECK: vernier.linear %[[N]]
// CHECK-NOT: vernier.values

// FOLD-LABEL: module
// FOLD-NEXT: vernier.param @w : tensor<9x4xf32> {{.*}} init(#vernier.normal<mean = 0.000000e+00 : f64, std = 6.000000e-02 : f64>)
// FOLD-NEXT: func.func @head
// FOLD: %[[N:.*]] = vernier.rms_norm
// FOLD-NEXT: %[[W:.*]] = vernier.get_param @w
// FOLD-NEXT: vernier.linear %[[N]], %[[W]]
// FOLD: func.func private @vernier.values(%[[G:[a-z0-9]+]]: tensor<4xf32> {vernier.slot = #vernier.slot<param, "g">}, %[[OLD:[a-z0-9]+]]: tensor<9x4xf32> {vernier.slot = #vernier.slot<param, "w">}) -> (tensor<9x4xf32> {vernier.slot = #vernier.slot<param, "w">})
// FOLD: %[[NEW:.*]] = vernier.scale %[[OLD]], %[[G]] offset 1.0
// FOLD: return %[[NEW]]
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @w : tensor<9x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"w">])
func.func @head(%x: tensor<2x4xf32>, %t: tensor<2xi32>, %d: tensor<i64>) -> tensor<f32> {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{removed 'g'}}
  %s = vernier.scale %n, %g offset 1.0 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %w = vernier.get_param @w : tensor<9x4xf32>
  %l = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<9x4xf32>) -> tensor<2x9xf32>
  %loss, %lse = vernier.cross_entropy %l, %t, %d ignore -100 : (tensor<2x9xf32>, tensor<2xi32>, tensor<i64>) -> (tensor<f32>, tensor<2xf32>)
  return %loss : tensor<f32>
}

// -----
// Not folded: the weight is the embedding, too; and there is no linear map.
// FOLD-LABEL: func.func @tied
// FOLD: vernier.scale
// FOLD: vernier.scale
// REMARK: not removed: 'e' has 2 uses
// REMARK: not removed: no linear map stands directly before or behind it
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @h : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"h">])
vernier.param @e : tensor<9x4xf32> kind(embedding) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"e">])
func.func @tied(%ids: tensor<2xi32>) -> tensor<2x9xf32> {
  %e = vernier.get_param @e : tensor<9x4xf32>
  %x = vernier.embedding %ids, %e : (tensor<2xi32>, tensor<9x4xf32>) -> tensor<2x4xf32>
  %h = vernier.get_param @h : tensor<4xf32>
  // expected-remark @below {{removed 'h'}}
  %y = vernier.scale %x, %h : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %n = vernier.rms_norm %y epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{removed 'g'}}
  %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %l = vernier.linear %s, %e : (tensor<2x4xf32>, tensor<9x4xf32>) -> tensor<2x9xf32>
  return %l : tensor<2x9xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// Not removed: the vector is read by something that is no scale.
// CHECK-LABEL: func.func @other_use
// CHECK: vernier.scale
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
func.func @other_use(%x: tensor<2x4xf32>, %y: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>) {
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{not removed: 'g' has other uses}}
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %z = vernier.mul %y, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %s, %z : tensor<2x4xf32>, tensor<4xf32>
}

// -----
// With branches=gate not removed: up shares the vector.
// RUN: vernier-opt %s --vernier-remove-scale=branches=gate --split-input-file --remarks-filter=vernier-scale 2>%t.branch | FileCheck %s --check-prefix=BRANCH
// RUN: FileCheck %s --check-prefix=SHARED < %t.branch
// BRANCH-LABEL: func.func @ffn
// BRANCH: vernier.scale
// SHARED: not removed: is shared with up
// CHECK-LABEL: func.func @ffn
// CHECK-NOT: vernier.scale
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
func.func @ffn(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>, %u: tensor<8x4xf32>) -> tensor<2x8xf32> {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{removed 'g'}}
  %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %up = vernier.linear %s, %u : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %y = vernier.glu silu %gate, %up : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
