// RUN: vernier-opt %s --vernier-form-products --vernier-accumulate-in-place --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @weight_gradient
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<5x4xf32>
func.func @weight_gradient(%acc: tensor<5x4xf32>, %dy: tensor<2x3x5xf32>, %x: tensor<2x3x4xf32>) -> tensor<5x4xf32> {
  // CHECK: %[[SUM:.*]] = program.product %{{.*}}, %{{.*}} transpose_lhs init %[[ACC]]
  // CHECK-NEXT: return %[[SUM]]
  %dw = vernier.linear_weight_grad %dy, %x : (tensor<2x3x5xf32>, tensor<2x3x4xf32>) -> tensor<5x4xf32>
  %sum = vernier.add %acc, %dw : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  return %sum : tensor<5x4xf32>
}

// -----

// The gradients of q, k and v for their input: three products, no addition.
// CHECK-LABEL: func.func @chain_through_views
func.func @chain_through_views(%dq: tensor<2x3x5xf32>, %dk: tensor<2x3x5xf32>, %dv: tensor<2x3x5xf32>, %w: tensor<5x4xf32>) -> tensor<2x3x4xf32> {
  // CHECK: %[[A:.*]] = program.product
  // CHECK: %[[B:.*]] = program.product {{.*}} init %[[A]]
  // CHECK: %[[C:.*]] = program.product {{.*}} init %[[B]]
  // CHECK: tensor.expand_shape %[[C]]
  // CHECK-NOT: vernier.add
  %0 = vernier.linear_input_grad %dq, %w : (tensor<2x3x5xf32>, tensor<5x4xf32>) -> tensor<2x3x4xf32>
  %1 = vernier.linear_input_grad %dk, %w : (tensor<2x3x5xf32>, tensor<5x4xf32>) -> tensor<2x3x4xf32>
  %2 = vernier.add %0, %1 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %3 = vernier.linear_input_grad %dv, %w : (tensor<2x3x5xf32>, tensor<5x4xf32>) -> tensor<2x3x4xf32>
  %4 = vernier.add %2, %3 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %4 : tensor<2x3x4xf32>
}

// -----

// The residual stream is read again: it must not be overwritten.
// CHECK-LABEL: func.func @no_residual_that_is_read_again
func.func @no_residual_that_is_read_again(%x: tensor<2x3x4xf32>, %w: tensor<4x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  // CHECK: program.product
  // CHECK-NOT: init
  // CHECK: vernier.add
  %h = vernier.mul %x, %x : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %o = vernier.linear %h, %w : (tensor<2x3x4xf32>, tensor<4x4xf32>) -> tensor<2x3x4xf32>
  %y = vernier.add %h, %o : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y, %h : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @no_product_that_is_read_again
func.func @no_product_that_is_read_again(%acc: tensor<3x4xf32>, %x: tensor<3x4xf32>, %w: tensor<4x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  // CHECK: vernier.add
  %o = vernier.linear %x, %w : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %y = vernier.add %acc, %o : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y, %o : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func @no_bf16_that_rounds_twice
func.func @no_bf16_that_rounds_twice(%acc: tensor<3x4xbf16>, %x: tensor<3x4xbf16>, %w: tensor<4x4xbf16>) -> tensor<3x4xbf16> {
  // CHECK: vernier.add
  %o = vernier.linear %x, %w : (tensor<3x4xbf16>, tensor<4x4xbf16>) -> tensor<3x4xbf16>
  %y = vernier.add %acc, %o : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x4xbf16>
  return %y : tensor<3x4xbf16>
}

// -----

// A tied table: the head's product and the embedding's rows go into the same gradient.
// CHECK-LABEL: func.func @tied_embedding
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<7x4xf32>
func.func @tied_embedding(%acc: tensor<7x4xf32>, %dlogits: tensor<3x7xf32>, %h: tensor<3x4xf32>, %dx: tensor<3x4xf32>, %ids: tensor<3xi32>) -> tensor<7x4xf32> {
  // CHECK: %[[HEAD:.*]] = program.product %{{.*}}, %{{.*}} transpose_lhs init %[[ACC]]
  // CHECK: %[[SUM:.*]] = vernier.embedding_grad %{{.*}}, %{{.*}} into %[[HEAD]]
  // CHECK-NEXT: return %[[SUM]]
  %dw = vernier.linear_weight_grad %dlogits, %h : (tensor<3x7xf32>, tensor<3x4xf32>) -> tensor<7x4xf32>
  %dt = vernier.embedding_grad %dx, %ids into %dw : (tensor<3x4xf32>, tensor<3xi32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %sum = vernier.add %acc, %dt : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  return %sum : tensor<7x4xf32>
}

// -----

// CHECK-LABEL: func.func @embedding_into_zero
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: tensor<7x4xf32>
func.func @embedding_into_zero(%acc: tensor<7x4xf32>, %dx: tensor<3x4xf32>, %ids: tensor<3xi32>) -> tensor<7x4xf32> {
  // CHECK: vernier.embedding_grad %{{.*}}, %{{.*}} into %[[ACC]]
  // CHECK-NEXT: return
  %zero = arith.constant dense<0.0> : tensor<7x4xf32>
  %dt = vernier.embedding_grad %dx, %ids into %zero : (tensor<3x4xf32>, tensor<3xi32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %sum = vernier.add %acc, %dt : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  return %sum : tensor<7x4xf32>
}
