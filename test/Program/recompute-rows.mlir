// RUN: vernier-opt %s --vernier-recompute-rows --canonicalize --cse --split-input-file | FileCheck %s

#row = affine_map<(n) -> (n)>

// The second kernel reads x too: it squares it again, and the square is not kept.
// CHECK-LABEL: func.func @made_again
// CHECK-SAME: (%[[X:.*]]: tensor<3x4xf32>
func.func @made_again(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>) -> tensor<3x4xf32> {
  // CHECK: %[[H:.*]] = program.rows [3](%[[X]] : tensor<3x4xf32>) {{.*}} -> (tensor<3x4xf32>)
  // CHECK: %[[P:.*]] = program.product %[[H]]
  // CHECK: program.rows [3](%[[P]], %[[X]] : tensor<3x4xf32>, tensor<3x4xf32>)
  // CHECK: ^bb0(%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>):
  // CHECK: %[[SQ:.*]] = arith.mulf %[[B]], %[[B]]
  // CHECK: arith.addf %[[A]], %[[SQ]]
  %h, %s = program.rows [3](%x : tensor<3x4xf32>) maps [#row] outputs [map, map] -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    %0 = arith.mulf %r, %r : tensor<4xf32>
    %1 = arith.negf %0 : tensor<4xf32>
    program.yield %1, %0 : tensor<4xf32>, tensor<4xf32>
  }
  %p = program.product %h, %w : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %y = program.rows [3](%p, %s, %x : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) maps [#row, #row, #row] outputs [map] -> (tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %r: tensor<4xf32>):
    %0 = arith.addf %a, %b : tensor<4xf32>
    %1 = arith.addf %0, %r : tensor<4xf32>
    program.yield %1 : tensor<4xf32>
  }
  return %y : tensor<3x4xf32>
}

// -----

#row = affine_map<(n) -> (n)>

