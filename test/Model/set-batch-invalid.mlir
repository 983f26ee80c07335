// RUN: vernier-opt %s --vernier-set-batch=batch=1 --split-input-file --verify-diagnostics
// RUN: not vernier-opt %s --vernier-set-batch=batch=0 --split-input-file 2>&1 | FileCheck %s
// CHECK: expected a positive batch and token ids, found 0 and 'tensor<2x4xi32>'

func.func @loss(%ids: tensor<2x4xi32>, %targets: tensor<2x4xi32>, %x: tensor<2x4x8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the batch of 2 cannot be changed: expected a result that begins with it, found 'tensor<8xf32>'}}
  %0 = vernier.column_sum %x : tensor<2x4x8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @+1 {{expected a function @loss(ids, targets) of one block}}
module {}
