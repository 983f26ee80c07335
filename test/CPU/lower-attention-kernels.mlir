// RUN: vernier-opt %s --vernier-lower-kernels-to-cpu=target=avx2 --canonicalize --cse --split-input-file | FileCheck %s
// RUN: vernier-opt %s --vernier-lower-kernels-to-cpu=target=avx512 --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=AVX512

// A block is 96 queries of a head; its keys come in blocks of 96. Scores are
// products of tiles of 6 keys by 2 vectors of queries, which stay in registers
// while the sum over the head's 10 columns runs; so is the output, by 2 vectors
// of columns. There are three query heads to a key head.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    program.scratch_bytes = 64896
// CHECK-DAG:     %[[MASKED:.*]] = arith.constant dense<-1.000000e+30> : vector<8xf32>
// CHECK-DAG:     %[[COLUMNS:.*]] = arith.constant 10 : i64
// CHECK-DAG:     %[[KEYS:.*]] = arith.constant 96 : i64
// CHECK-DAG:     %[[GROUP:.*]] = arith.constant 3 : i64
// CHECK:         scf.for %{{.*}} step %[[KEYS]]
// CHECK:           arith.divui %{{.*}}, %[[GROUP]]
// CHECK:           %{{.*}}:12 = scf.for %{{.*}} to %[[COLUMNS]] step %{{.*}} iter_args
// CHECK-COUNT-12:    math.fma %{{.*}} : vector<8xf32>
// CHECK:           %[[SEEN:.*]] = arith.cmpi sle, %{{.*}} : vector<8xi32>
// CHECK-NOT:       arith.cmpi sgt
// CHECK:           arith.select %[[SEEN]], %{{.*}}, %[[MASKED]]
// CHECK:           %{{.*}}:2 = scf.for
// CHECK-COUNT-2:     arith.cmpf ogt
// CHECK:           %{{.*}}:12 = scf.for
// CHECK-COUNT-12:    math.fma %{{.*}} : vector<8xf32>
// CHECK:         llvm.intr.masked.store
// CHECK-NOT:     func.call

// With 32 registers of 16 lanes tiles have 8 rows, and a head's 10 columns are
// one vector.

// AVX512-LABEL: func.func @forward(
// AVX512:         %{{.*}}:16 = scf.for
// AVX512-COUNT-16:  math.fma %{{.*}} : vector<16xf32>
// AVX512:         %{{.*}}:8 = scf.for
// AVX512-COUNT-8:   math.fma %{{.*}} : vector<16xf32>

program.attention_kernel @forward (tensor<2x100x3x10xf32>, tensor<2x100x1x10xf32>, tensor<2x100x1x10xf32>)
    -> (tensor<2x100x3x10xf32>, tensor<2x100x3xf32>) scale 0.5 causal

// -----

// A hundred times as many tokens need no more memory.

// CHECK-LABEL: func.func @ten_thousand_tokens(
// CHECK-SAME:    program.scratch_bytes = 64896
program.attention_kernel @ten_thousand_tokens (tensor<2x10000x3x10xf32>, tensor<2x10000x1x10xf32>, tensor<2x10000x1x10xf32>)
    -> (tensor<2x10000x3x10xf32>, tensor<2x10000x3xf32>) scale 0.5 causal

// -----

// A window also hides keys that are 8 or more positions back, and the loop over
// blocks of keys begins at the first that is seen.

// CHECK-LABEL: func.func @window(
// CHECK-DAG:     %[[MASKED:.*]] = arith.constant dense<-1.000000e+30> : vector<8xf32>
// CHECK-DAG:     %[[KEYS:.*]] = arith.constant 96 : i64
// CHECK-DAG:     %[[WINDOW:.*]] = arith.constant 8 : i64
// CHECK:         %[[BLOCK:.*]] = arith.divui %{{.*}}, %[[KEYS]]
// CHECK:         %[[FIRST:.*]] = arith.muli %[[BLOCK]], %[[KEYS]]
// CHECK:         scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %[[KEYS]]
// CHECK:           %[[NOT_LATER:.*]] = arith.cmpi sle, %{{.*}} : vector<8xi32>
// CHECK:           %[[RECENT:.*]] = arith.cmpi sgt, %{{.*}} : vector<8xi32>
// CHECK:           %[[SEEN:.*]] = arith.andi %[[NOT_LATER]], %[[RECENT]]
// CHECK:           arith.select %[[SEEN]], %{{.*}}, %[[MASKED]]
program.attention_kernel @window (tensor<2x200x3x10xf32>, tensor<2x200x1x10xf32>, tensor<2x200x1x10xf32>)
    -> (tensor<2x200x3x10xf32>, tensor<2x200x3xf32>) scale 0.5 causal window 8

// -----

// Without a mask nothing is compared but scores.

// CHECK-LABEL: func.func @all_see_all(
// CHECK-NOT:     arith.cmpi
program.attention_kernel @all_see_all (tensor<2x96x1x8xf32>, tensor<2x96x1x8xf32>, tensor<2x96x1x8xf32>)
    -> (tensor<2x96x1x8xf32>, tensor<2x96x1xf32>) scale 0.5

// -----

// Backward: a block is a key head of a sequence. Scores and the gradients of
// probabilities are one product each, then come the gradients of values and
// keys, which grow in the results, and of queries. 35 query heads share the
// thread's memory one after the other.

// CHECK-LABEL: func.func @backward(
// CHECK-SAME:    program.scratch_bytes = 128256
// CHECK-DAG:     %[[HEADS:.*]] = arith.constant 35 : i64
// CHECK-DAG:     %[[BLOCK:.*]] = arith.constant 96 : i64
// CHECK:         scf.for %{{.*}} to %[[HEADS]]
// CHECK:           scf.for %{{.*}} step %[[BLOCK]]
// CHECK:             scf.for %{{.*}} step %[[BLOCK]]
// CHECK:               %{{.*}}:12 = scf.for
// CHECK-COUNT-12:        math.fma
// CHECK:               arith.cmpi sle, %{{.*}} : vector<8xi32>
// CHECK:               %{{.*}}:12 = scf.for
// CHECK-COUNT-12:        math.fma
// CHECK:               %{{.*}}:12 = scf.for
// CHECK-COUNT-12:        math.fma
// CHECK:               llvm.intr.masked.store
// CHECK:               %{{.*}}:12 = scf.for
// CHECK-COUNT-12:        math.fma
// CHECK:               llvm.intr.masked.store
// CHECK:               %{{.*}}:12 = scf.for
// CHECK-COUNT-12:        math.fma
// CHECK:             llvm.intr.masked.store
// CHECK-NOT:     func.call
program.attention_kernel @backward (tensor<2x100x35x10xf32>, tensor<2x100x35x10xf32>, tensor<2x100x1x10xf32>,
                                    tensor<2x100x1x10xf32>, tensor<2x100x35x10xf32>, tensor<2x100x35xf32>)
    -> (tensor<2x100x35x10xf32>, tensor<2x100x1x10xf32>, tensor<2x100x1x10xf32>) scale 0.5 causal backward
