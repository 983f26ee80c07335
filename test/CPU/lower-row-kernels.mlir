// RUN: vernier-opt %s --vernier-lower-kernels-to-cpu=target=avx2 --canonicalize --cse --split-input-file | FileCheck %s
// RUN: vernier-opt %s --vernier-lower-kernels-to-cpu=target=avx512 --split-input-file | FileCheck %s --check-prefix=AVX512
// RUN: vernier-opt %s --vernier-lower-kernels-to-cpu=target=sse2 --split-input-file | FileCheck %s --check-prefix=SSE2

// The example of the pass. A block has 64 rows, so one block is all there is.

// CHECK-LABEL: func.func @double(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64)
// CHECK-SAME:    program.scratch_bytes = 0
// CHECK:         scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           %[[FIRST:.*]] = arith.muli %[[ROW]]
// CHECK:           %[[X:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:      %[[Y:.*]] = arith.addf %[[X]], %[[X]] fastmath<contract> : vector<8xf32>
// CHECK-NEXT:      llvm.store %[[Y]], %{{.*}} {alignment = 4 : i64} : vector<8xf32>
// CHECK-NOT:     func.func

// AVX512-LABEL: func.func @double
// AVX512:         llvm.intr.masked.load {{.*}} -> vector<16xf32>

// SSE2-LABEL: func.func @double
// SSE2-COUNT-2:   llvm.load {{.*}} -> vector<4xf32>

program.kernel @double [4] (tensor<4x8xf32>) -> (tensor<4x8xf32>)
    maps [affine_map<(r) -> (r)>] outputs [map] {
^bb0(%row: tensor<8xf32>):
  %0 = arith.addf %row, %row : tensor<8xf32>
  program.yield %0 : tensor<8xf32>
}

// -----

// Two reductions of level 0 share a sweep with eight accumulators; the second
// sweep stores. Of the last three columns only those are read and written.

// CHECK-LABEL: func.func @two_reductions
// CHECK:         %[[LOOP:.*]]:8 = scf.for
// CHECK-COUNT-4:   llvm.load
// CHECK:           scf.yield
// CHECK:         llvm.intr.masked.load
// CHECK:         vector.shuffle
// CHECK:         scf.for
// CHECK-COUNT-2:   llvm.store
// CHECK:         llvm.intr.masked.store
// CHECK-NOT:     scf.for
program.kernel @two_reductions [4] (tensor<4x99xf32>) -> (tensor<4x99xf32>)
    maps [affine_map<(r) -> (r)>] outputs [map] {
^bb0(%x: tensor<99xf32>):
  %square = arith.mulf %x, %x : tensor<99xf32>
  %a = program.reduce <add> %x : tensor<99xf32> -> f32
  %b = program.reduce <add> %square : tensor<99xf32> -> f32
  %c = arith.divf %a, %b : f32
  %cs = tensor.splat %c : tensor<99xf32>
  %y = arith.mulf %x, %cs : tensor<99xf32>
  program.yield %y : tensor<99xf32>
}

// -----

// The exponentials are computed once, and kept in the result's buffer.

// CHECK-LABEL: func.func @softmax
// CHECK-SAME:    program.scratch_bytes = 0
// CHECK:         math.exp
// CHECK-NOT:     math.exp
// CHECK:         arith.divf
program.kernel @softmax [4] (tensor<4x8xf32>) -> (tensor<4x8xf32>)
    maps [affine_map<(r) -> (r)>] outputs [map] {
^bb0(%x: tensor<8xf32>):
  %m = program.reduce <max> %x : tensor<8xf32> -> f32
  %ms = tensor.splat %m : tensor<8xf32>
  %d = arith.subf %x, %ms : tensor<8xf32>
  %e = math.exp %d : tensor<8xf32>
  %s = program.reduce <add> %e : tensor<8xf32> -> f32
  %ss = tensor.splat %s : tensor<8xf32>
  %y = arith.divf %e, %ss : tensor<8xf32>
  program.yield %y : tensor<8xf32>
}

// -----

