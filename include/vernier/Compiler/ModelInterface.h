//===- ModelInterface.h - What a model graph takes and has --------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_COMPILER_MODELINTERFACE_H
#define VERNIER_COMPILER_MODELINTERFACE_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/Program.h"

namespace vernier {

/// What those need to know of a model graph who feed it, save it, or make its
/// parameters, without compiling it.
struct ModelInterface {
  int64_t batch = 0, sequence = 0;
  int64_t vocabulary = 0; ///< ids and valid targets are less than this
  int32_t ignoreIndex = -100;
  std::vector<runtime::Parameter> parameters; ///< in the order of the module
  std::vector<runtime::ScaleVector> scaleVectors;
};

/// Reads it from the function `loss` and the `vernier.param`s of a module. A
/// graph without a loss, or with several embeddings or losses that do not agree,
/// gives a diagnostic.
mlir::FailureOr<ModelInterface> getModelInterface(mlir::ModuleOp model);

} // namespace vernier

#endif // VERNIER_COMPILER_MODELINTERFACE_H
