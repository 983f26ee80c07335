//===- MapParameters.h - Values for a rewritten graph ---------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_REFERENCE_MAPPARAMETERS_H
#define VERNIER_REFERENCE_MAPPARAMETERS_H

#include "mlir/IR/BuiltinOps.h"
#include "vernier/Reference/Tensor.h"
#include "llvm/ADT/StringMap.h"

namespace vernier::reference {

/// The values of the parameters of `module`, from those of the graph that it was
/// made of by rewrites: by its function `@vernier.values`, in f64, and unchanged
/// where that does not mention them. A missing value, one of another shape, and
/// one that a rewrite has no number for (the logarithm of a negative scale) are
/// errors that name the parameter.
mlir::FailureOr<llvm::StringMap<Tensor>> mapParameters(mlir::ModuleOp module,
                                                       const llvm::StringMap<Tensor> &before);

} // namespace vernier::reference

#endif // VERNIER_REFERENCE_MAPPARAMETERS_H
