// RUN: vernier-opt %s --split-input-file --vernier-differentiate=function=f | FileCheck %s

// One case per gradient rule.

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<2x3xf32>, %[[DZ:.*]]: tensor<2x3xf32>)
// CHECK: %[[Z:.*]] = vernier.add %[[X]], %[[Y]]
// CHECK-NEXT: return %[[Z]], %[[DZ]], %[[DZ]]
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %z = vernier.add %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// -----

// Operands of another type get gradients of their type.
// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xbf16>, %[[Y:.*]]: tensor<2x3xf32>, %[[DZ:.*]]: tensor<2x3xf32>)
// CHECK: vernier.add
// CHECK-NEXT: %[[DX:.*]] = arith.truncf %[[DZ]] : tensor<2x3xf32> to tensor<2x3xbf16>
// CHECK-NEXT: return %{{.*}}, %[[DX]], %[[DZ]]
func.func @f(%x: tensor<2x3xbf16>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %z = vernier.add %x, %y : (tensor<2x3xbf16>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<2x3xf32>, %[[DZ:.*]]: tensor<2x3xf32>)
// CHECK: vernier.mul %[[X]], %[[Y]]
// CHECK-NEXT: %[[DX:.*]] = vernier.mul %[[DZ]], %[[Y]]
// CHECK-NEXT: %[[DY:.*]] = vernier.mul %[[DZ]], %[[X]]
// CHECK-NEXT: return %{{.*}}, %[[DX]], %[[DY]]
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %z = vernier.mul %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// -----

// A square: both factors are one value.
// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>, %[[DZ:.*]]: tensor<3xf32>)
// CHECK: vernier.mul %[[X]], %[[X]]
// CHECK-NEXT: %[[D0:.*]] = vernier.mul %[[DZ]], %[[X]]
// CHECK-NEXT: %[[D1:.*]] = vernier.mul %[[DZ]], %[[X]]
// CHECK-NEXT: %[[DX:.*]] = vernier.add %[[D0]], %[[D1]]
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %z = vernier.mul %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %z : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[W:.*]]: tensor<4x3xf32>, %[[B:.*]]: tensor<4xf32>, %[[DY:.*]]: tensor<2x4xf32>)
// CHECK: vernier.linear %[[X]], %[[W]] bias %[[B]]
// CHECK-NEXT: %[[DW:.*]] = vernier.linear_weight_grad %[[DY]], %[[X]]
// CHECK-NEXT: %[[DB:.*]] = vernier.column_sum %[[DY]] : tensor<2x4xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[DX:.*]] = vernier.linear_input_grad %[[DY]], %[[W]]
// CHECK-NEXT: return %{{.*}}, %[[DX]], %[[DW]], %[[DB]]
func.func @f(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %y = vernier.linear %x, %w bias %b : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// A table that is used once starts from zero.
// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[IDS:.*]]: tensor<2x3xi32>, %[[T:.*]]: tensor<16x4xf32>, %[[DY:.*]]: tensor<2x3x4xf32>)
// CHECK-SAME: -> (tensor<2x3x4xf32>, tensor<16x4xf32>)
// CHECK: vernier.embedding %[[IDS]], %[[T]]
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : tensor<16x4xf32>
// CHECK-NEXT: %[[DT:.*]] = vernier.embedding_grad %[[DY]], %[[IDS]] into %[[ZERO]]
// CHECK-NEXT: return %{{.*}}, %[[DT]]
func.func @f(%ids: tensor<2x3xi32>, %t: tensor<16x4xf32>) -> tensor<2x3x4xf32> {
  %y = vernier.embedding %ids, %t : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>, %[[DY:.*]]: tensor<2x4xf32>)
// CHECK: vernier.rms_norm %[[X]]
// CHECK-NEXT: %[[DX:.*]] = vernier.rms_norm_grad %[[DY]], %[[X]] epsilon 2.0{{0*}}e-05
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %y = vernier.rms_norm %x epsilon 2.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>, %[[DY:.*]]: tensor<2x4xf32>)
// CHECK: vernier.layer_norm %[[X]]
// CHECK-NEXT: %[[DX:.*]] = vernier.layer_norm_grad %[[DY]], %[[X]] epsilon 2.0{{0*}}e-05
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %y = vernier.layer_norm %x epsilon 2.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>, %[[G:.*]]: tensor<4xf32>, %[[DY:.*]]: tensor<2x4xf32>)
// CHECK: vernier.scale %[[X]], %[[G]] offset 1.0
// CHECK-NEXT: %[[DYX:.*]] = vernier.mul %[[DY]], %[[X]]
// CHECK-NEXT: %[[DG:.*]] = vernier.column_sum %[[DYX]]
// CHECK-NEXT: %[[DX:.*]] = vernier.scale %[[DY]], %[[G]] offset 1.0
// CHECK-NEXT: return %{{.*}}, %[[DX]], %[[DG]]
func.func @f(%x: tensor<2x4xf32>, %g: tensor<4xf32>) -> tensor<2x4xf32> {
  %y = vernier.scale %x, %g offset 1.0 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>, %[[G:.*]]: tensor<2xf32>, %[[DY:.*]]: tensor<2x4xf32>)
