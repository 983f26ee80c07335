// RUN: vernier-opt %s --vernier-apply-scale-to-weights=side=weights --split-input-file --remarks-filter=vernier-scale --verify-diagnostics --verify-roundtrip | FileCheck %s
// RUN: vernier-opt %s --vernier-apply-scale-to-weights=side=weights --split-input-file | vernier-opt --split-input-file --vernier-apply-scale-to-weights=side=weights --remarks-filter=vernier-scale -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: vernier-opt %s --vernier-apply-scale-to-weights=side=activations --split-input-file --remarks-filter=vernier-scale -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: vernier-opt %s --vernier-apply-scale-to-weights='side=weights branches=head' --split-input-file | FileCheck %s --check-prefix=HEAD
// RUN: not vernier-opt %s --vernier-apply-scale-to-weights=side=left --split-input-file 2>&1 | FileCheck %s --check-prefix=SIDE
// RUN: not vernier-opt %s --vernier-apply-scale-to-weights=sites=attention --split-input-file 2>&1 | FileCheck %s --check-prefix=SITE
// RUN: not vernier-opt %s --vernier-apply-scale-to-weights=micro-batches=0 --split-input-file 2>&1 | FileCheck %s --check-prefix=COUNT
// TWICE-NOT: Passed
// TWICE: nothing to change
// TWICE-NOT: Passed
// SIDE: error: there is no side 'left'; expected auto, weights or activations
// SITE: error: there is no site 'attention'
// COUNT: error: a step has at least one micro-batch, found micro-batches=0

// A shared vector: each branch has a weight of its own, and both read the norm.
// Parameters stay what they are.
// CHECK-LABEL: module
// CHECK-DAG: vernier.param @g : tensor<4xf32> kind(scale) decay(decay)
// CHECK-DAG: vernier.param @gate : tensor<8x4xf32> kind(matrix) decay(decay)
// CHECK: func.func @shared
// CHECK: %[[N:.*]] = vernier.rms_norm
// CHECK: %[[G:.*]] = vernier.get_param @g
// CHECK: %[[W:.*]] = vernier.get_param @gate
// CHECK: %[[WG:.*]] = vernier.scale %[[W]], %[[G]] offset 1.0{{.*}} : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
// CHECK: vernier.linear %[[N]], %[[WG]]
// CHECK: %[[U:.*]] = vernier.get_param @up
// CHECK: %[[UG:.*]] = vernier.scale %[[U]], %[[G]] offset 1.0
// CHECK: vernier.linear %[[N]], %[[UG]] bias
// CHECK-NOT: vernier.values
// HEAD-LABEL: module
// HEAD: vernier.scale %{{.*}} : (tensor<2x4xf32>, tensor<4xf32>)
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @gate : tensor<8x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"gate">])
vernier.param @up : tensor<8x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"up">])
func.func @shared(%x: tensor<2x4xf32>, %b: tensor<8xf32>) -> tensor<2x8xf32> {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{scale of gate, up applied to weights: 768 bytes a step on the side of weights, 0 on that of activations}}
  %s = vernier.scale %n, %g offset 1.0 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %w = vernier.get_param @gate : tensor<8x4xf32>
  %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %u = vernier.get_param @up : tensor<8x4xf32>
  %up = vernier.linear %s, %u bias %b : (tensor<2x4xf32>, tensor<8x4xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %y = vernier.glu silu %gate, %up : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----
// A tied head: the embedding goes on reading the raw table.
// CHECK-LABEL: func.func @tied
// CHECK: %[[E:.*]] = vernier.get_param @e
// CHECK: %[[X:.*]] = vernier.embedding %{{.*}}, %[[E]]
// CHECK: %[[H:.*]] = vernier.scale %[[E]]
// CHECK: vernier.linear %[[X]], %[[H]]
// HEAD-LABEL: func.func @tied
// HEAD: vernier.scale %{{.*}} : (tensor<9x4xf32>, tensor<4xf32>)
vernier.param @e : tensor<9x4xf32> kind(embedding) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"e">])
vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
func.func @tied(%ids: tensor<2xi32>, %t: tensor<2xi32>, %d: tensor<i64>) -> tensor<f32> {
  %e = vernier.get_param @e : tensor<9x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  %x = vernier.embedding %ids, %e : (tensor<2xi32>, tensor<9x4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{scale of head applied to weights: 1,440 bytes a step on the side of weights, 288 on that of activations}}
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %l = vernier.linear %s, %e : (tensor<2x4xf32>, tensor<9x4xf32>) -> tensor<2x9xf32>
  %loss, %lse = vernier.cross_entropy %l, %t, %d ignore -100 : (tensor<2x9xf32>, tensor<2xi32>, tensor<i64>) -> (tensor<f32>, tensor<2xf32>)
  return %loss : tensor<f32>
}

