// RUN: vernier-opt %s --vernier-form-kernels --vernier-outline-kernels --split-input-file | FileCheck %s

// Structurally equal, whatever the names of values and the place in the file.
// CHECK: program.kernel @add_3x4 [3]
// CHECK-NOT: program.kernel
// CHECK-LABEL: func.func @equal_kernels
func.func @equal_kernels(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK-COUNT-3: program.launch @add_3x4
  %0 = vernier.add %x, %y : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = vernier.add %0, %x : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = vernier.add %1, %y : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}
// CHECK-LABEL: func.func @another_function
func.func @another_function(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK: program.launch @add_3x4
  %0 = vernier.add %x, %y : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// Another shape, type, constant or operation is another kernel.
// CHECK-DAG: program.kernel @add_3x4 [3] (tensor<3x4xf32>, tensor<3x4xf32>)
// CHECK-DAG: program.kernel @add_2x4 [2]
// CHECK-DAG: program.kernel @add_3x4_{{[0-9]+}} [3] (tensor<3x4xbf16>, tensor<3x4xbf16>)
// CHECK-DAG: program.kernel @rms_norm_3x4 [3]
// CHECK-DAG: program.kernel @rms_norm_3x4_{{[0-9]+}} [3]
// CHECK-LABEL: func.func @different_kernels
func.func @different_kernels(%x: tensor<3x4xf32>, %x1: tensor<3x4xf32>, %y: tensor<2x4xf32>, %z: tensor<3x4xbf16>, %z1: tensor<3x4xbf16>)
    -> (tensor<3x4xf32>, tensor<2x4xf32>, tensor<3x4xbf16>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = vernier.add %x, %x1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = vernier.add %y, %y : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = vernier.add %z, %z1 : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x4xbf16>
  %3 = vernier.rms_norm %x epsilon 1.0e-5 : tensor<3x4xf32> -> tensor<3x4xf32>
  %4 = vernier.rms_norm %x epsilon 1.0e-6 : tensor<3x4xf32> -> tensor<3x4xf32>
  return %0, %1, %2, %3, %4 : tensor<3x4xf32>, tensor<2x4xf32>, tensor<3x4xbf16>, tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// CHECK-DAG: program.gather_kernel @gather_5x4
// CHECK-DAG: program.scatter_add_kernel @scatter_add_5x4
// CHECK-DAG: program.attention_kernel @attention_1x3x2x4 {{.*}} scale 5.000000e-01 causal window 2
// CHECK-DAG: program.attention_kernel @attention_grad_1x3x2x4 {{.*}} scale 5.000000e-01 causal window 2 backward
// CHECK-LABEL: func.func @kernels_of_their_own_kind
func.func @kernels_of_their_own_kind(%ids: tensor<3xi32>, %t: tensor<5x4xf32>, %q: tensor<1x3x2x4xf32>, %k: tensor<1x3x1x4xf32>)
    -> (tensor<5x4xf32>, tensor<1x3x2x4xf32>) {
  // CHECK: %[[X:.*]] = program.launch @gather
  // CHECK: program.launch @scatter_add_5x4(%[[X]], %{{.*}}, %{{.*}})
  // CHECK: %[[O:.*]]:2 = program.launch @attention_1x3x2x4(
  // CHECK: program.launch @attention_grad_1x3x2x4(%[[O]]#0, %{{.*}}, %{{.*}}, %{{.*}}, %[[O]]#0, %[[O]]#1)
  %x = vernier.embedding %ids, %t : (tensor<3xi32>, tensor<5x4xf32>) -> tensor<3x4xf32>
  %d = vernier.embedding_grad %x, %ids into %t : (tensor<3x4xf32>, tensor<3xi32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  %o, %lse = vernier.attention %q, %k, %k scale 0.5 causal window 2
      : (tensor<1x3x2x4xf32>, tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>) -> (tensor<1x3x2x4xf32>, tensor<1x3x2xf32>)
  %dq, %dk, %dv = vernier.attention_grad %o, %q, %k, %k, %o, %lse scale 0.5 causal window 2
      : (tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>, tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>, tensor<1x3x2x4xf32>, tensor<1x3x2xf32>)
      -> (tensor<1x3x2x4xf32>, tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>)
  return %d, %dq : tensor<5x4xf32>, tensor<1x3x2x4xf32>
}
