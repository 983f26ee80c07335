// RUN: vernier-opt %s --split-input-file --verify-diagnostics --vernier-differentiate=function=f

// All operations without a rule, at once; `math.absf` does not matter.
// expected-error @below {{cannot differentiate 'f': 3 operations have no gradient rule}}
func.func @f(%x: tensor<3xf32>, %c: i1) -> tensor<3xf32> {
  // expected-note @below {{'math.sin' op has no gradient rule}}
  %s = math.sin %x : tensor<3xf32>
  %y = vernier.add %s, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // expected-note @below {{'math.tanh' op has no gradient rule}}
  %t = math.tanh %y : tensor<3xf32>
  %unused = math.absf %x : tensor<3xf32>
  // expected-note @below {{'scf.if' op has no gradient rule}}
  %z = scf.if %c -> (tensor<3xf32>) {
    scf.yield %t : tensor<3xf32>
  } else {
    scf.yield %x : tensor<3xf32>
  }
  return %z : tensor<3xf32>
}

// -----

// expected-error @below {{cannot differentiate 'f': 1 operation has no gradient rule}}
func.func @f(%q: tensor<1x4x2x4xf32>) -> tensor<1x4x2xf32> {
  // expected-note @below {{'vernier.attention' op has no gradient rule for result #1}}
  %o, %lse = vernier.attention %q, %q, %q scale 0.5
      : (tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32>) -> (tensor<1x4x2x4xf32>, tensor<1x4x2xf32>)
  return %lse : tensor<1x4x2xf32>
}

// -----

// A training operation is not differentiated again.
// expected-error @below {{cannot differentiate 'f': 1 operation has no gradient rule}}
func.func @f(%x: tensor<2x3xf32>) -> tensor<3xf32> {
  // expected-note @below {{'vernier.column_sum' op has no gradient rule}}
  %s = vernier.column_sum %x : tensor<2x3xf32> -> tensor<3xf32>
  return %s : tensor<3xf32>
}

// -----

// expected-error @below {{the module has no function 'f' with a body}}
module {
  func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32>
}

// -----

// expected-error @below {{cannot differentiate 'f': a function of one block is needed, but it has 2}}
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  cf.br ^next
^next:
  return %x : tensor<3xf32>
}
