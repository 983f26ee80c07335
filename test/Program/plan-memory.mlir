// RUN: vernier-opt %s --vernier-outline-kernels --vernier-plan-memory --vernier-verify-plan --split-input-file | FileCheck %s

#row = affine_map<(n) -> (n)>

// A chain of row kernels needs one buffer: each writes over what it reads.
// CHECK: module attributes {program.arena_bytes = 4096 : i64
// CHECK-LABEL: func.func @chain
// CHECK-SAME: program.offset = 0
func.func @chain(%x: tensor<32x32xf32> {vernier.slot = #vernier.slot<ids>}) -> (tensor<32x32xf32> {vernier.slot = #vernier.slot<logits>}) {
  // CHECK: offsets = array<i64: 0>
  // CHECK: offsets = array<i64: 0>
  %0 = program.rows [32](%x : tensor<32x32xf32>) maps [#row] outputs [map] -> (tensor<32x32xf32>) {
  ^bb0(%r: tensor<32xf32>):
    %2 = arith.negf %r : tensor<32xf32>
    program.yield %2 : tensor<32xf32>
  }
  %1 = program.rows [32](%0 : tensor<32x32xf32>) maps [#row] outputs [map] -> (tensor<32x32xf32>) {
  ^bb0(%r: tensor<32xf32>):
    %2 = math.exp %r : tensor<32xf32>
    program.yield %2 : tensor<32xf32>
  }
  return %1 : tensor<32x32xf32>
}

// -----

// The logits' gradient lies where the logits lay: one buffer of that size
// (4096 x 97 x 4 bytes), though the product's result is seen through a view.
// CHECK: module attributes {program.arena_bytes = [[BYTES:1[0-9]{6}]] : i64
// CHECK-LABEL: func.func @no_second_buffer_of_logits
func.func @no_second_buffer_of_logits(%h: tensor<4096x4xf32> {vernier.slot = #vernier.slot<ids>}, %w: tensor<97x4xf32> {vernier.slot = #vernier.slot<param, "w">},
                                      %t: tensor<2x2048xi32> {vernier.slot = #vernier.slot<targets>})
    -> (tensor<f32> {vernier.slot = #vernier.slot<loss>}, tensor<97x4xf32> {vernier.slot = #vernier.slot<gradient, "w">}) {
  // CHECK: program.product {{.*}} {offsets = array<i64: [[LOGITS:[0-9]+]]>}
  // CHECK: program.launch @rows_2x2048x97({{.*}}) {offsets = array<i64: {{[0-9]+}}, [[LOGITS]]>, workspace
  %l = program.product %h, %w transpose_rhs : (tensor<4096x4xf32>, tensor<97x4xf32>) -> tensor<4096x97xf32>
  %v = tensor.expand_shape %l [[0, 1], [2]] output_shape [2, 2048, 97] : tensor<4096x97xf32> into tensor<2x2048x97xf32>
  %s, %d = program.rows [2, 2048](%v, %t : tensor<2x2048x97xf32>, tensor<2x2048xi32>)
      maps [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> (b, t)>] outputs [sum, map] -> (tensor<f32>, tensor<2x2048x97xf32>) {
  ^bb0(%r: tensor<97xf32>, %i: i32):
    %0 = program.reduce <max> %r : tensor<97xf32> -> f32
    %1 = arith.index_cast %i : i32 to index
    %2 = tensor.extract %r[%1] : tensor<97xf32>
    %3 = arith.subf %0, %2 : f32
    %4 = math.exp %r : tensor<97xf32>
    program.yield %3, %4 : f32, tensor<97xf32>
  }
  %c = tensor.collapse_shape %d [[0, 1], [2]] : tensor<2x2048x97xf32> into tensor<4096x97xf32>
  %g = program.product %c, %h transpose_lhs : (tensor<4096x97xf32>, tensor<4096x4xf32>) -> tensor<97x4xf32>
  return %s, %g : tensor<f32>, tensor<97x4xf32>
}

// -----

#row = affine_map<(n) -> (n)>

// Must not lie on the operand: one that moves columns, one that is read later,
// one that other rows read, one of another size.
// CHECK-LABEL: func.func @not_in_place
// CHECK-SAME: program.offset = [[X:[0-9]+]]
func.func @not_in_place(%x: tensor<16x16xf32> {vernier.slot = #vernier.slot<ids>})
    -> (tensor<16x16xf32> {vernier.slot = #vernier.slot<logits>}, tensor<16x8xf32> {vernier.slot = #vernier.slot<loss>}) {
  // CHECK: %[[A:.*]] = program.launch {{.*}} {offsets = array<i64: [[A0:[0-9]+]]>}
  // CHECK-NOT: offsets = array<i64: [[A0]]>
  %a = program.rows [16](%x : tensor<16x16xf32>) maps [#row] outputs [map] -> (tensor<16x16xf32>) {
  ^bb0(%r: tensor<16xf32>):
    %0 = arith.negf %r : tensor<16xf32>
    program.yield %0 : tensor<16xf32>
  }
  // CHECK: program.launch {{.*}} {offsets = array<i64: [[B0:[0-9]+]]>}
  %b = program.rows [16](%a : tensor<16x16xf32>) maps [#row] outputs [map] -> (tensor<16x16xf32>) {
  ^bb0(%r: tensor<16xf32>):
    %n = arith.negf %r : tensor<16xf32>
    %0 = tensor.extract_slice %n[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
    %1 = tensor.extract_slice %n[8] [8] [1] : tensor<16xf32> to tensor<8xf32>
    %2 = tensor.concat dim(0) %1, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
    program.yield %2 : tensor<16xf32>
  }
  // CHECK-NOT: offsets = array<i64: [[B0]]>
  %c = program.rows [16](%b : tensor<16x16xf32>) maps [#row] outputs [map] -> (tensor<16x8xf32>) {
  ^bb0(%r: tensor<16xf32>):
    %0 = tensor.extract_slice %r[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
    program.yield %0 : tensor<8xf32>
  }
  // CHECK: return
  return %b, %c : tensor<16x16xf32>, tensor<16x8xf32>
}

// -----

#row = affine_map<(n) -> (n)>
#first = affine_map<(n) -> ()>

// The vector that every row adds is also the row of which the result would take the place.
// CHECK-LABEL: func.func @not_over_what_all_rows_read
func.func @not_over_what_all_rows_read(%x: tensor<16xf32> {vernier.slot = #vernier.slot<ids>}) -> (tensor<4x16xf32> {vernier.slot = #vernier.slot<logits>}) {
  // CHECK: program.launch {{.*}} {offsets = array<i64: [[Y:[0-9]+]]>}
  // CHECK-NOT: program.launch {{.*}} {offsets = array<i64: [[Y]]>}
  // CHECK: return
  %y = program.rows [](%x : tensor<16xf32>) maps [affine_map<() -> ()>] outputs [map] -> (tensor<16xf32>) {
  ^bb0(%r: tensor<16xf32>):
    %0 = math.exp %r : tensor<16xf32>
    program.yield %0 : tensor<16xf32>
  }
  %z = program.rows [4](%y : tensor<16xf32>) maps [#first] outputs [map] -> (tensor<4x16xf32>) {
  ^bb0(%r: tensor<16xf32>):
    program.yield %r : tensor<16xf32>
  }
  return %z : tensor<4x16xf32>
}

// -----

#row = affine_map<(n) -> (n)>

// States: parameters first, one place in all phases, the next value where the
// old one lay; each 64-byte aligned. Gradients add up in place; tables are shared.
// CHECK: module attributes {program.arena_bytes = {{[0-9]+}} : i64
// CHECK-SAME: program.memory = {activations = {{[0-9]+}} : i64, constants = 256 : i64, gradients = 64 : i64, inputs = {{[0-9]+}} : i64, optimizer = 128 : i64, parameters = 128 : i64, workspace = {{[0-9]+}} : i64}
// CHECK-LABEL: func.func @accumulate
// CHECK-SAME: program.offset = 0 : i64, vernier.slot = #vernier.slot<param, "a">
// CHECK-SAME: program.offset = 256 : i64, vernier.slot = #vernier.slot<gradient, "a">
// CHECK-SAME: -> (tensor<3x3xf32> {program.offset = 256 : i64
func.func @accumulate(%a: tensor<3x3xf32> {vernier.slot = #vernier.slot<param, "a">}, %g: tensor<3x3xf32> {vernier.slot = #vernier.slot<gradient, "a">})
    -> (tensor<3x3xf32> {vernier.slot = #vernier.slot<gradient, "a">}) {
  // CHECK: program.rope_table {{.*}} {offsets = array<i64: 320, 448>}
  %c, %s = program.rope_table theta 1.0e4 : tensor<8x4xf32>, tensor<8x4xf32>
  // CHECK: program.product {{.*}} {offsets = array<i64: 256>}
  %n = program.product %a, %a init %g : (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return %n : tensor<3x3xf32>
}
// CHECK-LABEL: func.func @update
// CHECK-SAME: program.offset = 256 : i64, vernier.slot = #vernier.slot<gradient, "a">
// CHECK-SAME: program.offset = 0 : i64, vernier.slot = #vernier.slot<param, "a">
// CHECK-SAME: program.offset = 64 : i64, vernier.slot = #vernier.slot<param, "b">
// CHECK-SAME: program.offset = 128 : i64, vernier.slot = #vernier.slot<first_moment, "a">
// CHECK-SAME: program.offset = 192 : i64, vernier.slot = #vernier.slot<steps, "a">
func.func @update(%g: tensor<3x3xf32> {vernier.slot = #vernier.slot<gradient, "a">}, %a: tensor<3x3xf32> {vernier.slot = #vernier.slot<param, "a">},
                  %b: tensor<f32> {vernier.slot = #vernier.slot<param, "b">}, %m: tensor<3x3xf32> {vernier.slot = #vernier.slot<first_moment, "a">},
                  %k: tensor<i64> {vernier.slot = #vernier.slot<steps, "a">})
    -> (tensor<3x3xf32> {vernier.slot = #vernier.slot<param, "a">}, tensor<3x3xf32> {vernier.slot = #vernier.slot<first_moment, "a">}) {
  // CHECK: program.rope_table {{.*}} {offsets = array<i64: 320, 448>}
  %c, %s = program.rope_table theta 1.0e4 : tensor<8x4xf32>, tensor<8x4xf32>
  // CHECK: program.launch {{.*}} {offsets = array<i64: 0, 128>}
  %p, %n = program.rows [3](%g, %a, %m : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) maps [#row, #row, #row] outputs [map, map] -> (tensor<3x3xf32>, tensor<3x3xf32>) {
  ^bb0(%r: tensor<3xf32>, %x: tensor<3xf32>, %y: tensor<3xf32>):
    %0 = arith.addf %r, %y : tensor<3xf32>
    %1 = arith.addf %x, %0 : tensor<3xf32>
    program.yield %1, %0 : tensor<3xf32>, tensor<3xf32>
  }
  return %p, %n : tensor<3x3xf32>, tensor<3x3xf32>
}
