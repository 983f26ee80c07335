//===- DifferentiableOpInterface.td - What differentiation asks of an operation -===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TRAINING_DIFFERENTIABLEOPINTERFACE_TD
#define VERNIER_TRAINING_DIFFERENTIABLEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::vernier";
  let description = [{
    The gradient rule of an operation: which values of the forward graph its
    adjoint reads, and how to build it. Adjoints are ordinary operations at
    the location of the one they belong to. Rules are external models
    (`registerGradientRules`): the dialects do not know of them.

    Only values of a float type have gradients; the gradient of a value has
    its type.
  }];
  let methods = [
    InterfaceMethod<[{
        Whether cotangents of result `index` are dealt with. A result for which
        this is false may be used where no gradient comes back from; anything
        else is an error.
      }], "bool", "hasResultGradient", (ins "unsigned":$index), "",
      [{ return true; }]>,
    InterfaceMethod<[{
        The operands and results whose values the adjoint reads, if the
        gradients of the operands for which `wanted` holds are built. These are
        what has to be kept, or computed again, until the backward pass gets
        here. `buildAdjoint` must not read others (this is checked).
      }], "::llvm::SmallVector<::mlir::Value>", "getSavedValues",
      (ins "::llvm::function_ref<bool(::mlir::Value)>":$wanted), "",
      [{ return {}; }]>,
    InterfaceMethod<[{
        Builds the operations that compute the gradients of the operands that
        `cotangents` wants from the cotangents of the results, and adds them to
        `cotangents`. Called if at least one result has a cotangent.
      }], "void", "buildAdjoint",
      (ins "::mlir::OpBuilder &":$builder, "::vernier::Cotangents &":$cotangents)>,
  ];
}

#endif // VERNIER_TRAINING_DIFFERENTIABLEOPINTERFACE_TD
