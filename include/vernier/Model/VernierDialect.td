//===- VernierDialect.td - The dialect of model and training graphs -------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_MODEL_VERNIERDIALECT_TD
#define VERNIER_MODEL_VERNIERDIALECT_TD

include "mlir/IR/DialectBase.td"
include "mlir/IR/Traits.td"

// Of every operation of this project: include/vernier/Model/CountableShapes.h.
def Vernier_CountableShapes : NativeOpTrait<"CountableShapes"> {
  let cppNamespace = "::vernier";
}

def Vernier_Dialect : Dialect {
  let name = "vernier";
  let cppNamespace = "::vernier";
  let summary = "Model graphs and training graphs of transformers";
  let description = [{
    A module holds `vernier.param` symbols and functions over tensors with
    static shapes. Activations have shape `[batch, sequence, features]` (or
    `[batch, sequence, heads, head_dim]` inside attention, through the shape
    operations of the `tensor` dialect); every operation works on the last
    dimension and treats the others as rows. No tensor has more than 2^48
    entries, so that sizes can be computed with.

    Result types are the rounding points: an operation computes in f32 (the
    reference evaluator in f64) and rounds once, to its result type.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // VERNIER_MODEL_VERNIERDIALECT_TD