// -----
// A scale of a scaled value follows the one behind it. However a vector is
// computed of parameters, it goes along.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>)
// CHECK: %[[A:.*]] = vernier.mul
// CHECK: %[[W1:.*]] = vernier.scale %{{.*}}, %[[B:.*]] :
// CHECK: %[[W2:.*]] = vernier.scale %[[W1]], %[[A]]
// CHECK: vernier.linear %[[X]], %[[W2]]
vernier.param @w : tensor<8x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"w">])
vernier.param @a : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"a">])
vernier.param @b : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"b">])
func.func @chain(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
  %a = vernier.get_param @a : tensor<4xf32>
  %b = vernier.get_param @b : tensor<4xf32>
  %w = vernier.get_param @w : tensor<8x4xf32>
  %square = vernier.mul %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @below {{scale of other applied to weights: 0 bytes}}
  %s = vernier.scale %x, %square : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{scale of other applied to weights: 384 bytes}}
  %t = vernier.scale %s, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y = vernier.linear %t, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----
// However a weight is computed of parameters, it can be scaled.
// CHECK-LABEL: func.func @computed_weight
// CHECK: %[[SQUARE:.*]] = vernier.mul
// CHECK: %[[W:.*]] = vernier.scale %[[SQUARE]], %{{.*}} : (tensor<8x4xf32>, tensor<4xf32>)
// CHECK: vernier.linear %{{.*}}, %[[W]]
vernier.param @w : tensor<8x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"w">])
vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
func.func @computed_weight(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
  %g = vernier.get_param @g : tensor<4xf32>
  %w = vernier.get_param @w : tensor<8x4xf32>
  %square = vernier.mul %w, %w : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  // expected-remark @below {{scale of other applied to weights: 384 bytes}}
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y = vernier.linear %s, %square : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// What must stay.
// CHECK-LABEL: func.func @not_moved
// CHECK-COUNT-10: vernier.scale {{.*}} : (tensor<2x4x
// CHECK-NOT: vernier.scale
vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @w : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"w">])
func.func private @elsewhere() -> tensor<4xf32>
func.func @not_moved(%x: tensor<2x4xf32>, %data: tensor<4xf32>, %fixed: tensor<4x4xf32>) {
  %g = vernier.get_param @g : tensor<4xf32>
  %w = vernier.get_param @w : tensor<4x4xf32>
  %v = arith.truncf %w : tensor<4x4xf32> to tensor<4x4xbf16>
  %h = arith.truncf %g : tensor<4xf32> to tensor<4xbf16>
  // The residual reads the scaled value, too.
  // expected-remark @below {{stays with the activations: no linear map stands directly before or behind it, or something else reads it, too}}
  %1 = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %2 = vernier.linear %1, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %3 = vernier.add %1, %2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // A norm stands between.
  // expected-remark @below {{no linear map stands directly before or behind it}}
  %4 = vernier.scale %3, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %5 = vernier.rms_norm %4 epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %6 = vernier.linear %5, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  // It is the weight of another map.
  // expected-remark @below {{no linear map stands directly before or behind it}}
  %7 = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %8 = vernier.linear %6, %7 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>
  // Vectors and weights that come with the data.
  // expected-remark @below {{its vector is not computed from parameters alone}}
  %9 = vernier.scale %x, %data : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %10 = vernier.linear %9, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %call = func.call @elsewhere() : () -> tensor<4xf32>
  // expected-remark @below {{its vector is not computed from parameters alone}}
  %21 = vernier.scale %x, %call : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %22 = vernier.linear %21, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{the weight of other is not computed from parameters alone}}
  %11 = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %12 = vernier.linear %11, %fixed : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  // Rounded to bf16: the scaled value, the vector, the weight, the result.
  // expected-remark @below {{it is not f32: a scaled weight is rounded elsewhere}}
  %13 = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xbf16>
  %14 = vernier.linear %13, %w : (tensor<2x4xbf16>, tensor<4x4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{it is not f32}}
  %15 = vernier.scale %x, %h : (tensor<2x4xf32>, tensor<4xbf16>) -> tensor<2x4xf32>
  %16 = vernier.linear %15, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{it is not f32}}
  %17 = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %18 = vernier.linear %17, %v : (tensor<2x4xf32>, tensor<4x4xbf16>) -> tensor<2x4xf32>
  // expected-remark @below {{it is not f32}}
  %19 = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %20 = vernier.linear %19, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xbf16>
  return
}

