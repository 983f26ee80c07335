//===- Passes.td - From a training graph to a kernel program ---------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_PROGRAM_PASSES_TD
#define VERNIER_PROGRAM_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormProducts : Pass<"vernier-form-products", "::mlir::func::FuncOp"> {
  let summary = "linear maps and their adjoints become matrix products";
  let description = [{
    `vernier.linear`, `linear_input_grad` and `linear_weight_grad` become
    `program.product` on two-dimensional views of their operands. A bias
    becomes a row kernel.

    Example:
    ```mlir
    // vernier-opt --vernier-form-products
    func.func @f(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>) -> tensor<2x3x5xf32> {
      %y = vernier.linear %x, %w : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
      return %y : tensor<2x3x5xf32>
    }
    ```
    becomes
    ```
    %x_NI = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
    %y_NO = program.product %x_NI, %w transpose_rhs : (tensor<6x4xf32>, tensor<5x4xf32>) -> tensor<6x5xf32>
    %y = tensor.expand_shape %y_NO [[0, 1], [2]] output_shape [2, 3, 5] : tensor<6x5xf32> into tensor<2x3x5xf32>
    ```
  }];
  let dependentDialects = ["::vernier::program::ProgramDialect"];
}

def AccumulateInPlace : Pass<"vernier-accumulate-in-place", "::mlir::func::FuncOp"> {
  let summary = "sums with a product are done by the product";
  let description = [{
    `vernier.add` of a product and a value that nothing else uses becomes the
    product's `init`, so that gradients add up where they lie. Likewise a sum
    with `vernier.embedding_grad` becomes its table. bf16 sums stay: a product
    rounds once, an addition after it rounds twice.

    Example:
    ```mlir
    // vernier-opt --vernier-accumulate-in-place
    func.func @f(%acc: tensor<2x4xf32>, %a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
      %p = program.product %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      %s = vernier.add %acc, %p : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      return %s : tensor<2x4xf32>
    }
    ```
    becomes
    ```
    %s = program.product %a, %b init %acc : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    ```
  }];
  let dependentDialects = ["::vernier::program::ProgramDialect"];
}

def FormKernels : Pass<"vernier-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "operations become row kernels";
  let description = [{
    Each operation that is not a product, a view or a kernel of its own kind
    (attention, embedding and their adjoints) becomes a `program.rows` whose
    body computes one row. What a body holds: `arith` and `math` operations on
    numbers and rows, `tensor.splat`, `extract`, `extract_slice`, `concat`,
    `program.reduce` and `program.column_index`. Rows are computed in f32 and
    rounded at the result types; norms over gradients and bias corrections
    in f64.

    Example:
    ```mlir
    // vernier-opt --vernier-form-kernels
    func.func @f(%a: tensor<2x3x4xf32>, %b: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
      %s = vernier.add %a, %b : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
      return %s : tensor<2x3x4xf32>
    }
    ```
    becomes
    ```
    %s = program.rows [2, 3](%a, %b : tensor<2x3x4xf32>, tensor<2x3x4xf32>)
        maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] outputs [map]
        {program.label = "add"} -> (tensor<2x3x4xf32>) {
    ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
      %0 = arith.addf %x, %y : tensor<4xf32>
      program.yield %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::vernier::program::ProgramDialect"];
}

#endif // VERNIER_PROGRAM_PASSES_TD
