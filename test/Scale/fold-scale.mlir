// RUN: vernier-opt %s --vernier-fold-scale --split-input-file --remarks-filter=vernier-scale --verify-diagnostics --verify-roundtrip | FileCheck %s
// RUN: vernier-opt %s --vernier-fold-scale --split-input-file | vernier-opt --split-input-file --vernier-fold-scale --remarks-filter=vernier-scale -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: vernier-opt %s --vernier-fold-scale=branches=gate --split-input-file --remarks-filter=vernier-scale -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONLY
// TWICE-NOT: Passed
// TWICE: nothing to change
// ONLY: folded 'h' into gate
// ONLY: not folded: is shared with up

// On both sides of linear maps: columns, and rows and the bias.
// CHECK-LABEL: module
// CHECK-NOT: kind(scale)
// CHECK: vernier.param @w : {{.*}} init(#vernier.normal<mean = 0.000000e+00 : f64, std = 1.200000e-01 : f64>)
// CHECK: vernier.param @b : {{.*}} init(#vernier.constant<1.000000e+00 : f64>)
// CHECK: vernier.param @u : {{.*}} init(#vernier.normal<mean = 0.000000e+00 : f64, std = 6.000000e-02 : f64>)
// CHECK: func.func @ffn
// CHECK: %[[N:.*]] = vernier.rms_norm
// CHECK-NOT: vernier.scale
// CHECK: %[[GATE:.*]] = vernier.linear %[[N]], %{{[a-z0-9]+}} bias
// CHECK-NOT: vernier.scale
// CHECK: %[[UP:.*]] = vernier.linear %[[N]]
// CHECK-NEXT: vernier.glu silu %[[GATE]], %[[UP]]
// CHECK: func.func private @vernier.values
// CHECK-DAG: %[[U:[a-z0-9]+]]: tensor<8x4xf32> {vernier.slot = #vernier.slot<param, "u">}
// CHECK-DAG: %[[W:[a-z0-9]+]]: tensor<8x4xf32> {vernier.slot = #vernier.slot<param, "w">}
// CHECK-DAG: %[[B:[a-z0-9]+]]: tensor<8xf32> {vernier.slot = #vernier.slot<param, "b">}
// CHECK-DAG: %[[G:[a-z0-9]+]]: tensor<4xf32> {vernier.slot = #vernier.slot<param, "g">}
// CHECK-DAG: %[[H:[a-z0-9]+]]: tensor<8xf32> {vernier.slot = #vernier.slot<param, "h">}
// CHECK-DAG: vernier.scale_rows %{{[a-z0-9]+}}, %[[H]] offset 1.0
// CHECK-DAG: vernier.scale %[[B]], %[[H]] offset 1.0
// CHECK-DAG: vernier.scale %{{[a-z0-9]+}}, %[[G]] :
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<3.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @h : tensor<8xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"h">])
vernier.param @w : tensor<8x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"w">])
vernier.param @b : tensor<8xf32> kind(bias) decay(none) optimizer(adamw) init(#vernier.constant<0.5 : f64>) stored([#vernier.stored<"b">])
vernier.param @u : tensor<8x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"u">])
func.func @ffn(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{folded 'g' into gate, up}}
  %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %w = vernier.get_param @w : tensor<8x4xf32>
  %b = vernier.get_param @b : tensor<8xf32>
  %gate = vernier.linear %s, %w bias %b : (tensor<2x4xf32>, tensor<8x4xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %h = vernier.get_param @h : tensor<8xf32>
  // expected-remark @below {{folded 'h' into gate}}
  %scaled = vernier.scale %gate, %h offset 1.0 : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %u = vernier.get_param @u : tensor<8x4xf32>
  %up = vernier.linear %s, %u : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %y = vernier.glu silu %scaled, %up : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----
// Of two in a row the second goes first.
// A bias that is no parameter stays as it is; a weight is as wide as the sizes of the
// factors make it.
// CHECK: vernier.param @w : {{.*}} init(#vernier.normal<mean = {{-?}}0.000000e+00 : f64, std = 1.800000e-01 : f64>)
// CHECK-LABEL: func.func @chain
// CHECK-NOT: vernier.scale
// CHECK: func.func private @vernier.values
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<-3.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @h : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<3.0 : f64>) stored([#vernier.stored<"h">])
vernier.param @w : tensor<8x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"w">])
func.func private @elsewhere() // without a body to look into
func.func @chain(%x: tensor<2x4xf32>, %bias: tensor<8xf32>) -> tensor<2x8xf32> {
  %w = vernier.get_param @w : tensor<8x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  %h = vernier.get_param @h : tensor<4xf32>
  // expected-remark @below {{folded 'g' into other}}
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{folded 'h' into other}}
  %t = vernier.scale %s, %h : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y = vernier.linear %t, %w bias %bias : (tensor<2x4xf32>, tensor<8x4xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// Forms whose direction or magnitude does not start with one value stay.
// CHECK-LABEL: func.func @random_forms
// CHECK-COUNT-2: vernier.scale_from_direction
vernier.param @a : tensor<4xf32> kind(direction) decay(none) optimizer(adamw) init(#vernier.normal<mean = 1.0 : f64, std = 0.1 : f64>) stored([#vernier.stored<"a">])
vernier.param @b : tensor<1xf32> kind(magnitude) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"b">])
vernier.param @c : tensor<4xf32> kind(direction) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"c">])
vernier.param @d : tensor<1xf32> kind(magnitude) decay(none) optimizer(adamw) init(#vernier.normal<mean = 1.0 : f64, std = 0.1 : f64>) stored([#vernier.stored<"d">])
func.func @random_forms(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %a = vernier.get_param @a : tensor<4xf32>
  %b = vernier.get_param @b : tensor<1xf32>
  %c = vernier.get_param @c : tensor<4xf32>
  %d = vernier.get_param @d : tensor<1xf32>
  %g = vernier.scale_from_direction original %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %h = vernier.scale_from_direction original %c, %d : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  // expected-remark @below {{not folded: no linear map}}
  // expected-remark @below {{form not folded: does not start with one value}}
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{not folded: no linear map}}
  // expected-remark @below {{form not folded: does not start with one value}}
  %t = vernier.scale %s, %h : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %t : tensor<2x4xf32>
}

