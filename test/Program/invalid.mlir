// RUN: vernier-opt %s --split-input-file --verify-diagnostics

func.func @map_count(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{has 2 maps for 1 inputs}}
  %y = program.rows [2](%x : tensor<2x4xf32>) maps [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>] outputs [map] -> (tensor<2x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    program.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @space_of_zero(%x: tensor<0x4xf32>) {
  // expected-error @+1 {{space has size 0, but sizes must be positive}}
  %y = program.rows [0](%x : tensor<0x4xf32>) maps [affine_map<(b) -> (b)>] outputs [map] -> (tensor<0x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    program.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @yield_count(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{body yields 2 values for 1 results}}
  %y = program.rows [2](%x : tensor<2x4xf32>) maps [affine_map<(b) -> (b)>] outputs [map] -> (tensor<2x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    program.yield %r, %r : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

// expected-error @+1 {{body does not end with program.yield}}
program.kernel @other_end [2] (tensor<2x4xf32>) -> (tensor<2x4xf32>) maps [affine_map<(b) -> (b)>] outputs [map] {
^bb0(%r: tensor<4xf32>):
  llvm.unreachable
}

// -----

func.func @argument_count(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{body has 0 arguments for 1 inputs}}
  %y = program.rows [2](%x : tensor<2x4xf32>) maps [affine_map<(b) -> (b)>] outputs [map] -> (tensor<2xi32>) {
    %0 = arith.constant 0 : i32
    program.yield %0 : i32
  }
  return
}

// -----

func.func @kind_count(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{has 2 output kinds for 1 results}}
  %y = program.rows [2](%x : tensor<2x4xf32>) maps [affine_map<(b) -> (b)>] outputs [map, map] -> (tensor<2x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    program.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @unknown_kind(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{expected 'map' or 'sum', found 'product'}}
  %y = program.rows [2](%x : tensor<2x4xf32>) maps [affine_map<(b) -> (b)>] outputs [product] -> (tensor<2x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    program.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @map_dimensions(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{of input 0 has 2 dimensions, but the space has 1}}
  %y = program.rows [2](%x : tensor<2x4xf32>) maps [affine_map<(b, t) -> (b)>] outputs [map] -> (tensor<2x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    program.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @map_computes(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{of input 0 must only pick dimensions}}
  %y = program.rows [2](%x : tensor<2x4xf32>) maps [affine_map<(b) -> (b + 1)>] outputs [map] -> (tensor<2x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    program.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @rows_of_two_dimensions(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{leaves 2 dimensions of input 0 of type 'tensor<2x3x4xf32>', but a row has 0 or 1}}
  %y = program.rows [2](%x : tensor<2x3x4xf32>) maps [affine_map<(b) -> (b)>] outputs [map] -> (tensor<2x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    program.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @other_space(%x: tensor<3x4xf32>) {
  // expected-error @+1 {{dimension 0 of input 0 is 3, but dimension 0 of the space is 2}}
  %y = program.rows [2](%x : tensor<3x4xf32>) maps [affine_map<(b) -> (b)>] outputs [map] -> (tensor<2x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    program.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @argument_type(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{argument 0 of the body has type 'f32', but the rows of input 0 are 'tensor<4xf32>'}}
  %y = program.rows [2](%x : tensor<2x4xf32>) maps [affine_map<(b) -> (b)>] outputs [map] -> (tensor<2xf32>) {
  ^bb0(%r: f32):
    program.yield %r : f32
  }
  return
}

// -----

func.func @result_type(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{result 0 has type 'tensor<4xf32>', but the body makes 'tensor<2x4xf32>'}}
  %y = program.rows [2](%x : tensor<2x4xf32>) maps [affine_map<(b) -> (b)>] outputs [map] -> (tensor<4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    program.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @sum_of_bf16(%x: tensor<2x4xbf16>) {
  // expected-error @+1 {{result 0 sums up 'bf16', but sums are of f32, f64, i32 or i64}}
  %y = program.rows [2](%x : tensor<2x4xbf16>) maps [affine_map<(b) -> (b)>] outputs [sum] -> (tensor<4xbf16>) {
  ^bb0(%r: tensor<4xbf16>):
    program.yield %r : tensor<4xbf16>
  }
  return
}

// -----

func.func @foreign_op(%x: tensor<2x4xf32>) {
  %y = program.rows [2](%x : tensor<2x4xf32>) maps [affine_map<(b) -> (b)>] outputs [map] -> (tensor<2x4xf32>) {
  ^bb0(%r: tensor<4xf32>):
    // expected-error @+1 {{has no place in the body of program.rows}}
    %0 = tensor.cast %r : tensor<4xf32> to tensor<?xf32>
    program.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @reduce_type(%x: tensor<2x4xf32>) {
  %y = program.rows [2](%x : tensor<2x4xf32>) maps [affine_map<(b) -> (b)>] outputs [map] -> (tensor<2xf64>) {
  ^bb0(%r: tensor<4xf32>):
    // expected-error @+1 {{gives 'f64', but the row consists of 'f32'}}
    %0 = program.reduce <add> %r : tensor<4xf32> -> f64
    program.yield %0 : f64
  }
  return
}

// -----

// expected-error @+1 {{result 0 has type 'tensor<3x4xf32>', but the body makes 'tensor<2x4xf32>'}}
program.kernel @k [2] (tensor<2x4xf32>) -> (tensor<3x4xf32>) maps [affine_map<(b) -> (b)>] outputs [map] {
^bb0(%r: tensor<4xf32>):
  program.yield %r : tensor<4xf32>
}

// -----

func.func @no_kernel(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'k' is not a kernel of this module}}
  %y = program.launch @k(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func private @k(tensor<2x4xf32>) -> tensor<2x4xf32>
func.func @launch_of_a_function(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'k' is a func.func, but must be a kernel}}
  %y = program.launch @k(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

program.gather_kernel @k (tensor<3xi32>, tensor<5x4xf32>) -> tensor<3x4xf32>
func.func @launch_type(%ids: tensor<3xi32>, %table: tensor<6x4xf32>) {
  // expected-error @+1 {{has type '(tensor<3xi32>, tensor<6x4xf32>) -> tensor<3x4xf32>', but kernel 'k' has '(tensor<3xi32>, tensor<5x4xf32>) -> tensor<3x4xf32>'}}
  %y = program.launch @k(%ids, %table) : (tensor<3xi32>, tensor<6x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

program.gather_kernel @k (tensor<3xi32>, tensor<5x4xf32>) -> tensor<3x4xf32>
func.func @offsets(%ids: tensor<3xi32>, %table: tensor<5x4xf32>) {
  // expected-error @+1 {{has 2 offsets for 1 results}}
  %y = program.launch @k(%ids, %table) {offsets = array<i64: 0, 64>} : (tensor<3xi32>, tensor<5x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

// expected-error @+1 {{takes 1 and gives 1 values, but must take 2 and give 1}}
program.gather_kernel @k (tensor<3xi32>) -> tensor<3x4xf32>

// -----

// expected-error @+1 {{ids has type 'tensor<3xi64>', but must have elements of i32}}
program.gather_kernel @k (tensor<3xi64>, tensor<5x4xf32>) -> tensor<3x4xf32>

// -----

// expected-error @+1 {{rows have type 'tensor<3x5xf32>', but ids and table make 'tensor<3x4xf32>'}}
program.gather_kernel @k (tensor<3xi32>, tensor<5x4xf32>) -> tensor<3x5xf32>

// -----

// expected-error @+1 {{result has type 'tensor<5x5xf32>', but must have 'tensor<5x4xf32>'}}
program.scatter_add_kernel @k (tensor<3x4xf32>, tensor<3xi32>, tensor<5x4xf32>) -> tensor<5x5xf32>

// -----

// expected-error @+1 {{has 3 query heads, which is no multiple of its 2 key heads}}
program.attention_kernel @k (tensor<2x8x3x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>) -> (tensor<2x8x3x4xf32>, tensor<2x8x3xf32>) scale 0.5

// -----

// expected-error @+1 {{but batch, sequence and head_dim must agree}}
program.attention_kernel @k (tensor<2x8x2x4xf32>, tensor<2x8x2x5xf32>, tensor<2x8x2x5xf32>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>) scale 0.5

// -----

// expected-error @+1 {{has a window, but is not causal}}
program.attention_kernel @k (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>) scale 0.5 window 3

// -----

// expected-error @+1 {{scale is 0.000000e+00, but must be positive and finite}}
program.attention_kernel @k (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>) scale 0.0

// -----

// expected-error @+1 {{window is 0, but must be positive}}
program.attention_kernel @k (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>) scale 0.5 causal window 0

// -----

// expected-error @+1 {{key_grad has type 'tensor<2x8x2x4xf32>', but must have 'tensor<2x8x1x4xf32>'}}
program.attention_kernel @k (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x1x4xf32>, tensor<2x8x1x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
    -> (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x1x4xf32>) scale 0.5 backward

// -----

func.func @product_inner(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error @+1 {{sums over 3 columns of the left, but 4 rows of the right operand}}
  %c = program.product %a, %b : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @product_result(%a: tensor<3x2xf32>, %b: tensor<5x3xf32>) {
  // expected-error @+1 {{has result type 'tensor<3x5xf32>', but its operands make 'tensor<2x5xf32>'}}
  %c = program.product %a, %b transpose_lhs transpose_rhs : (tensor<3x2xf32>, tensor<5x3xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @product_init(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>, %i: tensor<5x2xf32>) {
  // expected-error @+1 {{has an init of type 'tensor<5x2xf32>', but a result of type 'tensor<2x5xf32>'}}
  %c = program.product %a, %b init %i : (tensor<2x3xf32>, tensor<3x5xf32>, tensor<5x2xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @rope_table() {
  // expected-error @+1 {{has cosines of type 'tensor<4x2xf32>', but sines of type 'tensor<4x3xf32>'}}
  %c, %s = program.rope_table theta 1.0e4 : tensor<4x2xf32>, tensor<4x3xf32>
  return
}
