// RUN: split-file %s %t
// RUN: vernier compare %t/a.mlir %t/same.mlir | FileCheck %s --check-prefix=SAME
// RUN: not vernier compare %t/a.mlir %t/other.mlir | FileCheck %s --check-prefix=OTHER
// RUN: not vernier compare %t/a.mlir %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not vernier compare %t/a.mlir %t/shape.mlir 2>&1 | FileCheck %s --check-prefix=SHAPE

//--- a.mlir
func.func @f(%x: tensor<3x5xf32>, %g: tensor<5xf32>) -> (tensor<3x5xf32>, tensor<5xf32>) {
  %y = vernier.scale %x, %g : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %s = vernier.column_sum %y : tensor<3x5xf32> -> tensor<5xf32>
  return %y, %s : tensor<3x5xf32>, tensor<5xf32>
}

//--- same.mlir
// SAME: f result 0: difference 0.00e+00
// SAME: f result 1: difference
// SAME-NOT: too large
func.func @f(%x: tensor<3x5xf32>, %g: tensor<5xf32>) -> (tensor<3x5xf32>, tensor<5xf32>) {
  %y, %s = program.rows [3] (%x, %g : tensor<3x5xf32>, tensor<5xf32>)
      maps [affine_map<(n) -> (n)>, affine_map<(n) -> ()>] outputs [map, sum] -> (tensor<3x5xf32>, tensor<5xf32>) {
  ^bb0(%row: tensor<5xf32>, %gamma: tensor<5xf32>):
    %0 = arith.mulf %row, %gamma : tensor<5xf32>
    program.yield %0, %0 : tensor<5xf32>, tensor<5xf32>
  }
  return %y, %s : tensor<3x5xf32>, tensor<5xf32>
}

//--- other.mlir
// OTHER: f result 0: difference 0.00e+00
// OTHER: f result 1: difference {{.*}}, which is too large
func.func @f(%x: tensor<3x5xf32>, %g: tensor<5xf32>) -> (tensor<3x5xf32>, tensor<5xf32>) {
  %y = vernier.scale %x, %g : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %s = vernier.column_sum %x : tensor<3x5xf32> -> tensor<5xf32>
  return %y, %s : tensor<3x5xf32>, tensor<5xf32>
}

//--- none.mlir
// NONE: error: there is no function 'f' to evaluate
func.func @g(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  return %x : tensor<3x5xf32>
}

//--- shape.mlir
// SHAPE: error: takes 1 arguments, but is evaluated with 2
func.func @f(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  return %x : tensor<3x5xf32>
}
