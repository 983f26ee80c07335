// The relu's kink lies within the long step, where the difference is no
// derivative: what the check reports of a wrong gradient.
// RUN: not vernier check-gradients %s --function=kink --step=100 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: vernier check-gradients %s --function=kink | FileCheck %s --check-prefix=RIGHT
// RUN: not vernier check-gradients %s --function=sine 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not vernier check-gradients %s --function=none 2>&1 | FileCheck %s --check-prefix=NONE

// WRONG: function 'kink'
// WRONG-NEXT: argument 0 {{.*}}adjoint {{.*}} difference {{.*}} error
// WRONG: error: {{.*}}check-gradients-errors.mlir: the gradient of 'kink' is off by {{.*}}, more than 1.000000e-08
// RIGHT: function 'kink'
// RIGHT-NEXT: argument 0
// RIGHT-NEXT: argument 1
// RIGHT-NEXT: all
func.func @kink(%g: tensor<3xf32>, %u: tensor<3xf32>) -> tensor<3xf32> {
  %y = vernier.glu relu %g, %u : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// RULE: error: cannot differentiate 'sine'
func.func @sine(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = math.sin %x : tensor<3xf32>
  return %y : tensor<3xf32>
}

// NONE: error: the module has no function 'none' with a body