// The operand is read again after the exponentials are there, and the result
// may lie where it lies: they are kept in scratch memory, 8 f32 in 64 bytes.

// CHECK-LABEL: func.func @read_late
// CHECK-SAME:    program.scratch_bytes = 64
// CHECK:         math.exp
// CHECK-NOT:     math.exp
program.kernel @read_late [4] (tensor<4x8xf32>) -> (tensor<4x8xf32>)
    maps [affine_map<(r) -> (r)>] outputs [map] {
^bb0(%x: tensor<8xf32>):
  %e = math.exp %x : tensor<8xf32>
  %s = program.reduce <add> %e : tensor<8xf32> -> f32
  %ss = tensor.splat %s : tensor<8xf32>
  %p = arith.divf %e, %ss : tensor<8xf32>
  %y = arith.mulf %p, %x : tensor<8xf32>
  program.yield %y : tensor<8xf32>
}

// -----

// A table has another place than a result, even one of the same shape.

// CHECK-LABEL: func.func @table_read_late
// CHECK-SAME:    program.scratch_bytes = 0
program.kernel @table_read_late [4] (tensor<8xf32>) -> (tensor<4x8xf32>)
    maps [affine_map<(r) -> ()>] outputs [map] {
^bb0(%x: tensor<8xf32>):
  %e = math.exp %x : tensor<8xf32>
  %s = program.reduce <add> %e : tensor<8xf32> -> f32
  %ss = tensor.splat %s : tensor<8xf32>
  %p = arith.divf %e, %ss : tensor<8xf32>
  %y = arith.mulf %p, %x : tensor<8xf32>
  program.yield %y : tensor<8xf32>
}

// -----

// Halves of a row are one loop over half the columns, without a reduction of
// any kind: four vectors are loaded before the first is stored.

// CHECK-LABEL: func.func @halves
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-4:     llvm.load
// CHECK-COUNT-4:     llvm.store
// CHECK-NOT:       llvm.load
program.kernel @halves [4] (tensor<4x64xf32>) -> (tensor<4x64xf32>)
    maps [affine_map<(r) -> (r)>] outputs [map] {
^bb0(%x: tensor<64xf32>):
  %l = tensor.extract_slice %x[0] [32] [1] : tensor<64xf32> to tensor<32xf32>
  %h = tensor.extract_slice %x[32] [32] [1] : tensor<64xf32> to tensor<32xf32>
  %s = arith.addf %l, %h : tensor<32xf32>
  %d = arith.subf %l, %h : tensor<32xf32>
  %y = tensor.concat dim(0) %s, %d : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
  program.yield %y : tensor<64xf32>
}

// -----

// Sums over rows: the block's partial sum is cleared, then accumulated in
// memory; the second function adds up those of all blocks.

// CHECK-LABEL: func.func @column_sum(
// CHECK:         llvm.store
// CHECK:         scf.for
// CHECK:           arith.addf
// CHECK:           llvm.store
// CHECK-LABEL: func.func @column_sum.finish(
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:             arith.addf
// CHECK:           llvm.store
program.kernel @column_sum [256] (tensor<256x8xf32>) -> (tensor<8xf32>)
    maps [affine_map<(r) -> (r)>] outputs [sum] {
^bb0(%x: tensor<8xf32>):
  program.yield %x : tensor<8xf32>
}

// -----

// What is the same for all rows is computed before the loop over rows.

// CHECK-LABEL: func.func @uniform
// CHECK:         math.fpowi
// CHECK:         scf.for
// CHECK-NOT:     math.fpowi
program.kernel @uniform [4] (tensor<4x8xf32>, tensor<i64>) -> (tensor<4x8xf32>)
    maps [affine_map<(r) -> (r)>, affine_map<(r) -> ()>] outputs [map] {
^bb0(%x: tensor<8xf32>, %n: i64):
  %beta = arith.constant 0.9 : f32
  %p = math.fpowi %beta, %n : f32, i64
  %ps = tensor.splat %p : tensor<8xf32>
  %y = arith.mulf %x, %ps : tensor<8xf32>
  program.yield %y : tensor<8xf32>
}