// -----
// A vector of direction and magnitude, into the weight.
// CHECK-LABEL: module
// CHECK-NOT: kind(direction)
// CHECK-NOT: kind(magnitude)
// CHECK: func.func @form
// CHECK-NOT: vernier.scale
// CHECK: func.func private @vernier.values
// CHECK: %[[V:.*]] = vernier.scale_from_direction exponential
// CHECK: vernier.scale %{{.*}}, %[[V]]
vernier.param @g.direction : tensor<4xf32> kind(direction) decay(none) optimizer(adamw) init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"g.direction">])
vernier.param @g.magnitude : tensor<1xf32> kind(magnitude) decay(decay) optimizer(adamw) init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"g.magnitude">])
vernier.param @w : tensor<9x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"w">])
func.func @form(%x: tensor<2x4xf32>) -> tensor<2x9xf32> {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %a = vernier.get_param @g.direction : tensor<4xf32>
  %b = vernier.get_param @g.magnitude : tensor<1xf32>
  %g = vernier.scale_from_direction exponential %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  // expected-remark @below {{folded 'g.direction' into other}}
  %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %w = vernier.get_param @w : tensor<9x4xf32>
  %l = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<9x4xf32>) -> tensor<2x9xf32>
  return %l : tensor<2x9xf32>
}

