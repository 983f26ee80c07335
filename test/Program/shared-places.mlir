// RUN: vernier-opt %s --vernier-plan-memory --vernier-verify-plan --split-input-file | FileCheck %s

// A step of one micro-batch: the gradient of a prepared value is made where the
// value lies, after its last reading. The product that makes it is moved there.
// CHECK-LABEL: module
// CHECK-SAME: program.memory = {{{.*}}gradients = 64 : i64{{.*}}parameters = 64 : i64
// CHECK: func.func @prepare
// CHECK: -> (tensor<4x4xf32> {program.offset = [[W:[0-9]+]] : i64, vernier.slot = #vernier.slot<prepared, "prepared.0">})
// CHECK: func.func @accumulate_first
// CHECK-SAME: program.offset = [[W]] : i64, vernier.slot = #vernier.slot<prepared, "prepared.0">
// CHECK-SAME: program.offset = [[W]] : i64, vernier.slot = #vernier.slot<gradient, "prepared.0">
// CHECK: program.product {{.*}} transpose_rhs {offsets
// CHECK-NEXT: program.product %{{[^ ]*}}, %{{[^ ]*}} {offsets
// CHECK-NEXT: program.product %{{.*}} transpose_lhs {offsets = array<i64: [[W]]>}
// CHECK: func.func @update
// CHECK-SAME: program.offset = [[W]] : i64, vernier.slot = #vernier.slot<gradient, "prepared.0">
func.func @prepare(%w: tensor<4x4xf32> {vernier.slot = #vernier.slot<param, "w">}) -> (tensor<4x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">}) {
  %0 = program.product %w, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func @accumulate_first(%x: tensor<2x4xf32> {vernier.slot = #vernier.slot<ids>}, %p: tensor<4x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">})
    -> (tensor<2x4xf32> {vernier.slot = #vernier.slot<loss>}, tensor<4x4xf32> {vernier.slot = #vernier.slot<gradient, "prepared.0">}) {
  %y = program.product %x, %p transpose_rhs : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %dw = program.product %y, %x transpose_lhs : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %dx = program.product %y, %p : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return %dx, %dw : tensor<2x4xf32>, tensor<4x4xf32>
}
func.func @update(%dw: tensor<4x4xf32> {vernier.slot = #vernier.slot<gradient, "prepared.0">}, %w: tensor<4x4xf32> {vernier.slot = #vernier.slot<param, "w">})
    -> (tensor<4x4xf32> {vernier.slot = #vernier.slot<param, "w">}) {
  %0 = program.product %dw, %dw init %w : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Several micro-batches: both are needed at once.
// CHECK-LABEL: func.func @first_of_several
// CHECK-SAME: program.offset = [[P:[0-9]+]] : i64, vernier.slot = #vernier.slot<prepared, "prepared.0">
// CHECK-NOT: program.offset = [[P]] : i64, vernier.slot = #vernier.slot<gradient
// CHECK: func.func @others
func.func @first_of_several(%x: tensor<2x4xf32> {vernier.slot = #vernier.slot<ids>}, %p: tensor<4x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">})
    -> (tensor<4x4xf32> {vernier.slot = #vernier.slot<gradient, "prepared.0">}) {
  %y = program.product %x, %p transpose_rhs : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %dw = program.product %y, %x transpose_lhs : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %dw : tensor<4x4xf32>
}
func.func @others(%x: tensor<2x4xf32> {vernier.slot = #vernier.slot<ids>}, %p: tensor<4x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">},
                      %so_far: tensor<4x4xf32> {vernier.slot = #vernier.slot<gradient, "prepared.0">})
    -> (tensor<4x4xf32> {vernier.slot = #vernier.slot<gradient, "prepared.0">}) {
  %y = program.product %x, %p transpose_rhs : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %dw = program.product %y, %x transpose_lhs init %so_far : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %dw : tensor<4x4xf32>
}

// -----

// The value is read after the gradient was: no order makes it possible.
// CHECK-LABEL: func.func @value_is_read_later
// CHECK-SAME: program.offset = [[P:[0-9]+]] : i64, vernier.slot = #vernier.slot<prepared, "prepared.0">
// CHECK-NOT: program.offset = [[P]] : i64, vernier.slot = #vernier.slot<gradient
// CHECK: return
func.func @value_is_read_later(%x: tensor<4x4xf32> {vernier.slot = #vernier.slot<ids>}, %p: tensor<4x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">})
    -> (tensor<4x4xf32> {vernier.slot = #vernier.slot<loss>}, tensor<4x4xf32> {vernier.slot = #vernier.slot<gradient, "prepared.0">}) {
  %dw = program.product %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = program.product %dw, %p : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y, %dw : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// What the gradient is made of is overwritten before the value's last reading.
// CHECK-LABEL: func.func @operand_is_overwritten
// CHECK-SAME: program.offset = [[P:[0-9]+]] : i64, vernier.slot = #vernier.slot<prepared, "prepared.0">
// CHECK-NOT: program.offset = [[P]] : i64, vernier.slot = #vernier.slot<gradient
// CHECK: return
func.func @operand_is_overwritten(%x: tensor<4x4xf32> {vernier.slot = #vernier.slot<ids>}, %p: tensor<4x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">})
    -> (tensor<4x4xf32> {vernier.slot = #vernier.slot<loss>}, tensor<4x4xf32> {vernier.slot = #vernier.slot<gradient, "prepared.0">}) {
  %a = program.product %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %dw = program.product %a, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = program.product %x, %p init %a : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y, %dw : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A phase that gives both.
// CHECK-LABEL: func.func @gives_both
// CHECK-SAME: program.offset = [[P:[0-9]+]] : i64, vernier.slot = #vernier.slot<prepared, "prepared.0">
// CHECK-NOT: program.offset = [[P]] : i64, vernier.slot = #vernier.slot<gradient
// CHECK: return
func.func @gives_both(%x: tensor<4x4xf32> {vernier.slot = #vernier.slot<ids>})
    -> (tensor<4x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">}, tensor<4x4xf32> {vernier.slot = #vernier.slot<gradient, "prepared.0">}) {
  %a = program.product %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = program.product %x, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
}
