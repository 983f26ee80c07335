// RUN: vernier-opt %s --vernier-relocate-scale=to=dual --split-input-file --remarks-filter=vernier-scale --verify-diagnostics --verify-roundtrip | FileCheck %s --check-prefixes=CHECK,DUAL
// RUN: vernier-opt %s --vernier-relocate-scale=to=dual-norm --split-input-file --verify-roundtrip | FileCheck %s --check-prefixes=CHECK,NORM
// RUN: vernier-opt %s --vernier-relocate-scale='to=dual-norm norm-axis=head epsilon=1e-3' --split-input-file | FileCheck %s --check-prefixes=HEAD
// RUN: vernier-opt %s --vernier-relocate-scale=to=output --split-input-file --remarks-filter=vernier-scale 2>%t | FileCheck %s --check-prefixes=OUTPUT
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: vernier-opt %s --vernier-relocate-scale=to=output --vernier-relocate-scale=to=input --split-input-file | FileCheck %s --check-prefixes=INPUT
// RUN: vernier-opt %s --vernier-relocate-scale=to=dual --split-input-file | vernier-opt --split-input-file --vernier-relocate-scale=to=dual --remarks-filter=vernier-scale -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: vernier-opt %s --vernier-relocate-scale=to=dual-norm --split-input-file | vernier-opt --split-input-file --vernier-relocate-scale=to=dual-norm --remarks-filter=vernier-scale -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not vernier-opt %s --vernier-relocate-scale=to=both --split-input-file 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: not vernier-opt %s --vernier-relocate-scale=norm-axis=row --split-input-file 2>&1 | FileCheck %s --check-prefix=AXIS
// TWICE-NOT: Passed
// TWICE: nothing to change
// PLACE: error: there is no place 'both' for a scale; expected input, output, dual or dual-norm
// AXIS: error: there is no norm-axis 'row'; expected vector or head

// CHECK-LABEL: module
// CHECK: vernier.param @wq.output_scale : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.000000e+00 : f64>)
// CHECK: %[[S:.*]] = vernier.scale
// CHECK: %[[Q:.*]] = vernier.linear %[[S]]
// NORM-NEXT: %[[QN:.*]] = vernier.rms_norm %[[Q]] epsilon 2.500000e-01
// CHECK-NEXT: %[[GQ:.*]] = vernier.get_param @wq.output_scale
// DUAL-NEXT: %[[QS:.*]] = vernier.scale %[[Q]], %[[GQ]]
// NORM-NEXT: %[[QS:.*]] = vernier.scale %[[QN]], %[[GQ]]
// CHECK: tensor.expand_shape %[[QS]]

// HEAD-LABEL: module
// HEAD: vernier.param @wq.output_scale : tensor<2xf32>
// HEAD: %[[Q:.*]] = vernier.linear
// HEAD-NEXT: %[[QH:.*]] = tensor.expand_shape %[[Q]]
// HEAD-NEXT: %[[QN:.*]] = vernier.rms_norm %[[QH]] epsilon 1.000000e-03 : tensor<1x2x2x2xf32>
// HEAD-NEXT: %[[GQ:.*]] = vernier.get_param @wq.output_scale
// HEAD-NEXT: vernier.scale %[[QN]], %[[GQ]]

// The weight of v is read twice, so v goes on with the shared vector.
// OUTPUT-LABEL: module
// OUTPUT: vernier.param @g :
// OUTPUT: %[[N:.*]] = vernier.rms_norm
// OUTPUT: %[[G:.*]] = vernier.get_param @g :
// OUTPUT: %[[S:.*]] = vernier.scale %[[N]], %[[G]]
// OUTPUT: %[[Q:.*]] = vernier.linear %[[N]]
// OUTPUT: vernier.scale %[[Q]]
// OUTPUT: vernier.linear %[[N]]
// OUTPUT: vernier.linear %[[S]]
// REMARK: scale of q relocated to output
// REMARK: scale of k relocated to output
// REMARK: scale of v not relocated: 'wv' has 2 uses

// INPUT-LABEL: module
// INPUT: vernier.param @wq.input_scale
// INPUT-NOT: output_scale
// INPUT: func.func @attention
// INPUT: %[[N:.*]] = vernier.rms_norm
// INPUT: %[[GQ:.*]] = vernier.get_param @wq.input_scale
// INPUT: %[[QS:.*]] = vernier.scale %[[N]], %[[GQ]]
// INPUT: %[[Q:.*]] = vernier.linear %[[QS]]
// INPUT-NEXT: tensor.expand_shape %[[Q]]
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @wq : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"wq">])
vernier.param @wk : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"wk">])
vernier.param @wv : tensor<4x4xf32> kind(matrix) decay(decay) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"wv">])
func.func @attention(%x: tensor<1x2x4xf32>) -> tensor<1x2x4xf32> {
  %n = vernier.rms_norm %x epsilon 0.25 : tensor<1x2x4xf32> -> tensor<1x2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  %s = vernier.scale %n, %g : (tensor<1x2x4xf32>, tensor<4xf32>) -> tensor<1x2x4xf32>
  %wq = vernier.get_param @wq : tensor<4x4xf32>
  // expected-remark @below {{scale of q relocated to dual}}
  %q = vernier.linear %s, %wq : (tensor<1x2x4xf32>, tensor<4x4xf32>) -> tensor<1x2x4xf32>
  %qh = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [1, 2, 2, 2] : tensor<1x2x4xf32> into tensor<1x2x2x2xf32>
  %wk = vernier.get_param @wk : tensor<4x4xf32>
  // expected-remark @below {{scale of k relocated to dual}}
  %k = vernier.linear %s, %wk : (tensor<1x2x4xf32>, tensor<4x4xf32>) -> tensor<1x2x4xf32>
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [1, 2, 2, 2] : tensor<1x2x4xf32> into tensor<1x2x2x2xf32>
  %wv = vernier.get_param @wv : tensor<4x4xf32>
  // expected-remark @below {{scale of v relocated to dual}}
  %v = vernier.linear %s, %wv : (tensor<1x2x4xf32>, tensor<4x4xf32>) -> tensor<1x2x4xf32>
  %vh = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [1, 2, 2, 2] : tensor<1x2x4xf32> into tensor<1x2x2x2xf32>
  %a, %lse = vernier.attention %qh, %kh, %vh scale 0.5 causal : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2xf32>)
  %c = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<1x2x2x2xf32> into tensor<1x2x4xf32>
  %o = vernier.linear %c, %wv : (tensor<1x2x4xf32>, tensor<4x4xf32>) -> tensor<1x2x4xf32>
  return %o : tensor<1x2x4xf32>
}

// -----
// expected-remark @above {{nothing to change}}
// A linear map that is no branch of those.
// CHECK-LABEL: func.func @down
// CHECK-NOT: vernier.values
func.func @down(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>) -> tensor<2x8xf32> {
  %y = vernier.linear %x, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