// From another result of the producer, which is read anyway.
// CHECK-LABEL: func.func @made_again_from_a_result
func.func @made_again_from_a_result(%x: tensor<3x4xf32>, %z: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  // CHECK: %[[H:.*]] = program.rows [3]({{.*}} outputs [map] -> (tensor<3x4xf32>)
  // CHECK: program.rows [3](%[[H]] : tensor<3x4xf32>)
  // CHECK: arith.mulf
  // CHECK: arith.divf
  %h, %s = program.rows [3](%x, %z : tensor<3x4xf32>, tensor<3x4xf32>) maps [#row, #row] outputs [map, map] -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = arith.addf %a, %b : tensor<4xf32>
    %1 = arith.mulf %0, %0 : tensor<4xf32>
    program.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  %y = program.rows [3](%h, %s : tensor<3x4xf32>, tensor<3x4xf32>) maps [#row, #row] outputs [map] -> (tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = arith.divf %a, %b : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  return %y, %h : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

#row = affine_map<(n) -> (n)>

// Two rows, the first made of the second: both are made again, and in order.
// CHECK-LABEL: func.func @one_made_of_the_other
func.func @one_made_of_the_other(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  // CHECK: %[[H:.*]]:2 = program.rows
  // CHECK: program.product
  // CHECK: program.rows [3](%{{.*}}, %{{.*}} : tensor<3x4xf32>, tensor<3x4xf32>)
  // CHECK: ^bb0(%[[R:.*]]: tensor<4xf32>, %[[P:.*]]: tensor<4xf32>):
  // CHECK-NEXT: %[[N:.*]] = arith.negf %[[R]]
  // CHECK-NEXT: %[[E:.*]] = math.exp %[[N]]
  // CHECK-NEXT: arith.mulf %[[E]], %[[N]]
  %e, %n = program.rows [3](%x : tensor<3x4xf32>) maps [#row] outputs [map, map] -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    %0 = arith.negf %r : tensor<4xf32>
    %1 = math.exp %0 : tensor<4xf32>
    program.yield %1, %0 : tensor<4xf32>, tensor<4xf32>
  }
  %p = program.product %e, %w : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %q = program.product %n, %w init %p : (tensor<3x4xf32>, tensor<4x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = program.rows [3](%e, %n, %x, %q : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) maps [#row, #row, #row, #row] outputs [map] -> (tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %r: tensor<4xf32>, %s: tensor<4xf32>):
    %0 = arith.mulf %a, %b : tensor<4xf32>
    %1 = arith.addf %0, %r : tensor<4xf32>
    %2 = arith.addf %1, %s : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  return %y, %q : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

#row = affine_map<(n) -> (n)>

// Its computation reads z, which the second kernel does not: kept.
// CHECK-LABEL: func.func @kept_if_it_takes_more
func.func @kept_if_it_takes_more(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>) -> tensor<3x4xf32> {
  // CHECK: %[[S:.*]] = program.rows
  %z = program.product %x, %w : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  // CHECK: program.rows [3](%{{.*}}, %[[S]] : tensor<3x4xf32>, tensor<3x4xf32>)
  %s = program.rows [3](%x, %z : tensor<3x4xf32>, tensor<3x4xf32>) maps [#row, #row] outputs [map] -> (tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = arith.addf %a, %b : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  %y = program.rows [3](%x, %s : tensor<3x4xf32>, tensor<3x4xf32>) maps [#row, #row] outputs [map] -> (tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = arith.divf %a, %b : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  return %y : tensor<3x4xf32>
}

// -----

#row = affine_map<(n) -> (n)>

// A number a row takes a sweep over the row to compute, and one load to read.
// CHECK-LABEL: func.func @numbers_are_kept
func.func @numbers_are_kept(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK: program.reduce
  // CHECK: program.rows
  // CHECK-NOT: program.reduce
  %s = program.rows [3](%x : tensor<3x4xf32>) maps [#row] outputs [map] -> (tensor<3xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %0 = program.reduce <add> %a : tensor<4xf32> -> f32
    program.yield %0 : f32
  }
  %y = program.rows [3](%x, %s : tensor<3x4xf32>, tensor<3xf32>) maps [#row, #row] outputs [map] -> (tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: f32):
    %0 = tensor.splat %b : tensor<4xf32>
    %1 = arith.divf %a, %0 : tensor<4xf32>
    program.yield %1 : tensor<4xf32>
  }
  return %y : tensor<3x4xf32>
}

// -----

// A number a row and, through the same producer, sums over rows: sums are no rows.
#row = affine_map<(n) -> (n)>
#all = affine_map<(n) -> ()>
// CHECK-LABEL: func.func @sums_are_kept
func.func @sums_are_kept(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK: outputs [sum]
  // CHECK: program.rows
  %s = program.rows [3](%x : tensor<3x4xf32>) maps [#row] outputs [sum] -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %0 = arith.mulf %a, %a : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  %y = program.rows [3](%x, %s : tensor<3x4xf32>, tensor<4xf32>) maps [#row, #all] outputs [map] -> (tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = arith.divf %a, %b : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  return %y : tensor<3x4xf32>
}

// -----

#row = affine_map<(n) -> (n)>
#all = affine_map<(n) -> ()>

// The argument is read in the place of the row that is made of it: nothing stores
// that row. With a second reader it is stored, and then read.
// CHECK-LABEL: func.func @reads_the_argument_instead
// CHECK-SAME: (%[[D:.*]]: tensor<3x4xf32>, %[[G:.*]]: tensor<4xf32>
func.func @reads_the_argument_instead(%d: tensor<3x4xf32>, %g: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<f32>) {
  // CHECK: program.rows [3](%[[D]], %[[G]] : {{.*}} outputs [sum] -> (tensor<f32>)
  // CHECK: program.rows [3](%[[D]], %[[G]] : {{.*}} outputs [map] -> (tensor<3x4xf32>)
  // CHECK: arith.mulf
  // CHECK-NEXT: math.exp
  %dw, %s = program.rows [3](%d, %g : tensor<3x4xf32>, tensor<4xf32>) maps [#row, #all] outputs [map, sum] -> (tensor<3x4xf32>, tensor<f32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = arith.mulf %a, %b : tensor<4xf32>
    %1 = program.reduce <add> %0 : tensor<4xf32> -> f32
    program.yield %0, %1 : tensor<4xf32>, f32
  }
  %y = program.rows [3](%dw : tensor<3x4xf32>) maps [#row] outputs [map] -> (tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %0 = math.exp %a : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  return %y, %s : tensor<3x4xf32>, tensor<f32>
}

// CHECK-LABEL: func.func @stored_for_another_reader
func.func @stored_for_another_reader(%d: tensor<3x4xf32>, %g: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  // CHECK: %[[DW:.*]] = program.rows
  // CHECK: program.rows [3](%[[DW]] : tensor<3x4xf32>)
  %dw = program.rows [3](%d, %g : tensor<3x4xf32>, tensor<4xf32>) maps [#row, #all] outputs [map] -> (tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = arith.mulf %a, %b : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  %y = program.rows [3](%dw : tensor<3x4xf32>) maps [#row] outputs [map] -> (tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %0 = math.exp %a : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  return %y, %dw : tensor<3x4xf32>, tensor<3x4xf32>
}

// Two rows instead of one are more to read; a sweep is more to compute.
// CHECK-LABEL: func.func @reads_the_row
func.func @reads_the_row(%d: tensor<3x4xf32>, %w: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  // CHECK: %[[ROWS:.*]]:2 = program.rows
  // CHECK: program.rows [3](%[[ROWS]]#0 : tensor<3x4xf32>)
  // CHECK: program.rows [3](%[[ROWS]]#1 : tensor<3x4xf32>)
  %p, %q = program.rows [3](%d, %w : tensor<3x4xf32>, tensor<3x4xf32>) maps [#row, #row] outputs [map, map] -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = arith.mulf %a, %b : tensor<4xf32>
    %1 = program.reduce <add> %a : tensor<4xf32> -> f32
    %2 = tensor.splat %1 : tensor<4xf32>
    program.yield %0, %2 : tensor<4xf32>, tensor<4xf32>
  }
  %y = program.rows [3](%p : tensor<3x4xf32>) maps [#row] outputs [map] -> (tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %0 = math.exp %a : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  %z = program.rows [3](%q : tensor<3x4xf32>) maps [#row] outputs [map] -> (tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %0 = math.exp %a : tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  return %y, %z : tensor<3x4xf32>, tensor<3x4xf32>
}
