// RUN: vernier-opt %s --vernier-form-products --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @linear
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>, %[[W:.*]]: tensor<5x4xf32>)
func.func @linear(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>) -> tensor<2x3x5xf32> {
  // CHECK: %[[X_NI:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  // CHECK: %[[Y_NO:.*]] = program.product %[[X_NI]], %[[W]] transpose_rhs : (tensor<6x4xf32>, tensor<5x4xf32>) -> tensor<6x5xf32>
  // CHECK: tensor.expand_shape %[[Y_NO]] {{\[}}[0, 1], [2]] output_shape [2, 3, 5]
  // CHECK-NOT: program.rows
  %y = vernier.linear %x, %w : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// -----

// CHECK-LABEL: func.func @bias_is_a_row_kernel
func.func @bias_is_a_row_kernel(%x: tensor<6x4xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> tensor<6x5xf32> {
  // CHECK: %[[Y:.*]] = program.product
  // CHECK: program.rows [6](%[[Y]], %{{.*}} : tensor<6x5xf32>, tensor<5xf32>) maps [#{{.*}}, #{{.*}}] outputs [map]
  // CHECK: arith.addf
  %y = vernier.linear %x, %w bias %b : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<6x5xf32>
  return %y : tensor<6x5xf32>
}

// -----

// One row has no leading dimensions.
// CHECK-LABEL: func.func @vector
func.func @vector(%x: tensor<4xf32>, %w: tensor<5x4xf32>) -> tensor<5xf32> {
  // CHECK: tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [1, 4]
  // CHECK: program.product {{.*}} -> tensor<1x5xf32>
  // CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1]] : tensor<1x5xf32> into tensor<5xf32>
  %y = vernier.linear %x, %w : (tensor<4xf32>, tensor<5x4xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// CHECK-LABEL: func.func @adjoints
func.func @adjoints(%dy: tensor<2x3x5xf32>, %x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>) -> (tensor<2x3x4xf32>, tensor<5x4xf32>) {
  // CHECK-DAG: program.product %{{.*}}, %{{.*}} : (tensor<6x5xf32>, tensor<5x4xf32>) -> tensor<6x4xf32>
  // CHECK-DAG: program.product %{{.*}}, %{{.*}} transpose_lhs : (tensor<6x5xf32>, tensor<6x4xf32>) -> tensor<5x4xf32>
  %dx = vernier.linear_input_grad %dy, %w : (tensor<2x3x5xf32>, tensor<5x4xf32>) -> tensor<2x3x4xf32>
  %dw = vernier.linear_weight_grad %dy, %x : (tensor<2x3x5xf32>, tensor<2x3x4xf32>) -> tensor<5x4xf32>
  return %dx, %dw : tensor<2x3x4xf32>, tensor<5x4xf32>
}
