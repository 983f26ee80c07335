// RUN: vernier-opt %s --vernier-guard-state --split-input-file | FileCheck %s

// The usual case: a gradient is added to where it lies.
// CHECK-LABEL: func.func @gradient_in_place
// CHECK-NOT: program.rows
func.func @gradient_in_place(%g: tensor<2x2xf32> {vernier.slot = #vernier.slot<gradient, "w">}, %x: tensor<2x2xf32> {vernier.slot = #vernier.slot<ids>})
    -> (tensor<2x2xf32> {vernier.slot = #vernier.slot<gradient, "w">}) {
  %0 = program.product %x, %x init %g : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// CHECK-LABEL: func.func @parameter_is_kept
// CHECK-SAME: (%[[P:[a-z0-9]+]]: tensor<2x2xf32>
func.func @parameter_is_kept(%p: tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "w">}, %x: tensor<2x2xf32> {vernier.slot = #vernier.slot<ids>})
    -> (tensor<2x2xf32> {vernier.slot = #vernier.slot<logits>}) {
  // CHECK: %[[COPY:.*]] = program.rows [2](%[[P]] : tensor<2x2xf32>)
  // CHECK: program.product %{{.*}}, %{{.*}} init %[[COPY]]
  %0 = program.product %x, %x init %p : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// What the product adds to is read again after it.
// CHECK-LABEL: func.func @read_again
func.func @read_again(%a: tensor<2x2xf32> {vernier.slot = #vernier.slot<ids>}) -> (tensor<2x2xf32> {vernier.slot = #vernier.slot<logits>}) {
  // CHECK: %[[H:.*]] = program.product
  // CHECK: %[[COPY:.*]] = program.rows [2](%[[H]]
  // CHECK: %[[S:.*]] = program.product %{{.*}}, %{{.*}} init %[[COPY]]
  // CHECK: program.product %[[H]], %[[S]]
  %h = program.product %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %s = program.product %a, %a init %h : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = program.product %h, %s : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

// The product reads what it adds to as a factor as well.
// CHECK-LABEL: func.func @read_by_the_same_product
func.func @read_by_the_same_product(%a: tensor<2x2xf32> {vernier.slot = #vernier.slot<ids>}) -> (tensor<2x2xf32> {vernier.slot = #vernier.slot<logits>}) {
  // CHECK: %[[COPY:.*]] = program.rows
  // CHECK: program.product %{{.*}}, %{{.*}} init %[[COPY]]
  %s = program.product %a, %a init %a : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %s : tensor<2x2xf32>
}

// -----

// A product cannot write over a factor: its result is copied to the state at the end.
// CHECK-LABEL: func.func @state_is_a_factor
func.func @state_is_a_factor(%p: tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "w">}) -> (tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "w">}) {
  // CHECK: %[[N:.*]] = program.product
  // CHECK: %[[COPY:.*]] = program.rows [2](%[[N]]
  // CHECK: return %[[COPY]]
  %n = program.product %p, %p : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %n : tensor<2x2xf32>
}

// -----

#row = affine_map<(n) -> (n)>
// A row kernel can, and needs no copy.
// CHECK-LABEL: func.func @row_kernel_in_place
// CHECK-COUNT-1: program.rows
// CHECK-NOT: program.rows
func.func @row_kernel_in_place(%p: tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "w">}) -> (tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "w">}) {
  %n = program.rows [2](%p : tensor<2x2xf32>) maps [#row] outputs [map] -> (tensor<2x2xf32>) {
  ^bb0(%r: tensor<2xf32>):
    %0 = arith.negf %r : tensor<2xf32>
    program.yield %0 : tensor<2xf32>
  }
  return %n : tensor<2x2xf32>
}

// -----

#row = affine_map<(n) -> (n)>
// The old value is read after the new one is made.
// CHECK-LABEL: func.func @old_value_is_read_later
func.func @old_value_is_read_later(%p: tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "w">})
    -> (tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "w">}, tensor<2x2xf32> {vernier.slot = #vernier.slot<logits>}) {
  // CHECK: %[[N:.*]] = program.rows
  // CHECK: %[[L:.*]] = program.product
  // CHECK: %[[COPY:.*]] = program.rows [2](%[[N]]
  // CHECK: return %[[COPY]], %[[L]]
  %n = program.rows [2](%p : tensor<2x2xf32>) maps [#row] outputs [map] -> (tensor<2x2xf32>) {
  ^bb0(%r: tensor<2xf32>):
    %0 = arith.negf %r : tensor<2xf32>
    program.yield %0 : tensor<2xf32>
  }
  %l = program.product %p, %n : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %n, %l : tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// Two states change places: both are copied before either is overwritten.
// CHECK-LABEL: func.func @exchange
// CHECK-SAME: (%[[A:[a-z0-9]+]]: tensor<4xf32> {{.*}}, %[[B:[a-z0-9]+]]: tensor<4xf32>
func.func @exchange(%a: tensor<4xf32> {vernier.slot = #vernier.slot<param, "a">}, %b: tensor<4xf32> {vernier.slot = #vernier.slot<param, "b">})
    -> (tensor<4xf32> {vernier.slot = #vernier.slot<param, "a">}, tensor<4xf32> {vernier.slot = #vernier.slot<param, "b">}) {
  // CHECK: %[[B0:.*]] = program.rows [](%[[B]]
  // CHECK: %[[A0:.*]] = program.rows [](%[[A]]
  // CHECK: %[[A1:.*]] = program.rows [](%[[B0]]
  // CHECK: return %[[A1]], %[[A0]]
  return %b, %a : tensor<4xf32>, tensor<4xf32>
}

// -----

// One value is the next one of two states.
// CHECK-LABEL: func.func @one_value_for_two_states
func.func @one_value_for_two_states(%x: tensor<2x2xf32> {vernier.slot = #vernier.slot<ids>})
    -> (tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "a">}, tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "b">}) {
  // CHECK: %[[N:.*]] = program.product
  // CHECK: %[[COPY:.*]] = program.rows
  // CHECK: return %[[N]], %[[COPY]]
  %n = program.product %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %n, %n : tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// The old value leaves the phase as a result of its own.
// CHECK-LABEL: func.func @old_value_is_returned
// CHECK-SAME: (%[[P:[a-z0-9]+]]: tensor<2x2xf32>
func.func @old_value_is_returned(%p: tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "w">}, %x: tensor<2x2xf32> {vernier.slot = #vernier.slot<ids>})
    -> (tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "w">}, tensor<2x2xf32> {vernier.slot = #vernier.slot<logits>}) {
  // CHECK: %[[N:.*]] = program.product
  // CHECK: %[[OLD:.*]] = program.rows [2](%[[P]]
  // CHECK: %[[NEW:.*]] = program.rows [2](%[[N]]
  // CHECK: return %[[NEW]], %[[OLD]]
  %n = program.product %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %n, %p : tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// The product adds to an input where that lies: it is copied to the state.
// CHECK-LABEL: func.func @made_where_an_input_lies
func.func @made_where_an_input_lies(%x: tensor<2x2xf32> {vernier.slot = #vernier.slot<ids>}, %y: tensor<2x2xf32> {vernier.slot = #vernier.slot<targets>})
    -> (tensor<2x2xf32> {vernier.slot = #vernier.slot<prepared, "w">}) {
  // CHECK: %[[N:.*]] = program.product
  // CHECK: %[[COPY:.*]] = program.rows [2](%[[N]]
  // CHECK: return %[[COPY]]
  %n = program.product %x, %x init %y : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %n : tensor<2x2xf32>
}

// -----

// What was made where the state lies is read again after another value was made
// from a copy of it: that one cannot be made there, too.
// CHECK-LABEL: func.func @overwritten_twice
func.func @overwritten_twice(%p: tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "w">}, %x: tensor<2x2xf32> {vernier.slot = #vernier.slot<ids>})
    -> (tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "w">}, tensor<2x2xf32> {vernier.slot = #vernier.slot<logits>}) {
  // CHECK: %[[A:.*]] = program.product %{{.*}}, %{{.*}} init %{{.*}}
  // CHECK: %[[COPY:.*]] = program.rows [2](%[[A]]
  // CHECK: %[[B:.*]] = program.product %{{.*}}, %{{.*}} init %[[COPY]]
  // CHECK: %[[C:.*]] = program.product %[[A]], %[[B]]
  // CHECK: %[[NEW:.*]] = program.rows [2](%[[B]]
  // CHECK: return %[[NEW]], %[[C]]
  %a = program.product %x, %x init %p : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %b = program.product %x, %x init %a : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %c = program.product %a, %b : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %b, %c : tensor<2x2xf32>, tensor<2x2xf32>
}
