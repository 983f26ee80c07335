// RUN: vernier-opt %s --vernier-lower-kernels-to-cpu=target=avx2 --split-input-file --verify-diagnostics
// RUN: not vernier-opt %s --vernier-lower-kernels-to-cpu=target=avx9 2>&1 | FileCheck %s

// CHECK: error: expected the target native, avx512, avx2, sse2 or aarch64, found 'avx9'

program.kernel @varied_constant [4] (tensor<4x2xf32>) -> (tensor<4x2xf32>)
    maps [affine_map<(r) -> (r)>] outputs [map] {
^bb0(%x: tensor<2xf32>):
  // expected-error @below {{'arith.constant' op has no lowering by columns for the CPU}}
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = arith.mulf %x, %c : tensor<2xf32>
  program.yield %y : tensor<2xf32>
}

// -----

program.kernel @strided_slice [4] (tensor<4x4xf32>) -> (tensor<4x2xf32>)
    maps [affine_map<(r) -> (r)>] outputs [map] {
^bb0(%x: tensor<4xf32>):
  // expected-error @below {{'tensor.extract_slice' op has no lowering by columns for the CPU}}
  %y = tensor.extract_slice %x[0] [2] [2] : tensor<4xf32> to tensor<2xf32>
  program.yield %y : tensor<2xf32>
}

// -----

program.kernel @column_of_parts [4] (tensor<4x4xf32>, tensor<4xi32>) -> (tensor<4xf32>)
    maps [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>] outputs [map] {
^bb0(%x: tensor<4xf32>, %i: i32):
  %z = tensor.concat dim(0) %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %index = arith.index_cast %i : i32 to index
  // expected-error @below {{'tensor.extract' op has no lowering by columns for the CPU}}
  %y = tensor.extract %z[%index] : tensor<8xf32>
  program.yield %y : f32
}

// -----

// expected-error @below {{expected rows that are cut in at most 16 equal pieces, found pieces of 1 in rows of 36}}
program.kernel @many_pieces [4] (tensor<4x37xf32>) -> (tensor<4x36xf32>)
    maps [affine_map<(r) -> (r)>] outputs [map] {
^bb0(%x: tensor<37xf32>):
  %y = tensor.extract_slice %x[1] [36] [1] : tensor<37xf32> to tensor<36xf32>
  program.yield %y : tensor<36xf32>
}

// -----

// Code for bf16 is yet to be written. It is refused in each kind of kernel, and
// also where only a row's computation rounds to it.

// expected-error @below {{'program.attention_kernel' op has no lowering to the CPU for 'tensor<2x8x3x4xbf16>': expected f32}}
program.attention_kernel @attention (tensor<2x8x3x4xbf16>, tensor<2x8x1x4xbf16>, tensor<2x8x1x4xbf16>)
    -> (tensor<2x8x3x4xbf16>, tensor<2x8x3xf32>) scale 0.5 causal

// expected-error @below {{'program.gather_kernel' op has no lowering to the CPU for 'tensor<2x8x16xbf16>': expected f32}}
program.gather_kernel @gather (tensor<2x8xi32>, tensor<11x16xf32>) -> (tensor<2x8x16xbf16>)

// expected-error @below {{'program.scatter_add_kernel' op has no lowering to the CPU for 'tensor<2x8x16xbf16>': expected f32}}
program.scatter_add_kernel @scatter (tensor<2x8x16xbf16>, tensor<2x8xi32>, tensor<11x16xf32>) -> (tensor<11x16xf32>)

// expected-error @below {{'program.kernel' op has no lowering to the CPU for 'tensor<4x8xbf16>': expected f32}}
program.kernel @reads [4] (tensor<4x8xbf16>) -> (tensor<4x8xf32>)
    maps [affine_map<(r) -> (r)>] outputs [map] {
^bb0(%x: tensor<8xbf16>):
  %y = arith.extf %x : tensor<8xbf16> to tensor<8xf32>
  program.yield %y : tensor<8xf32>
}

// expected-error @below {{'program.kernel' op has no lowering to the CPU for 'tensor<8xbf16>': expected f32}}
program.kernel @rounds [4] (tensor<4x8xf32>) -> (tensor<4x8xf32>)
    maps [affine_map<(r) -> (r)>] outputs [map] {
^bb0(%x: tensor<8xf32>):
  %r = arith.truncf %x : tensor<8xf32> to tensor<8xbf16>
  %y = arith.extf %r : tensor<8xbf16> to tensor<8xf32>
  program.yield %y : tensor<8xf32>
}

// -----

program.kernel @sine [4] (tensor<4x8xf32>) -> (tensor<4x8xf32>)
    maps [affine_map<(r) -> (r)>] outputs [map] {
^bb0(%x: tensor<8xf32>):
  // expected-error @below {{'math.sin' op of 'tensor<8xf32>' has no code on the CPU, and kernels call no library}}
  %y = math.sin %x : tensor<8xf32>
  program.yield %y : tensor<8xf32>
}

program.kernel @exponential_in_f64 [4] (tensor<4xf64>) -> (tensor<4xf64>)
    maps [affine_map<(r) -> (r)>] outputs [map] {
^bb0(%x: f64):
  // expected-error @below {{'math.exp' op of 'f64' has no code on the CPU, and kernels call no library}}
  %y = math.exp %x : f64
  program.yield %y : f64
}