// -----
// A norm stands between: the vector stays, plain.
// CHECK-LABEL: module
// CHECK: vernier.param @h : tensor<8xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.000000e+00 : f64>)
// CHECK: func.func @normed
// CHECK: %[[H:.*]] = vernier.get_param @h :
// CHECK: vernier.scale %{{.*}}, %[[H]] :
vernier.param @h.direction : tensor<8xf32> kind(direction) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"h.direction">])
vernier.param @h.magnitude : tensor<1xf32> kind(magnitude) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"h.magnitude">])
vernier.param @w : tensor<8x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w">])
func.func @normed(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
  %w = vernier.get_param @w : tensor<8x4xf32>
  %y = vernier.linear %x, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %n = vernier.rms_norm %y epsilon 1.0e-5 : tensor<2x8xf32> -> tensor<2x8xf32>
  %a = vernier.get_param @h.direction : tensor<8xf32>
  %b = vernier.get_param @h.magnitude : tensor<1xf32>
  %h = vernier.scale_from_direction original %a, %b : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  // expected-remark @below {{not folded: no linear map stands directly before or behind it: vernier.rms_norm stands before it, vernier.add behind it}}
  // expected-remark @below {{folded the form of 'h.direction'}}
  %s = vernier.scale %n, %h : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %z = vernier.add %s, %y : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %z : tensor<2x8xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// A tied weight; a vector that is read twice; one that is data; a weight that is.
// CHECK-LABEL: func.func @declined
// CHECK-COUNT-5: vernier.scale
// CHECK-NOT: vernier.values
vernier.param @e : tensor<9x4xf32> kind(embedding) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"e">])
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @h : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"h">])
vernier.param @k : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"k">])
vernier.param @w : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w">])
vernier.param @v : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"v">])
func.func @declined(%ids: tensor<2xi32>, %d: tensor<4xf32>, %u: tensor<4x4xf32>) -> tensor<2x9xf32> {
  %e = vernier.get_param @e : tensor<9x4xf32>
  %w = vernier.get_param @w : tensor<4x4xf32>
  %v = vernier.get_param @v : tensor<4x4xf32>
  %h = vernier.get_param @h : tensor<4xf32>
  %k = vernier.get_param @k : tensor<4xf32>
  %x = vernier.embedding %ids, %e : (tensor<2xi32>, tensor<9x4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{not folded: 'h' has 2 uses}}
  %0 = vernier.scale %x, %h : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = vernier.linear %0, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %2 = vernier.add %1, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{not folded: 'h' has 2 uses}}
  %3 = vernier.scale %2, %h : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %4 = vernier.linear %3, %v : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %5 = vernier.add %4, %2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{not folded: its vector is not a parameter}}
  %6 = vernier.scale %5, %d : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{not folded: the weight is not a parameter}}
  %7 = vernier.scale %6, %k : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %8 = vernier.linear %7, %u : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %n = vernier.rms_norm %8 epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{not folded: 'e' has 2 uses, vernier.embedding among them}}
  %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %l = vernier.linear %s, %e : (tensor<2x4xf32>, tensor<9x4xf32>) -> tensor<2x9xf32>
  return %l : tensor<2x9xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// A scaled value that something else reads, too, on either side.
// CHECK-LABEL: func.func @read_twice
// CHECK-COUNT-2: vernier.scale
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @h : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"h">])
vernier.param @w : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w">])
func.func @read_twice(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %g = vernier.get_param @g : tensor<4xf32>
  %h = vernier.get_param @h : tensor<4xf32>
  %w = vernier.get_param @w : tensor<4x4xf32>
  // expected-remark @below {{not folded: no linear map stands directly before or behind it: an argument stands before it, vernier.add behind it}}
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{not folded: the linear map's result has other uses}}
  %t = vernier.scale %y, %h : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %u = vernier.add %s, %y : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %z = vernier.add %t, %u : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// A vector of which the weights' start cannot be told.
// CHECK-LABEL: func.func @random
// CHECK: vernier.scale
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 1.0 : f64, std = 0.1 : f64>) stored([#vernier.stored<"g">])
vernier.param @w : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w">])
func.func @random(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %g = vernier.get_param @g : tensor<4xf32>
  %w = vernier.get_param @w : tensor<4x4xf32>
  // expected-remark @below {{not folded: 'g' does not start with one value}}
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// A weight that is no parameter, whatever the bias is; a scale of weights.
// CHECK-LABEL: func.func @no_weight
// CHECK-COUNT-2: vernier.scale
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<3.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @h : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<3.0 : f64>) stored([#vernier.stored<"h">])
vernier.param @b : tensor<4xf32> kind(bias) decay(none) optimizer(adamw) init(#vernier.constant<0.5 : f64>) stored([#vernier.stored<"b">])
func.func @no_weight(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %g = vernier.get_param @g : tensor<4xf32>
  %h = vernier.get_param @h : tensor<4xf32>
  %b = vernier.get_param @b : tensor<4xf32>
  // expected-remark @below {{not folded: no linear map stands directly before or behind it: an argument stands before it, vernier.linear behind it}}
  %v = vernier.scale %w, %g : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %y = vernier.linear %x, %v bias %b : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{not folded: the weight is not a parameter}}
  %s = vernier.scale %y, %h : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}
