// RUN: vernier-opt %s --vernier-form-kernels -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: vernier compare %s %t.mlir | FileCheck %s --check-prefix=SAME

// Kernels compute what the operations do; formulas of the two are written apart.
// CHECK-NOT: vernier.scale
// CHECK-COUNT-8: program.rows
// CHECK-NOT: vernier.scale
// SAME: original result 0
// SAME: original_grad result 0
// SAME: original_grad result 1
// SAME: exponential result 0
// SAME: exponential_grad result 0
// SAME: exponential_grad result 1
// SAME: rows result 0
// SAME: rows_offset result 0
// SAME: sums result 0
// SAME: sum result 0
// SAME-NOT: too large
func.func @original(%a: tensor<7xf32>, %b: tensor<1xf32>) -> tensor<7xf32> {
  %g = vernier.scale_from_direction original %a, %b : (tensor<7xf32>, tensor<1xf32>) -> tensor<7xf32>
  return %g : tensor<7xf32>
}
func.func @original_grad(%dy: tensor<7xf32>, %a: tensor<7xf32>, %b: tensor<1xf32>) -> (tensor<7xf32>, tensor<1xf32>) {
  %da, %db = vernier.scale_from_direction_grad original %dy, %a, %b : (tensor<7xf32>, tensor<7xf32>, tensor<1xf32>) -> (tensor<7xf32>, tensor<1xf32>)
  return %da, %db : tensor<7xf32>, tensor<1xf32>
}
func.func @exponential(%a: tensor<7xf32>, %b: tensor<1xf32>) -> tensor<7xf32> {
  %g = vernier.scale_from_direction exponential %a, %b : (tensor<7xf32>, tensor<1xf32>) -> tensor<7xf32>
  return %g : tensor<7xf32>
}
func.func @exponential_grad(%dy: tensor<7xf32>, %a: tensor<7xf32>, %b: tensor<1xf32>) -> (tensor<7xf32>, tensor<1xf32>) {
  %da, %db = vernier.scale_from_direction_grad exponential %dy, %a, %b : (tensor<7xf32>, tensor<7xf32>, tensor<1xf32>) -> (tensor<7xf32>, tensor<1xf32>)
  return %da, %db : tensor<7xf32>, tensor<1xf32>
}
func.func @rows(%x: tensor<5x7xf32>, %g: tensor<5xf32>) -> tensor<5x7xf32> {
  %y = vernier.scale_rows %x, %g : (tensor<5x7xf32>, tensor<5xf32>) -> tensor<5x7xf32>
  return %y : tensor<5x7xf32>
}
func.func @rows_offset(%x: tensor<5x7xf32>, %g: tensor<5xf32>) -> tensor<5x7xf32> {
  %y = vernier.scale_rows %x, %g offset 1.0 : (tensor<5x7xf32>, tensor<5xf32>) -> tensor<5x7xf32>
  return %y : tensor<5x7xf32>
}
func.func @sums(%x: tensor<2x5x7xf32>) -> tensor<2x5xf32> {
  %s = vernier.row_sum %x : tensor<2x5x7xf32> -> tensor<2x5xf32>
  return %s : tensor<2x5xf32>
}
func.func @sum(%x: tensor<7xf32>) -> tensor<f32> {
  %s = vernier.row_sum %x : tensor<7xf32> -> tensor<f32>
  return %s : tensor<f32>
}
