//===- Passes.td - Passes on model graphs ---------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_MODEL_PASSES_TD
#define VERNIER_MODEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrintRoles : Pass<"vernier-print-roles"> {
  let summary = "say what each linear map and norm is";
  let description = [{
    Reports, as a remark at each linear map and each norm, its role as the
    analysis of the data flow finds it: q, k, v, o, gate, up, down or head and
    the layer; Input-Norm or Output-Norm and the site. Changes nothing.

    Example:
    ```mlir
    // vernier-opt --vernier-print-roles
    func.func @f(%x: tensor<2x4xf32>, %w: tensor<9x4xf32>, %t: tensor<2xi32>, %n: tensor<i64>) -> tensor<f32> {
      %0 = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>  // Input-Norm, site final
      %1 = vernier.linear %0, %w : (tensor<2x4xf32>, tensor<9x4xf32>) -> tensor<2x9xf32>  // head
      %2, %3 = vernier.cross_entropy %1, %t, %n ignore -100 : (tensor<2x9xf32>, tensor<2xi32>, tensor<i64>) -> (tensor<f32>, tensor<2xf32>)
      return %2 : tensor<f32>
    }
    ```
  }];
}

def SetBatch : Pass<"vernier-set-batch", "::mlir::ModuleOp"> {
  let summary = "change the number of sequences that a model graph takes";
  let description = [{
    Replaces the first dimension of all values of `@loss` that depend on its
    arguments. A graph that was trained with a large batch generates text with a
    batch of one. An operation that mixes sequences, so that its result does not
    begin with the batch, is an error.

    Example, after which the function takes `tensor<1x16xi32>`:
    ```mlir
    // vernier-opt --vernier-set-batch=batch=1
    func.func @loss(%ids: tensor<8x16xi32>, %targets: tensor<8x16xi32>, %w: tensor<32x4xf32>) -> tensor<8x16x4xf32> {
      %0 = vernier.embedding %ids, %w : (tensor<8x16xi32>, tensor<32x4xf32>) -> tensor<8x16x4xf32>
      return %0 : tensor<8x16x4xf32>
    }
    ```
  }];
  let options = [Option<"batch", "batch", "int64_t", "1", "sequences in a batch">];
}

#endif // VERNIER_MODEL_PASSES_TD
