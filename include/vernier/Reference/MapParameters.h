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
/// one that a form has no number for (the logarithm of a negative entry) are
/// errors that name the parameter.
mlir::FailureOr<llvm::StringMap<Tensor>> mapParameters(mlir::ModuleOp module,
                                                       const llvm::StringMap<Tensor> &before);

/// AdamW's state, by parameter: the moments, and the number of steps that they
/// have seen (rank 0).
struct Moments {
  llvm::StringMap<Tensor> first, second, steps;
};

/// AdamW's state for `module`, from that of the graph that it was made of and
/// that graph's parameters: by its function `@vernier.moments`, unchanged for
/// parameters that the rewrites left alone, and zero for all others. Fails as
/// mapParameters does.
mlir::FailureOr<Moments> mapMoments(mlir::ModuleOp module, const llvm::StringMap<Tensor> &params,
                                    const Moments &before);

} // namespace vernier::reference

#endif // VERNIER_REFERENCE_MAPPARAMETERS_H
