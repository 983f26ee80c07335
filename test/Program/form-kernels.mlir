// RUN: vernier-opt %s --vernier-form-kernels --canonicalize --split-input-file | FileCheck %s

// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[SAME:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func.func @scale
func.func @scale(%x: tensor<2x3x4xf32>, %g: tensor<4xf32>) -> tensor<2x3x4xf32> {
  // CHECK: program.rows [2, 3](%{{.*}}, %{{.*}} : tensor<2x3x4xf32>, tensor<4xf32>)
  // CHECK-SAME: maps [#[[ROW]], #[[SAME]]] outputs [map]
  // CHECK: ^bb0(%[[X:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>):
  // CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<4xf32>
  // CHECK: %[[SHIFTED:.*]] = arith.addf %[[G]], %[[ONE]]
  // CHECK: %[[Y:.*]] = arith.mulf %[[X]], %[[SHIFTED]]
  // CHECK: program.yield %[[Y]]
  %y = vernier.scale %x, %g offset 1.0 : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @scale_rows
func.func @scale_rows(%x: tensor<3x4xf32>, %g: tensor<3xf32>) -> tensor<3x4xf32> {
  // CHECK: program.rows [3](%{{.*}}, %{{.*}} : tensor<3x4xf32>, tensor<3xf32>)
  // CHECK-SAME: maps [#[[ROW]], #[[ROW]]] outputs [map]
  // CHECK: ^bb0(%[[X:.*]]: tensor<4xf32>, %[[G:.*]]: f32):
  // CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK: %[[SHIFTED:.*]] = arith.addf %[[G]], %[[ONE]]
  // CHECK: %[[SPREAD:.*]] = tensor.splat %[[SHIFTED]]
  // CHECK: %[[Y:.*]] = arith.mulf %[[X]], %[[SPREAD]]
  // CHECK: program.yield %[[Y]]
  %y = vernier.scale_rows %x, %g offset 1.0 : (tensor<3x4xf32>, tensor<3xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func @row_sum
func.func @row_sum(%x: tensor<3x4xf32>, %y: tensor<3x4xbf16>) -> (tensor<3xf32>, tensor<3xbf16>) {
  // CHECK: program.rows [3](%{{.*}} : tensor<3x4xf32>) maps {{.*}} outputs [map] {{.*}} -> (tensor<3xf32>)
  // CHECK: %[[SUM:.*]] = program.reduce <add> %{{.*}} : tensor<4xf32> -> f32
  // CHECK: program.yield %[[SUM]]
  // CHECK: arith.extf
  // CHECK: program.reduce <add> %{{.*}} : tensor<4xf32> -> f32
  // CHECK: arith.truncf
  %0 = vernier.row_sum %x : tensor<3x4xf32> -> tensor<3xf32>
  %1 = vernier.row_sum %y : tensor<3x4xbf16> -> tensor<3xbf16>
  return %0, %1 : tensor<3xf32>, tensor<3xbf16>
}

// -----

// Computed in f32 and rounded at the result.
// CHECK-LABEL: func.func @bf16_rounds_once
func.func @bf16_rounds_once(%x: tensor<3x4xbf16>, %y: tensor<3x4xbf16>) -> tensor<3x4xbf16> {
  // CHECK: %[[X:.*]] = arith.extf %{{.*}} : tensor<4xbf16> to tensor<4xf32>
  // CHECK: %[[Y:.*]] = arith.extf %{{.*}} : tensor<4xbf16> to tensor<4xf32>
  // CHECK: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : tensor<4xf32>
  // CHECK: %[[R:.*]] = arith.truncf %[[S]] : tensor<4xf32> to tensor<4xbf16>
  // CHECK: program.yield %[[R]]
  %s = vernier.add %x, %y : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x4xbf16>
  return %s : tensor<3x4xbf16>
}

// -----

// CHECK-LABEL: func.func @layer_norm
func.func @layer_norm(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK: %[[SUM:.*]] = program.reduce <add> %{{.*}} : tensor<4xf32> -> f32
  // CHECK: %[[MEAN:.*]] = arith.divf %[[SUM]]
  // CHECK: %[[C:.*]] = arith.subf
  // CHECK: %[[SQ:.*]] = arith.mulf %[[C]], %[[C]]
  // CHECK: program.reduce <add> %[[SQ]]
  // CHECK: math.rsqrt
  %n = vernier.layer_norm %x epsilon 1.0e-5 : tensor<3x4xf32> -> tensor<3x4xf32>
  return %n : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func @norm_grads
func.func @norm_grads(%dy: tensor<3x4xf32>, %x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  // CHECK: program.label = "rms_norm_grad"
  // CHECK-COUNT-2: program.reduce
  // CHECK: program.label = "layer_norm_grad"
  // CHECK-COUNT-4: program.reduce
  %0 = vernier.rms_norm_grad %dy, %x epsilon 1.0e-5 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = vernier.layer_norm_grad %dy, %x epsilon 1.0e-5 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// CHECK-DAG: #[[POSITION:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func.func @rope
func.func @rope(%q: tensor<2x5x3x4xf32>) -> (tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>) {
  // CHECK: %[[COS:.*]], %[[SIN:.*]] = program.rope_table theta 1.000000e+04 : tensor<5x2xf32>, tensor<5x2xf32>
  // CHECK: program.rows [2, 5, 3](%{{.*}}, %[[COS]], %[[SIN]] : tensor<2x5x3x4xf32>, tensor<5x2xf32>, tensor<5x2xf32>)
  // CHECK-SAME: maps [#{{.*}}, #[[POSITION]], #[[POSITION]]]
  // CHECK: tensor.extract_slice %{{.*}}[0] [2] [1]
  // CHECK: tensor.extract_slice %{{.*}}[2] [2] [1]
  // CHECK: tensor.concat dim(0)
  // CHECK: program.label = "rope_inverse"
  // CHECK: arith.negf
  %r = vernier.rope %q theta 1.0e4 : tensor<2x5x3x4xf32> -> tensor<2x5x3x4xf32>
  %i = vernier.rope %q theta 1.0e4 inverse : tensor<2x5x3x4xf32> -> tensor<2x5x3x4xf32>
  return %r, %i : tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @activations
func.func @activations(%g: tensor<3x4xf32>, %u: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  // CHECK: program.label = "glu_silu"
  // CHECK: math.exp
  // CHECK: program.label = "glu_gelu"
  // CHECK: math.erf
  // CHECK: program.label = "glu_gelu_tanh"
  // CHECK: math.tanh
  // CHECK: program.label = "glu_relu"
  // CHECK: arith.cmpf ole
  %0 = vernier.glu silu %g, %u : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = vernier.glu gelu %g, %u : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = vernier.glu gelu_tanh %g, %u : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %3 = vernier.glu relu %g, %u : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0, %1, %2, %3 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func @cross_entropy
func.func @cross_entropy(%l: tensor<2x3x7xf32>, %t: tensor<2x3xi32>, %n: tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>) {
  // CHECK: %[[S:.*]]:2 = program.rows [2, 3]({{.*}} outputs [sum, map] {{.*}} -> (tensor<f64>, tensor<2x3xf32>)
  // CHECK: program.reduce <max>
  // CHECK: program.reduce <add>
  // CHECK: %[[VALID:.*]] = arith.cmpi ne
  // CHECK: %[[LOSS:.*]] = arith.select %[[VALID]]
  // CHECK: %[[LOSS64:.*]] = arith.extf
  // CHECK: program.yield %[[LOSS64]]
  // CHECK: program.rows [](%[[S]]#0, %{{.*}} : tensor<f64>, tensor<i64>)
  // CHECK: %[[NONE:.*]] = arith.cmpi eq
  // CHECK: arith.select %[[NONE]]
  %loss, %lse = vernier.cross_entropy %l, %t, %n ignore -100 : (tensor<2x3x7xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  return %loss, %lse : tensor<f32>, tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @cross_entropy_grad
func.func @cross_entropy_grad(%l: tensor<3x7xf32>, %t: tensor<3xi32>, %lse: tensor<3xf32>, %n: tensor<i64>) -> tensor<3x7xf32> {
  // The seed is a constant and goes into the body.
  // CHECK: program.rows [3](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<3x7xf32>, tensor<3xi32>, tensor<3xf32>, tensor<i64>)
  // CHECK: program.column_index : tensor<7xi32>
  // CHECK: %[[VALID:.*]] = arith.cmpi ne
  // CHECK: %[[D:.*]] = arith.select %[[VALID]]
  // CHECK: program.yield %[[D]]
  %one = arith.constant dense<1.0> : tensor<f32>
  %d = vernier.cross_entropy_grad %one, %l, %t, %lse, %n ignore -100 : (tensor<f32>, tensor<3x7xf32>, tensor<3xi32>, tensor<3xf32>, tensor<i64>) -> tensor<3x7xf32>
  return %d : tensor<3x7xf32>
}

// -----

// CHECK-LABEL: func.func @sums
func.func @sums(%x: tensor<3x4xf32>, %y: tensor<3x4xbf16>, %t: tensor<3xi32>) -> (tensor<4xf32>, tensor<4xbf16>, tensor<i64>) {
  // CHECK: outputs [sum] {{.*}} -> (tensor<4xf32>)
  // CHECK: outputs [sum] {{.*}} -> (tensor<4xf32>)
  // CHECK: arith.extf
  // CHECK: program.rows [](
  // CHECK: arith.truncf
  // CHECK: outputs [sum] {{.*}} -> (tensor<i64>)
  // CHECK: arith.extui
  %0 = vernier.column_sum %x : tensor<3x4xf32> -> tensor<4xf32>
  %1 = vernier.column_sum %y : tensor<3x4xbf16> -> tensor<4xbf16>
  %2 = vernier.count_valid %t ignore -100 : tensor<3xi32> -> tensor<i64>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xbf16>, tensor<i64>
}

// -----

// CHECK-LABEL: func.func @optimizer
func.func @optimizer(%p: tensor<7x4xf32>, %m: tensor<7x4xf32>, %v: tensor<7x4xf32>, %g: tensor<7x4xf32>, %g1: tensor<3xf32>, %s: tensor<i64>, %r: tensor<f32>)
    -> (tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<i64>) {
  // Squares in f64.
  // CHECK: %[[A:.*]] = program.rows [7]({{.*}} outputs [sum] {program.label = "sum_of_squares"} -> (tensor<f64>)
  // CHECK: arith.extf %{{.*}} : tensor<4xf32> to tensor<4xf64>
  // CHECK: %[[B:.*]] = program.rows []({{.*}} outputs [sum] {program.label = "sum_of_squares"} -> (tensor<f64>)
  // CHECK: program.rows [](%[[A]], %[[B]]
  // CHECK: math.sqrt
  // CHECK: program.label = "clip_factor"
  // CHECK: program.rows [](%{{.*}} : tensor<i64>) {{.*}} {program.label = "addi"}
  // CHECK: arith.addi
  // CHECK: program.label = "adamw"
  // Bias corrections in f64, once a row.
  // CHECK: math.fpowi %{{.*}}, %{{.*}} : f64, i64
  // CHECK: math.fpowi %{{.*}}, %{{.*}} : f64, i64
  %one = arith.constant dense<1> : tensor<i64>
  %norm = vernier.global_norm %g, %g1 : (tensor<7x4xf32>, tensor<3xf32>) -> tensor<f64>
  %c = vernier.clip_factor %norm max 1.0 : tensor<f64> -> tensor<f32>
  %s1 = arith.addi %s, %one : tensor<i64>
  %p1, %m1, %v1 = vernier.adamw %p, %m, %v, %g, %s1, %r, %c
      beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1
      : (tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<i64>, tensor<f32>, tensor<f32>)
      -> (tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>)
  return %p1, %m1, %v1, %s1 : tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<i64>
}

// -----

// A constant that something else than a row kernel reads is filled in memory;
// kernels of their own kind stay for outlining.
// CHECK-LABEL: func.func @fill
func.func @fill(%dx: tensor<3x4xf32>, %ids: tensor<3xi32>) -> tensor<7x4xf32> {
  // CHECK: %[[ZERO:.*]] = program.rows [7]() maps [] outputs [map]
  // CHECK: vernier.embedding_grad %{{.*}}, %{{.*}} into
  %zero = arith.constant dense<0.0> : tensor<7x4xf32>
  %dt = vernier.embedding_grad %dx, %ids into %zero : (tensor<3x4xf32>, tensor<3xi32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  return %dt : tensor<7x4xf32>
}