// CHECK: vernier.scale_rows %[[X]], %[[G]] offset 1.0
// CHECK-NEXT: %[[DYX:.*]] = vernier.mul %[[DY]], %[[X]]
// CHECK-NEXT: %[[DG:.*]] = vernier.row_sum %[[DYX]]
// CHECK-NEXT: %[[DX:.*]] = vernier.scale_rows %[[DY]], %[[G]] offset 1.0
// CHECK-NEXT: return %{{.*}}, %[[DX]], %[[DG]]
func.func @f(%x: tensor<2x4xf32>, %g: tensor<2xf32>) -> tensor<2x4xf32> {
  %y = vernier.scale_rows %x, %g offset 1.0 : (tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<1xf32>, %[[DY:.*]]: tensor<4xf32>)
// CHECK: vernier.scale_from_direction exponential %[[A]], %[[B]]
// CHECK-NEXT: %[[DA:.*]], %[[DB:.*]] = vernier.scale_from_direction_grad exponential %[[DY]], %[[A]], %[[B]]
// CHECK-NEXT: return %{{.*}}, %[[DA]], %[[DB]]
func.func @f(%a: tensor<4xf32>, %b: tensor<1xf32>) -> tensor<4xf32> {
  %y = vernier.scale_from_direction exponential %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The products that a scale vector's gradient sums are not rounded to bf16.
// CHECK-LABEL: func.func @f_vjp
// CHECK: vernier.mul %{{.*}} : (tensor<2x4xbf16>, tensor<2x4xbf16>) -> tensor<2x4xf32>
// CHECK: vernier.column_sum %{{.*}} : tensor<2x4xf32> -> tensor<4xf32>
// CHECK: vernier.scale %{{.*}} : (tensor<2x4xbf16>, tensor<4xf32>) -> tensor<2x4xbf16>
func.func @f(%x: tensor<2x4xbf16>, %g: tensor<4xf32>) -> tensor<2x4xbf16> {
  %y = vernier.scale %x, %g : (tensor<2x4xbf16>, tensor<4xf32>) -> tensor<2x4xbf16>
  return %y : tensor<2x4xbf16>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK: vernier.mul %{{.*}} : (tensor<4x2xbf16>, tensor<4x2xbf16>) -> tensor<4x2xf32>
// CHECK: vernier.row_sum %{{.*}} : tensor<4x2xf32> -> tensor<4xf32>
// CHECK: vernier.scale_rows %{{.*}} : (tensor<4x2xbf16>, tensor<4xf32>) -> tensor<4x2xbf16>
func.func @f(%x: tensor<4x2xbf16>, %g: tensor<4xf32>) -> tensor<4x2xbf16> {
  %y = vernier.scale_rows %x, %g : (tensor<4x2xbf16>, tensor<4xf32>) -> tensor<4x2xbf16>
  return %y : tensor<4x2xbf16>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x2x4xf32>, %[[DY:.*]]: tensor<1x2x2x4xf32>)
// CHECK: vernier.rope %[[X]] theta 1.0{{0*}}e+04 :
// CHECK-NEXT: %[[DX:.*]] = vernier.rope %[[DY]] theta 1.0{{0*}}e+04 inverse
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @f(%x: tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32> {
  %y = vernier.rope %x theta 1.0e4 : tensor<1x2x2x4xf32> -> tensor<1x2x2x4xf32>
  return %y : tensor<1x2x2x4xf32>
}

// -----

// The adjoint of the inverse rotation is the rotation, with the same scaling.
// CHECK-LABEL: func.func @f_vjp
// CHECK: vernier.rope %{{.*}} scaling [[SCALING:<.*>]] inverse :
// CHECK-NEXT: vernier.rope %{{.*}} theta 1.0{{0*}}e+04 scaling [[SCALING]] :
func.func @f(%x: tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32> {
  %y = vernier.rope %x theta 1.0e4 scaling <factor = 8.0 : f64, low_freq_factor = 1.0 : f64, high_freq_factor = 4.0 : f64, original_context = 8> inverse
      : tensor<1x2x2x4xf32> -> tensor<1x2x2x4xf32>
  return %y : tensor<1x2x2x4xf32>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[Q:.*]]: tensor<1x4x2x4xf32>, %[[K:.*]]: tensor<1x4x1x4xf32>, %[[V:.*]]: tensor<1x4x1x4xf32>, %[[DO:.*]]: tensor<1x4x2x4xf32>)
// CHECK: %[[O:.*]], %[[LSE:.*]] = vernier.attention %[[Q]], %[[K]], %[[V]]
// CHECK-NEXT: %[[DQ:.*]], %[[DK:.*]], %[[DV:.*]] = vernier.attention_grad %[[DO]], %[[Q]], %[[K]], %[[V]], %[[O]], %[[LSE]] scale 5.0{{0*}}e-01 causal window 2
// CHECK-NEXT: return %[[O]], %[[DQ]], %[[DK]], %[[DV]]
func.func @f(%q: tensor<1x4x2x4xf32>, %k: tensor<1x4x1x4xf32>, %v: tensor<1x4x1x4xf32>) -> tensor<1x4x2x4xf32> {
  %o, %lse = vernier.attention %q, %k, %v scale 0.5 causal window 2
      : (tensor<1x4x2x4xf32>, tensor<1x4x1x4xf32>, tensor<1x4x1x4xf32>) -> (tensor<1x4x2x4xf32>, tensor<1x4x2xf32>)
  return %o : tensor<1x4x2x4xf32>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[G:.*]]: tensor<2x4xf32>, %[[U:.*]]: tensor<2x4xf32>, %[[DY:.*]]: tensor<2x4xf32>)
// CHECK: vernier.glu gelu %[[G]], %[[U]]
// CHECK-NEXT: %[[DG:.*]], %[[DU:.*]] = vernier.glu_grad gelu %[[DY]], %[[G]], %[[U]]
// CHECK-NEXT: return %{{.*}}, %[[DG]], %[[DU]]
func.func @f(%g: tensor<2x4xf32>, %u: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %y = vernier.glu gelu %g, %u : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// Targets and divisor are integers: they have no gradients.
// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[L:.*]]: tensor<2x3x16xf32>, %[[T:.*]]: tensor<2x3xi32>, %[[N:.*]]: tensor<i64>, %[[DLOSS:.*]]: tensor<f32>)
// CHECK-SAME: -> (tensor<f32>, tensor<2x3x16xf32>)
// CHECK: %[[LOSS:.*]], %[[LSE:.*]] = vernier.cross_entropy %[[L]], %[[T]], %[[N]]
// CHECK-NEXT: %[[DL:.*]] = vernier.cross_entropy_grad %[[DLOSS]], %[[L]], %[[T]], %[[LSE]], %[[N]] ignore -1
// CHECK-NEXT: return %[[LOSS]], %[[DL]]
func.func @f(%l: tensor<2x3x16xf32>, %t: tensor<2x3xi32>, %n: tensor<i64>) -> tensor<f32> {
  %loss, %lse = vernier.cross_entropy %l, %t, %n ignore -1
      : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<2x6xf32>, %[[DY:.*]]: tensor<2x3x2xf32>)
// CHECK: tensor.expand_shape
// CHECK-NEXT: %[[DX:.*]] = tensor.collapse_shape %[[DY]] {{\[}}[0], [1, 2]] : tensor<2x3x2xf32> into tensor<2x6xf32>
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @f(%x: tensor<2x6xf32>) -> tensor<2x3x2xf32> {
  %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [2, 3, 2] : tensor<2x6xf32> into tensor<2x3x2xf32>
  return %y : tensor<2x3x2xf32>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x2xf32>, %[[DY:.*]]: tensor<2x6xf32>)
// CHECK: tensor.collapse_shape
// CHECK-NEXT: %[[DX:.*]] = tensor.expand_shape %[[DY]] {{\[}}[0], [1, 2]] output_shape [2, 3, 2] : tensor<2x6xf32> into tensor<2x3x2xf32>
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @f(%x: tensor<2x3x2xf32>) -> tensor<2x6xf32> {
  %y = tensor.collapse_shape %x [[0], [1, 2]] : tensor<2x3x2xf32> into tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK: %[[DX:.*]] = arith.extf %{{.*}} : tensor<3xbf16> to tensor<3xf32>
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @f(%x: tensor<3xf32>) -> tensor<3xbf16> {
  %y = arith.truncf %x : tensor<3xf32> to tensor<3xbf16>
  return %y : tensor<3xbf16>
}

// -----

// CHECK-LABEL: func.func @f_vjp
// CHECK: %[[DX:.*]] = arith.truncf %{{.*}} : tensor<3xf32> to tensor<3xbf16>
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @f(%x: tensor<3xbf16>) -> tensor<3xf32> {
  %y = arith.extf %x : tensor<3xbf16> to tensor<3xf32>
  return %y : tensor<3xf32>
}
