// RUN: vernier-opt %s --vernier-kernel-program --remarks-filter='vernier-.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// What the passes did and declined is told by remarks.

// CHECK-DAG: [Missed] not-fused | Category:vernier-fuse-rows | Reason="mul not fused with rms_norm: what lies between has to run after one and before the other"
// CHECK-DAG: [Missed] not-fused | Category:vernier-fuse-rows | Reason="add not fused with column_sum: one reads a sum, or other rows, of the other"
// CHECK-DAG: [Passed] recomputed | Category:vernier-recompute-rows | Remark="computes rows of rms_norm again"
// CHECK-DAG: [Missed] copied | Category:vernier-guard-state | Reason="a copy of tensor<2x2xf32>, which must not be overwritten yet"
// CHECK-DAG: [Analysis] phase | Category:vernier-plan-memory | Remark="f takes {{[0-9]+}} bytes, of which {{[0-9]+}} are in use at operation {{[0-9]+}}"
func.func @f(%x: tensor<3x4xf32> {vernier.slot = #vernier.slot<ids>}, %w: tensor<4x4xf32> {vernier.slot = #vernier.slot<param, "w">})
    -> (tensor<3x4xf32> {vernier.slot = #vernier.slot<logits>}, tensor<4xf32> {vernier.slot = #vernier.slot<loss>}) {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<3x4xf32> -> tensor<3x4xf32>
  %y = vernier.linear %n, %w : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %z = vernier.mul %x, %y : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %m = vernier.mul %z, %n : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %s = vernier.column_sum %m : tensor<3x4xf32> -> tensor<4xf32>
  return %m, %s : tensor<3x4xf32>, tensor<4xf32>
}

func.func @reads_a_sum(%x: tensor<4xf32> {vernier.slot = #vernier.slot<ids>}) -> (tensor<4xf32> {vernier.slot = #vernier.slot<logits>}) {
  %s = vernier.column_sum %x : tensor<4xf32> -> tensor<4xf32>
  %a = vernier.add %s, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

func.func @keeps_a_parameter(%x: tensor<2x2xf32> {vernier.slot = #vernier.slot<ids>}, %p: tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "p">})
    -> (tensor<2x2xf32> {vernier.slot = #vernier.slot<logits>}) {
  %y = vernier.linear %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %a = vernier.add %p, %y : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %a : tensor<2x2xf32>
}
