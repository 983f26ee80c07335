// RUN: vernier-opt %s --split-input-file --vernier-differentiate=function=f | FileCheck %s

// How gradients flow through a graph; the rules of single operations are in
// differentiate-rules.mlir.

// The example of the pass. The function itself stays.
// CHECK-LABEL: func.func @f(
// CHECK-NOT: grad
// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[W:.*]]: tensor<4x3xf32>, %[[DY:.*]]: tensor<2x4xf32>)
// CHECK-SAME: -> (tensor<2x4xf32>, tensor<2x3xf32>, tensor<4x3xf32>)
// CHECK-NEXT: %[[Y:.*]] = vernier.linear %[[X]], %[[W]]
// CHECK-NEXT: %[[DW:.*]] = vernier.linear_weight_grad %[[DY]], %[[X]]
// CHECK-NEXT: %[[DX:.*]] = vernier.linear_input_grad %[[DY]], %[[W]]
// CHECK-NEXT: return %[[Y]], %[[DX]], %[[DW]]
// CHECK-LABEL: func.func @other
func.func @f(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) -> tensor<2x4xf32> {
  %y = vernier.linear %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
func.func @other() { return }

// -----

// Three uses: two adds, in the order in which the gradients arrive.
// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>, %[[DA:.*]]: tensor<3xf32>, %[[DB:.*]]: tensor<3xf32>, %[[DC:.*]]: tensor<3xf32>)
// CHECK: %[[GC:.*]] = vernier.scale %[[DC]],
// CHECK-NEXT: %[[GB:.*]] = vernier.scale %[[DB]],
// CHECK-NEXT: %[[S:.*]] = vernier.add %[[GC]], %[[GB]]
// CHECK-NEXT: %[[GA:.*]] = vernier.scale %[[DA]],
// CHECK-NEXT: %[[DX:.*]] = vernier.add %[[S]], %[[GA]]
// CHECK-NEXT: return %{{.*}}, %{{.*}}, %{{.*}}, %[[DX]]
func.func @f(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %c = arith.constant dense<2.0> : tensor<3xf32>
  %y = vernier.scale %x, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %z = vernier.scale %x, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %w = vernier.scale %x, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %z, %w : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// No gradients for constants: a scale with a constant vector has none of it.
// CHECK-LABEL: func.func @f_vjp
// CHECK-NOT: column_sum
// CHECK: return
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = arith.constant dense<2.0> : tensor<3xf32>
  %y = vernier.scale %x, %c : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// An operation that no result depends on has no adjoint and needs no rule;
// an argument that does not matter has a gradient of zero.
// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>, %[[Y:.*]]: tensor<4xf32>, %[[DX:.*]]: tensor<3xf32>)
// CHECK-NEXT: math.sin
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : tensor<4xf32>
// CHECK-NEXT: return %[[X]], %[[DX]], %[[ZERO]]
func.func @f(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<3xf32> {
  %s = math.sin %y : tensor<4xf32>
  return %x : tensor<3xf32>
}

// -----

// Neither does one that depends on no input.
// CHECK-LABEL: func.func @f_vjp
// CHECK: math.sin
// CHECK: vernier.mul
// CHECK-NEXT: vernier.mul
// CHECK-NEXT: return
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = arith.constant dense<2.0> : tensor<3xf32>
  %s = math.sin %c : tensor<3xf32>
  %y = vernier.mul %x, %s : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// Parameters come after the arguments, in the order of first use. Two reads are one value.
vernier.param @b : tensor<3xf32> kind(scale) decay(none) optimizer(adamw)
    init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"b">])
vernier.param @a : tensor<3xf32> kind(scale) decay(none) optimizer(adamw)
    init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"a">])
// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>, %[[DY:.*]]: tensor<3xf32>)
// CHECK-SAME: -> (tensor<3xf32>, tensor<3xf32>,
// CHECK-SAME: tensor<3xf32> {vernier.slot = #vernier.slot<param_gradient, "a">},
// CHECK-SAME: tensor<3xf32> {vernier.slot = #vernier.slot<param_gradient, "b">})
// CHECK: %[[A:.*]] = vernier.get_param @a
// CHECK: %[[B:.*]] = vernier.get_param @b
// CHECK-NOT: vernier.get_param
// CHECK: %[[P:.*]] = vernier.mul %[[X]], %[[A]]
// CHECK: %[[Q:.*]] = vernier.mul %[[P]], %[[B]]
// CHECK: %[[Y:.*]] = vernier.mul %[[Q]], %[[A]]
// CHECK-NEXT: %[[DQ:.*]] = vernier.mul %[[DY]], %[[A]]
// CHECK-NEXT: %[[DA2:.*]] = vernier.mul %[[DY]], %[[Q]]
// CHECK-NEXT: %[[DP:.*]] = vernier.mul %[[DQ]], %[[B]]
// CHECK-NEXT: %[[DB:.*]] = vernier.mul %[[DQ]], %[[P]]
// CHECK-NEXT: %[[DX:.*]] = vernier.mul %[[DP]], %[[A]]
// CHECK-NEXT: %[[DA1:.*]] = vernier.mul %[[DP]], %[[X]]
// CHECK-NEXT: %[[DA:.*]] = vernier.add %[[DA2]], %[[DA1]]
// CHECK-NEXT: return %[[Y]], %[[DX]], %[[DA]], %[[DB]]
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = vernier.get_param @a : tensor<3xf32>
  %b = vernier.get_param @b : tensor<3xf32>
  %p = vernier.mul %x, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %q = vernier.mul %p, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %again = vernier.get_param @a : tensor<3xf32>
  %y = vernier.mul %q, %again : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// A value that is returned twice, and one that is an argument.
// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>, %[[D0:.*]]: tensor<3xf32>, %[[D1:.*]]: tensor<3xf32>)
// CHECK-NEXT: %[[DX:.*]] = vernier.add %[[D0]], %[[D1]]
// CHECK-NEXT: return %[[X]], %[[X]], %[[DX]]
func.func @f(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  return %x, %x : tensor<3xf32>, tensor<3xf32>
}

// -----

// An untied table and a tied one in one graph: only the tied one starts from a gradient.
// CHECK-LABEL: func.func @f_vjp
// CHECK: %[[HEAD:.*]] = vernier.linear_weight_grad
// CHECK: vernier.embedding_grad %{{.*}} into %[[HEAD]]
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : tensor<8x4xf32>
// CHECK: vernier.embedding_grad %{{.*}} into %[[ZERO]]
func.func @f(%ids: tensor<3xi32>, %positions: tensor<3xi32>, %table: tensor<16x4xf32>, %p: tensor<8x4xf32>) -> tensor<3x16xf32> {
  %y = vernier.embedding %positions, %p : (tensor<3xi32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %x = vernier.embedding %ids, %table : (tensor<3xi32>, tensor<16x4xf32>) -> tensor<3x4xf32>
  %h = vernier.add %x, %y : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %l = vernier.linear %h, %table : (tensor<3x4xf32>, tensor<16x4xf32>) -> tensor<3x16xf32>
  return %l : tensor<3x16xf32>
}
