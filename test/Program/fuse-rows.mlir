// RUN: vernier-opt %s --vernier-form-products --vernier-form-kernels --vernier-fuse-rows --canonicalize --split-input-file | FileCheck %s
// RUN: vernier-opt %s --vernier-form-products --vernier-form-kernels --vernier-fuse-rows --canonicalize --split-input-file | FileCheck %s --check-prefix=COUNT

// Residual add, norm and scale: one kernel; the sum is read later and becomes a
// result, the normed row vanishes.
// CHECK-LABEL: func.func @add_norm_scale
func.func @add_norm_scale(%x: tensor<2x3x4xf32>, %r: tensor<2x3x4xf32>, %g: tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  // CHECK: %[[R:.*]]:2 = program.rows [2, 3](%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4xf32>)
  // CHECK-SAME: outputs [map, map] {program.label = "add_rms_norm_scale"}
  // CHECK: %[[H:.*]] = arith.addf
  // CHECK: program.reduce
  // CHECK: %[[Y:.*]] = arith.mulf
  // CHECK: program.yield %[[H]], %
  // CHECK-NEXT: }
  // CHECK-NEXT: return %[[R]]#0, %[[R]]#1
  %h = vernier.add %x, %r : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %n = vernier.rms_norm %h epsilon 1.0e-5 : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  %y = vernier.scale %n, %g : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %h, %y : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// The roundings stay: what is fused computes what the separate kernels do.
// CHECK-LABEL: func.func @bf16_is_rounded_between
func.func @bf16_is_rounded_between(%x: tensor<3x4xbf16>, %y: tensor<3x4xbf16>) -> tensor<3x4xbf16> {
  // CHECK: %[[S:.*]] = arith.addf
  // CHECK: %[[R:.*]] = arith.truncf %[[S]] : tensor<4xf32> to tensor<4xbf16>
  // CHECK: arith.extf %[[R]] : tensor<4xbf16> to tensor<4xf32>
  // CHECK: arith.mulf
  // COUNT: func.func @bf16_is_rounded_between
  // COUNT-COUNT-1: program.rows
  // COUNT-NOT: program.rows
  // COUNT: return
  %s = vernier.add %x, %y : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x4xbf16>
  %m = vernier.mul %s, %y : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x4xbf16>
  return %m : tensor<3x4xbf16>
}

// -----

// The backward pass of a norm and its scale, with the residual gradient.
// CHECK-LABEL: func.func @norm_backward
func.func @norm_backward(%dy: tensor<3x4xf32>, %x: tensor<3x4xf32>, %n: tensor<3x4xf32>, %g: tensor<4xf32>, %dr: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  // CHECK: program.rows [3]({{.*}}) maps {{.*}} outputs [sum, map]
  // COUNT: func.func @norm_backward
  // COUNT-COUNT-1: program.rows
  // COUNT-NOT: program.rows
  // COUNT: return
  %m = vernier.mul %dy, %n : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %dg = vernier.column_sum %m : tensor<3x4xf32> -> tensor<4xf32>
  %dn = vernier.scale %dy, %g : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %dx = vernier.rms_norm_grad %dn, %x epsilon 1.0e-5 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %d = vernier.add %dr, %dx : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %dg, %d : tensor<4xf32>, tensor<3x4xf32>
}

// -----

// Loss and its gradient: the logits are read once; the mean reads a sum and stays apart.
// CHECK-LABEL: func.func @cross_entropy
func.func @cross_entropy(%l: tensor<3x7xf32>, %t: tensor<3xi32>, %n: tensor<i64>) -> (tensor<f32>, tensor<3x7xf32>) {
  // CHECK: %[[R:.*]]:2 = program.rows [3](%{{.*}}, %{{.*}}, %{{.*}} : tensor<3x7xf32>, tensor<3xi32>, tensor<i64>) maps {{.*}} outputs [sum, map]
  // One exponential serves both.
  // CHECK: %[[E:.*]] = math.exp
  // CHECK: %[[S:.*]] = program.reduce <add> %[[E]]
  // CHECK-NOT: math.exp
  // CHECK: %[[INV:.*]] = arith.divf %{{.*}}, %[[S]]
  // CHECK: %[[SPREAD:.*]] = tensor.splat %[[INV]]
  // CHECK: arith.mulf %[[E]], %[[SPREAD]]
  // CHECK: program.rows [](%[[R]]#0
  // COUNT: func.func @cross_entropy
  // COUNT-COUNT-2: program.rows
  // COUNT-NOT: program.rows
  // COUNT: return
  %one = arith.constant dense<1.0> : tensor<f32>
  %loss, %lse = vernier.cross_entropy %l, %t, %n ignore -100 : (tensor<3x7xf32>, tensor<3xi32>, tensor<i64>) -> (tensor<f32>, tensor<3xf32>)
  %d = vernier.cross_entropy_grad %one, %l, %t, %lse, %n ignore -100 : (tensor<f32>, tensor<3x7xf32>, tensor<3xi32>, tensor<3xf32>, tensor<i64>) -> tensor<3x7xf32>
  return %loss, %d : tensor<f32>, tensor<3x7xf32>
}

// -----

// The last add reads the first's rows, but a product has to run between them.
// COUNT-LABEL: func.func @no_product_inside
func.func @no_product_inside(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>) -> tensor<3x4xf32> {
  // COUNT: program.rows
  // COUNT: program.product
  // COUNT: program.rows
  %0 = vernier.add %x, %x : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = vernier.linear %0, %w : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %2 = vernier.mul %0, %1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

// -----

// No reader of a sum: all rows must be there first.
// COUNT-LABEL: func.func @no_reader_of_a_sum
func.func @no_reader_of_a_sum(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // COUNT: outputs [sum]
  // COUNT: outputs [map]
  %s = vernier.column_sum %x : tensor<3x4xf32> -> tensor<4xf32>
  %y = vernier.scale %x, %s : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// No reader through another map: row t is needed by all rows (b, t).
// COUNT-LABEL: func.func @no_reader_of_other_rows
func.func @no_reader_of_other_rows(%p: tensor<3x4xf32>, %x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  // COUNT-COUNT-2: program.rows
  %q = vernier.mul %p, %p : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = program.rows [2, 3](%x, %q : tensor<2x3x4xf32>, tensor<3x4xf32>)
      maps [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (t)>] outputs [map] -> (tensor<2x3x4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = arith.addf %a, %b : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  return %y : tensor<2x3x4xf32>
}

// -----

// One factor clips all gradients; that does not make their updates one kernel.
// COUNT-LABEL: func.func @no_kernel_for_all_parameters
func.func @no_kernel_for_all_parameters(%norm: tensor<f64>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // COUNT-COUNT-3: program.rows
  %c = vernier.clip_factor %norm max 1.0 : tensor<f64> -> tensor<f32>
  %0 = program.rows [](%a, %c : tensor<4xf32>, tensor<f32>) maps [affine_map<() -> ()>, affine_map<() -> ()>] outputs [map] -> (tensor<4xf32>) {
  ^bb0(%r: tensor<4xf32>, %f: f32):
    %s = tensor.splat %f : tensor<4xf32>
    %1 = arith.mulf %r, %s : tensor<4xf32>
    program.yield %1 : tensor<4xf32>
  }
  %2 = program.rows [](%b, %c : tensor<4xf32>, tensor<f32>) maps [affine_map<() -> ()>, affine_map<() -> ()>] outputs [map] -> (tensor<4xf32>) {
  ^bb0(%r: tensor<4xf32>, %f: f32):
    %s = tensor.splat %f : tensor<4xf32>
    %3 = arith.mulf %r, %s : tensor<4xf32>
    program.yield %3 : tensor<4xf32>
  }
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The log-sum-exp of other logits: two exponentials stay two.
// CHECK-LABEL: func.func @other_log_sum_exp
func.func @other_log_sum_exp(%l: tensor<3x7xf32>, %o: tensor<3x7xf32>, %t: tensor<3xi32>, %n: tensor<i64>) -> (tensor<f32>, tensor<3x7xf32>) {
  // CHECK-COUNT-2: math.exp
  // CHECK: return
  %one = arith.constant dense<1.0> : tensor<f32>
  %loss, %lse = vernier.cross_entropy %o, %t, %n ignore -100 : (tensor<3x7xf32>, tensor<3xi32>, tensor<i64>) -> (tensor<f32>, tensor<3xf32>)
  %d = vernier.cross_entropy_grad %one, %l, %t, %lse, %n ignore -100 : (tensor<f32>, tensor<3x7xf32>, tensor<3xi32>, tensor<3xf32>, tensor<i64>) -> tensor<3x7xf32>
  return %loss, %d : tensor<f32>, tensor<3x7xf32>
}
