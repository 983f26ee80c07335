// RUN: vernier-opt %s --vernier-form-kernels --split-input-file --verify-diagnostics

func.func @squared(%dy: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<1xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{with 'squared' has no kernel: it is evaluated, not compiled}}
  %da, %db = vernier.scale_from_direction_grad original squared %dy, %a, %b : (tensor<4xf32>, tensor<4xf32>, tensor<1xf32>) -> (tensor<4xf32>, tensor<1xf32>)
  return %da : tensor<4xf32>
}

// -----

func.func @to_direction(%g: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{op has no kernel: it is evaluated, not compiled}}
  %a, %b = vernier.scale_to_direction original %g : (tensor<4xf32>) -> (tensor<4xf32>, tensor<1xf32>)
  return %a : tensor<4xf32>
}