// -----
// Scales at results: rows of the weight, and the bias. The vector is there before
// the linear map then. With an input scale, both go to one weight.
// CHECK-LABEL: func.func @outputs
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>)
// CHECK-DAG: %[[G:.*]] = vernier.get_param @g
// CHECK-DAG: %[[H:.*]] = vernier.get_param @h
// CHECK-DAG: %[[W:.*]] = vernier.get_param @w
// CHECK-DAG: %[[SQUARE:.*]] = vernier.mul %[[G]], %[[G]]
// CHECK-DAG: %[[WH:.*]] = vernier.scale %[[W]], %[[H]]
// CHECK: %[[R:.*]] = vernier.scale_rows %[[WH]], %[[SQUARE]] offset 1.0{{.*}} : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xf32>
// CHECK: %[[B:.*]] = vernier.scale %{{.*}}, %[[SQUARE]] offset 1.0{{.*}} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK: %[[Y:.*]] = vernier.linear %[[X]], %[[R]] bias %[[B]]
// CHECK-NEXT: return %[[Y]]
vernier.param @w : tensor<8x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"w">])
vernier.param @b : tensor<8xf32> kind(bias) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"b">])
vernier.param @g : tensor<8xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @h : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"h">])
func.func @outputs(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
  %h = vernier.get_param @h : tensor<4xf32>
  // expected-remark @below {{scale of other applied to weights: 384 bytes a step on the side of weights, 288 on that of activations}}
  %s = vernier.scale %x, %h : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %w = vernier.get_param @w : tensor<8x4xf32>
  %b = vernier.get_param @b : tensor<8xf32>
  %y = vernier.linear %s, %w bias %b : (tensor<2x4xf32>, tensor<8x4xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %g = vernier.get_param @g : tensor<8xf32>
  %square = vernier.mul %g, %g : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // expected-remark @below {{scale at the output of other applied to its weight: 0 bytes a step on the side of weights, }}
  %t = vernier.scale %y, %square offset 1.0 : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %t : tensor<2x8xf32>
}

// -----
// Magnitude and direction: the vector is prepared, and the weight of it.
// CHECK-LABEL: func.func @reparameterized
// CHECK: %[[G:.*]] = vernier.scale_from_direction original
// CHECK: %[[WG:.*]] = vernier.scale %{{.*}}, %[[G]]
// CHECK: vernier.linear %{{.*}}, %[[WG]]
vernier.param @w : tensor<8x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"w">])
vernier.param @a : tensor<4xf32> kind(direction) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"a">])
vernier.param @b : tensor<1xf32> kind(magnitude) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"b">])
func.func @reparameterized(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
  %a = vernier.get_param @a : tensor<4xf32>
  %b = vernier.get_param @b : tensor<1xf32>
  %g = vernier.scale_from_direction original %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  // expected-remark @below {{scale of other applied to weights}}
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %w = vernier.get_param @w : tensor<8x4xf32>
  %y = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// Results that something else reads, and a bias that comes with the data.
// CHECK-LABEL: func.func @outputs_stay
// CHECK-COUNT-2: vernier.scale {{.*}} : (tensor<2x4xf32>
// CHECK-NOT: vernier.scale
vernier.param @w : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"w">])
vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
func.func @outputs_stay(%x: tensor<2x4xf32>, %bias: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %w = vernier.get_param @w : tensor<4x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  %1 = vernier.linear %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{the result of other has other uses}}
  %2 = vernier.scale %1, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %3 = vernier.add %1, %2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = vernier.linear %x, %w bias %bias : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{the bias of other is not computed from parameters alone}}
  %5 = vernier.scale %4, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %3, %5 : tensor<2x4xf32>, tensor<2x4xf32>
}
