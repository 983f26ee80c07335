// RUN: vernier-opt %s --vernier-expand-math | FileCheck %s
// RUN: vernier-opt %s --vernier-expand-math=fma=false | FileCheck %s --check-prefix=NOFMA

// The example of the pass.

// CHECK-LABEL: func.func @exp
// CHECK-SAME:    %[[X:.*]]: vector<8xf32>
// CHECK-NOT:     math.exp
// CHECK:         %[[T:.*]] = math.fma
// CHECK:         %[[N:.*]] = arith.subf %[[T]]
// CHECK:         %[[R:.*]] = math.fma %[[N]]
// CHECK:         arith.shli
// NOFMA-LABEL: func.func @exp
// NOFMA-NOT:     math.fma
// NOFMA:         return
func.func @exp(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp %x : vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func.func @number
// CHECK-NOT:     math.log
func.func @number(%x: f32) -> f32 {
  %y = math.log %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @power
// CHECK:         scf.while
// CHECK-NOT:     math.fpowi
func.func @power(%x: f64, %n: i64) -> f64 {
  %y = math.fpowi %x, %n : f64, i64
  return %y : f64
}

// Functions of f64 have no expansion.

// CHECK-LABEL: func.func @double
// CHECK:         math.exp
func.func @double(%x: f64) -> f64 {
  %y = math.exp %x : f64
  return %y : f64
}

// CHECK-LABEL: func.func @fma
// CHECK:         vector.fma
// NOFMA-LABEL: func.func @fma
// NOFMA:         arith.mulf
// NOFMA-NEXT:    arith.addf
func.func @fma(%x: vector<4xf32>) -> vector<4xf32> {
  %y = vector.fma %x, %x, %x : vector<4xf32>
  return %y : vector<4xf32>
}

// Nor have those of whole tensors: kernels are made of numbers and vectors.

// CHECK-LABEL: func.func @tensor
// CHECK-NEXT:    math.exp
func.func @tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
