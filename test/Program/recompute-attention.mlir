// RUN: vernier-opt %s --vernier-recompute-attention --remarks-filter=vernier-recompute-attention --split-input-file --verify-diagnostics | FileCheck %s
// RUN: vernier-opt %s --vernier-recompute-attention --vernier-recompute-attention --split-input-file | FileCheck %s

#row = affine_map<(b, t, h) -> (b, t, h)>
#all = affine_map<(b, t, h) -> ()>

// The query is made of x in two kernels, and x is read after the backward pass: both
// run again before it. So does the key's. The value is no kernel's.
// CHECK-LABEL: func.func @made_again
// CHECK-SAME: (%[[A:.*]]: tensor<2x4xf32>
// CHECK: %[[L:.*]] = program.product
// CHECK: %[[X:.*]] = tensor.expand_shape %[[L]]
// CHECK: vernier.attention %
// CHECK: %[[N:.*]] = program.rows [1, 2, 1](%[[X]], %{{.*}} : tensor<1x2x1x4xf32>, tensor<4xf32>)
// CHECK: %[[Q:.*]] = program.rows [1, 2, 1](%[[N]] :
// CHECK: %[[K:.*]] = program.rows [1, 2, 1](%[[X]], %
// CHECK: vernier.attention_grad %{{.*}}, %[[Q]], %[[K]], %
// CHECK-NOT: program.rows [1, 2, 1]
// CHECK: program.rows [2](%[[L]]
func.func @made_again(%a: tensor<2x4xf32>, %w: tensor<4x4xf32>, %g: tensor<4xf32>, %v: tensor<1x2x1x4xf32>) -> (tensor<1x2x1x4xf32>, tensor<2x4xf32>) {
  %l = program.product %a, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %x = tensor.expand_shape %l [[0, 1, 2], [3]] output_shape [1, 2, 1, 4] : tensor<2x4xf32> into tensor<1x2x1x4xf32>
  %n = program.rows [1, 2, 1](%x, %g : tensor<1x2x1x4xf32>, tensor<4xf32>) maps [#row, #all] outputs [map] -> (tensor<1x2x1x4xf32>) {
  ^bb0(%r: tensor<4xf32>, %s: tensor<4xf32>):
    %0 = arith.mulf %r, %s : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  %q = program.rows [1, 2, 1](%n : tensor<1x2x1x4xf32>) maps [#row] outputs [map] -> (tensor<1x2x1x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    %0 = arith.negf %r : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  %o, %lse = vernier.attention %q, %n, %v scale 0.5 causal : (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>) -> (tensor<1x2x1x4xf32>, tensor<1x2x1xf32>)
  // expected-remark @below {{makes operand 1 again}}
  // expected-remark @below {{makes operand 2 again}}
  %dq, %dk, %dv = vernier.attention_grad %o, %q, %n, %v, %o, %lse scale 0.5 causal
      : (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1xf32>)
      -> (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>)
  %d = program.rows [2](%l : tensor<2x4xf32>) maps [affine_map<(n) -> (n)>] outputs [map] -> (tensor<2x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    %0 = math.exp %r : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  return %dq, %d : tensor<1x2x1x4xf32>, tensor<2x4xf32>
}

// -----

#row = affine_map<(b, t, h) -> (b, t, h)>

// Nothing reads the linear map's result after the forward pass: it is the query that is
// kept, as without a norm.
// CHECK-LABEL: func.func @source_is_not_kept
// CHECK: %[[Q:.*]] = program.rows
// CHECK-NOT: program.rows
// CHECK: vernier.attention_grad %{{.*}}, %[[Q]], %[[Q]], %
func.func @source_is_not_kept(%a: tensor<2x4xf32>, %w: tensor<4x4xf32>, %v: tensor<1x2x1x4xf32>) -> tensor<1x2x1x4xf32> {
  %l = program.product %a, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %x = tensor.expand_shape %l [[0, 1, 2], [3]] output_shape [1, 2, 1, 4] : tensor<2x4xf32> into tensor<1x2x1x4xf32>
  %q = program.rows [1, 2, 1](%x : tensor<1x2x1x4xf32>) maps [#row] outputs [map] -> (tensor<1x2x1x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    %0 = arith.negf %r : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  %o, %lse = vernier.attention %q, %q, %v scale 0.5 causal : (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>) -> (tensor<1x2x1x4xf32>, tensor<1x2x1xf32>)
  %dq, %dk, %dv = vernier.attention_grad %o, %q, %q, %v, %o, %lse scale 0.5 causal
      : (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1xf32>)
      -> (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>)
  return %dq : tensor<1x2x1x4xf32>
}
