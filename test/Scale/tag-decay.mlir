// RUN: vernier-opt %s --vernier-tag-decay --remarks-filter=vernier-scale --verify-diagnostics --verify-roundtrip | FileCheck %s --check-prefix=IWD
// RUN: vernier-opt %s --vernier-tag-decay=policy=all | FileCheck %s --check-prefix=ALL
// RUN: vernier-opt %s --vernier-tag-decay=policy=none | FileCheck %s --check-prefix=NONE
// RUN: vernier-opt %s --vernier-tag-decay=policy=matrices | FileCheck %s --check-prefix=MATRICES
// RUN: vernier-opt %s --vernier-tag-decay | vernier-opt --vernier-tag-decay --remarks-filter=vernier-scale -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: vernier-opt %s --vernier-tag-decay='overrides=name:^out$=decay,kind:scale=none,site:final=decay,branch:q=none' | FileCheck %s --check-prefix=OVERRIDE
// RUN: vernier-opt %s --vernier-tag-decay='overrides=kind:direction=none' | FileCheck %s --check-prefix=STAYS
// RUN: vernier-opt %s --vernier-tag-decay='overrides=kind:scale=none' --vernier-tag-decay | FileCheck %s --check-prefix=AGAIN
// RUN: not vernier-opt %s --vernier-tag-decay='overrides=name:^nothing$=decay' 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not vernier-opt %s --vernier-tag-decay='overrides=kind:direction=decay' 2>&1 | FileCheck %s --check-prefix=DIRECTION
// RUN: not vernier-opt %s --vernier-tag-decay='overrides=rank:1=decay' 2>&1 | FileCheck %s --check-prefix=SELECTOR
// RUN: not vernier-opt %s --vernier-tag-decay='overrides=name:=none' 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not vernier-opt %s --vernier-tag-decay='overrides=kind:scale=often' 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: not vernier-opt %s --vernier-tag-decay='overrides=name:(=none' 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not vernier-opt %s --vernier-tag-decay=policy=iwdd 2>&1 | FileCheck %s --check-prefix=POLICY
// TWICE-NOT: Passed
// TWICE: nothing to change
// NOTHING: error: override 'name:^nothing$=decay' matches no parameter that it may change
// DIRECTION: error: override 'kind:direction=decay' matches no parameter that it may change
// SELECTOR: error: override 'rank:1=decay' is not understood; expected kind:K, site:S, branch:B or name:REGEX, and =decay or =none
// VALUE: error: override 'name:=none' is not understood
// GROUP: error: override 'kind:scale=often' ends in 'often'; expected =decay or =none
// REGEX: error: override 'name:(=none' has no regular expression
// POLICY: error: there is no policy 'iwdd'; expected iwd, all, none or matrices

// IWD:      @e : {{.*}} decay(decay)
// IWD-NEXT: @norm : {{.*}} decay(decay)
// IWD-NEXT: @w : {{.*}} decay(decay)
// IWD-NEXT: @b : {{.*}} decay(none)
// IWD-NEXT: @out : {{.*}} decay(none)
// IWD-NEXT: @inner : {{.*}} decay(none)
// IWD-NEXT: @both : {{.*}} decay(none)
// IWD-NEXT: @final : {{.*}} decay(decay)
// IWD-NEXT: @d : {{.*}} decay(none)
// ALL-COUNT-8: decay(decay)
// ALL: @d : {{.*}} decay(none)
// NONE-NOT: decay(decay)
// MATRICES:      @e : {{.*}} decay(decay)
// MATRICES-NEXT: @norm : {{.*}} decay(none)
// MATRICES-NEXT: @w : {{.*}} decay(decay)
// MATRICES-NOT: decay(decay)
// Later ones win: @out is a scale, @norm and @w are of q.
// OVERRIDE:      @e : {{.*}} decay(decay)
// OVERRIDE-NEXT: @norm : {{.*}} decay(none) {{.*}} {vernier.decay_reason = "override branch:q=none"}
// OVERRIDE-NEXT: @w : {{.*}} decay(none) {{.*}} {vernier.decay_reason = "override branch:q=none"}
// OVERRIDE-NEXT: @b :
// OVERRIDE-NEXT: @out : {{.*}} decay(none)
// OVERRIDE-NEXT: @inner :
// OVERRIDE-NEXT: @both :
// OVERRIDE-NEXT: @final : {{.*}} decay(decay) {{.*}} {vernier.decay_reason = "override site:final=decay"}
// AGAIN-NOT: vernier.decay_reason
// STAYS: @d : {{.*}} decay(none) {{.*}} {vernier.decay_reason = "override kind:direction=none"}

