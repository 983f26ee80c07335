// RUN: vernier-opt %s --vernier-plan-memory --split-input-file --verify-diagnostics

func.func @not_lowered(%x: tensor<3x4xf32> {vernier.slot = #vernier.slot<ids>}) -> (tensor<3x4xf32> {vernier.slot = #vernier.slot<logits>}) {
  // expected-error @+1 {{'vernier.add' has no place in a kernel program: expected launches, products, tables and views}}
  %y = vernier.add %x, %x : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

func.func @one(%p: tensor<3xf32> {vernier.slot = #vernier.slot<param, "p">}) {
  return
}
// expected-error @+1 {{phase 'two' has #vernier.slot<param, "p"> of type 'tensor<4xf32>', but an earlier phase has it of type 'tensor<3xf32>'}}
func.func @two(%p: tensor<4xf32> {vernier.slot = #vernier.slot<param, "p">}) {
  return
}
