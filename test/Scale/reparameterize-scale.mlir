// RUN: vernier-opt %s --vernier-reparameterize-scale --split-input-file --remarks-filter=vernier-scale --verify-diagnostics --verify-roundtrip | FileCheck %s
// RUN: vernier-opt %s --vernier-reparameterize-scale=form=exponential --split-input-file --remarks-filter=vernier-scale 2>%t | FileCheck %s --check-prefix=EXP
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: vernier-opt %s --vernier-reparameterize-scale=form=exponential --vernier-reparameterize-scale=form=plain --split-input-file | FileCheck %s --check-prefix=PLAIN
// RUN: vernier-opt %s --vernier-reparameterize-scale --split-input-file | vernier-opt --split-input-file --vernier-reparameterize-scale --remarks-filter=vernier-scale -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not vernier-opt %s --vernier-reparameterize-scale=form=log --split-input-file 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: vernier-opt %s --vernier-reparameterize-scale=branches=gate --split-input-file --remarks-filter=vernier-scale -o /dev/null 2>&1 | FileCheck %s --check-prefix=BRANCH
// TWICE-NOT: Passed
// TWICE: is original already
// TWICE: nothing to change
// FORM: error: there is no form 'log'; expected original, exponential or plain
// BRANCH: not reparameterized: is shared with up

// A `1 + w` scale of 2: magnitude and direction are of 2, not of w, and what decays
// goes toward 1 in each form (e^0).
// CHECK-LABEL: module
// CHECK-NEXT: vernier.param @g.direction : tensor<4xf32> kind(direction) decay(none) optimizer(adamw) init(#vernier.constant<2.000000e+00 : f64>) stored([#vernier.stored<"g.direction">])
// CHECK-NEXT: vernier.param @g.magnitude : tensor<1xf32> kind(magnitude) decay(decay) toward(1.000000e+00) optimizer(adamw) init(#vernier.constant<2.000000e+00 : f64>) stored([#vernier.stored<"g.magnitude">])
// CHECK-NEXT: func.func @ffn
// CHECK: %[[A:.*]] = vernier.get_param @g.direction
// CHECK-NEXT: %[[B:.*]] = vernier.get_param @g.magnitude
// CHECK-NEXT: %[[G:.*]] = vernier.scale_from_direction original %[[A]], %[[B]]
// CHECK-NEXT: vernier.scale %{{.*}}, %[[G]] :
// CHECK: func.func private @vernier.values(%[[OLD:.*]]: tensor<4xf32> {vernier.slot = #vernier.slot<param, "g">})
// CHECK: %[[ONE:.*]] = arith.constant dense<1.0
// CHECK: %[[SUM:.*]] = arith.addf %[[OLD]], %[[ONE]]
// CHECK: %[[AV:.*]], %[[BV:.*]] = vernier.scale_to_direction original %[[SUM]]
// CHECK: return %[[AV]], %[[BV]]

// EXP-LABEL: module
// EXP-NEXT: vernier.param @g.direction : {{.*}} init(#vernier.constant<0.000000e+00 : f64>)
// EXP-NEXT: vernier.param @g.magnitude : tensor<1xf32> kind(magnitude) decay(decay) optimizer(adamw) init(#vernier.constant<0.69314718{{[0-9]*}} : f64>)
// PLAIN-LABEL: module
// PLAIN-NEXT: vernier.param @g : tensor<4xf32> kind(scale) decay(decay) toward(1.000000e+00) optimizer(adamw) init(#vernier.constant<2.000000e+00 : f64>) stored([#vernier.stored<"g">])
// PLAIN: vernier.scale %{{[a-z0-9]+}}, %{{[a-z0-9]+}} :
// PLAIN-NOT: scale_from_direction original
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
func.func @ffn(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>, %u: tensor<8x4xf32>) -> tensor<2x8xf32> {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{reparameterized, original form}}
  %s = vernier.scale %n, %g offset 1.0 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %up = vernier.linear %s, %u : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %y = vernier.glu silu %gate, %up : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----
// A negative start has an original form, and no exponential one.
// CHECK-LABEL: module
// CHECK: vernier.param @g.direction : {{.*}} init(#vernier.constant<-2.000000e+00 : f64>)
// CHECK: vernier.param @g.magnitude : {{.*}} init(#vernier.constant<2.000000e+00 : f64>)
// REMARK: not reparameterized: starts at -2{{.*}}, which is not positive as the exponential form is
// EXP-LABEL: module
// EXP-NEXT: vernier.param @g :
// EXP-NOT: vernier.values
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<-2.0 : f64>) stored([#vernier.stored<"g">])
func.func @negative(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{reparameterized, original form}}
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// Not reparameterized: starts at zero; random; shared.
// CHECK-LABEL: module
// CHECK-NOT: scale_from_direction
vernier.param @z : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"z">])
vernier.param @r : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.normal<mean = 1.0 : f64, std = 0.1 : f64>) stored([#vernier.stored<"r">])
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
func.func @declined(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %z = vernier.get_param @z : tensor<4xf32>
  %r = vernier.get_param @r : tensor<4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{not reparameterized: starts at 0, which has no direction}}
  %0 = vernier.scale %x, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{not reparameterized: does not start with one value}}
  %1 = vernier.scale %0, %r : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{not reparameterized: 'g' has 2 uses}}
  %2 = vernier.scale %1, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{not reparameterized: 'g' has 2 uses}}
  %3 = vernier.scale %2, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}

// -----
// What a vector decays toward, with its sign; one of which e^b would have to be 0.
// CHECK-LABEL: module
// CHECK: vernier.param @g.magnitude : {{.*}} decay(decay) toward(5.000000e-01) optimizer(adamw) init(#vernier.constant<2.000000e+00 : f64>)
// CHECK: vernier.param @h.magnitude : {{.*}} decay(decay) toward(3.000000e+00) optimizer(adamw)
// CHECK: vernier.param @k.magnitude : {{.*}} decay(decay) optimizer(adamw)
// EXP-LABEL: module
// EXP: vernier.param @h.magnitude : {{.*}} decay(decay) toward(1.09861228{{[0-9]*}}) optimizer(adamw)
// EXP: vernier.param @k.magnitude : {{.*}} decay(decay) optimizer(adamw)
// PLAIN-LABEL: module
// PLAIN: vernier.param @g : {{.*}} decay(decay) toward(-5.000000e-01)
// PLAIN: vernier.param @h : {{.*}} decay(decay) toward(3.0000000{{[0-9]*}})
// PLAIN: vernier.param @k : {{.*}} decay(decay) toward(1.000000e+00)
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) toward(-0.5) optimizer(adamw) init(#vernier.constant<-2.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @h : tensor<4xf32> kind(scale) decay(decay) toward(3.0) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"h">])
vernier.param @k : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"k">])
func.func @toward(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %g = vernier.get_param @g : tensor<4xf32>
  // expected-remark @below {{reparameterized, original form}}
  %0 = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %h = vernier.get_param @h : tensor<4xf32>
  // expected-remark @below {{reparameterized, original form}}
  %1 = vernier.scale %0, %h : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %k = vernier.get_param @k : tensor<4xf32>
  // expected-remark @below {{reparameterized, original form}}
  %2 = vernier.scale %1, %k : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}