// Names and groups as they must not be, so that only the graph can tell.
// expected-remark @below {{'e' decays: embedding}}
vernier.param @e : tensor<9x4xf32> kind(embedding) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"e">])
// expected-remark @below {{'norm' decays: Input-Norm}}
vernier.param @norm : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"norm">])
// expected-remark @below {{'w' decays: matrix}}
vernier.param @w : tensor<4x4xf32> kind(matrix) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w">])
// expected-remark @below {{'b' does not decay: bias}}
vernier.param @b : tensor<4xf32> kind(bias) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"b">])
// expected-remark @below {{'out' does not decay: scales no Input-Norm}}
vernier.param @out : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"out">])
// expected-remark @below {{'inner' does not decay: scales no Input-Norm}}
vernier.param @inner : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"inner">])
// expected-remark @below {{'both' does not decay: scales an Input-Norm and something else}}
vernier.param @both : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"both">])
// expected-remark @below {{'final' decays: Input-Norm}}
vernier.param @final : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"final">])
// expected-remark @below {{'d' does not decay: the length of a direction has no meaning}}
vernier.param @d : tensor<4xf32> kind(direction) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"d">])
func.func @loss(%ids: tensor<1x2xi32>, %t: tensor<1x2xi32>) -> tensor<f32> {
  %e = vernier.get_param @e : tensor<9x4xf32>
  %norm = vernier.get_param @norm : tensor<4xf32>
  %w = vernier.get_param @w : tensor<4x4xf32>
  %b = vernier.get_param @b : tensor<4xf32>
  %out = vernier.get_param @out : tensor<4xf32>
  %inner = vernier.get_param @inner : tensor<4xf32>
  %both = vernier.get_param @both : tensor<4xf32>
  %final = vernier.get_param @final : tensor<4xf32>
  %x = vernier.embedding %ids, %e : (tensor<1x2xi32>, tensor<9x4xf32>) -> tensor<1x2x4xf32>
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<1x2x4xf32> -> tensor<1x2x4xf32>
  %s = vernier.scale %n, %norm : (tensor<1x2x4xf32>, tensor<4xf32>) -> tensor<1x2x4xf32>
  %q = vernier.linear %s, %w bias %b : (tensor<1x2x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<1x2x4xf32>
  // Behind the linear map; behind its inner norm.
  %q1 = vernier.scale %q, %out : (tensor<1x2x4xf32>, tensor<4xf32>) -> tensor<1x2x4xf32>
  %q2 = vernier.rms_norm %q1 epsilon 1.0e-5 : tensor<1x2x4xf32> -> tensor<1x2x4xf32>
  %q3 = vernier.scale %q2, %inner : (tensor<1x2x4xf32>, tensor<4xf32>) -> tensor<1x2x4xf32>
  %qh = tensor.expand_shape %q3 [[0], [1], [2, 3]] output_shape [1, 2, 2, 2] : tensor<1x2x4xf32> into tensor<1x2x2x2xf32>
  %kh = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [1, 2, 2, 2] : tensor<1x2x4xf32> into tensor<1x2x2x2xf32>
  %a, %lse = vernier.attention %qh, %kh, %kh scale 0.5 causal : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2xf32>)
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<1x2x2x2xf32> into tensor<1x2x4xf32>
  %c1 = vernier.scale %c, %both : (tensor<1x2x4xf32>, tensor<4xf32>) -> tensor<1x2x4xf32>
  %m = vernier.rms_norm %c1 epsilon 1.0e-5 : tensor<1x2x4xf32> -> tensor<1x2x4xf32>
  %m1 = vernier.scale %m, %both : (tensor<1x2x4xf32>, tensor<4xf32>) -> tensor<1x2x4xf32>
  %m2 = vernier.scale %m1, %final : (tensor<1x2x4xf32>, tensor<4xf32>) -> tensor<1x2x4xf32>
  %l = vernier.linear %m2, %e : (tensor<1x2x4xf32>, tensor<9x4xf32>) -> tensor<1x2x9xf32>
  %count = vernier.count_valid %t ignore -100 : tensor<1x2xi32> -> tensor<i64>
  %loss, %lse2 = vernier.cross_entropy %l, %t, %count ignore -100 : (tensor<1x2x9xf32>, tensor<1x2xi32>, tensor<i64>) -> (tensor<f32>, tensor<1x2xf32>)
  return %loss : tensor<f32>
}
