//===- ModelState.h - What a checkpoint knows of parameters -----*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TOOLS_VERNIER_MODELSTATE_H
#define VERNIER_TOOLS_VERNIER_MODELSTATE_H

#include "runtime/Checkpoint.h"
#include "runtime/HeldState.h"
#include "vernier/Reference/MapParameters.h"

namespace vernier {

/// Values and AdamW's state of a model's parameters, in f64, as the reference
/// evaluator takes them.
struct ModelState {
  llvm::StringMap<reference::Tensor> values;
  reference::Moments moments;
  bool isF64 = false; ///< as stored
};

/// The values that a checkpoint has for the parameters of its graph.
llvm::Expected<ModelState> loadValues(const runtime::Checkpoint &checkpoint,
                                      const std::vector<runtime::Parameter> &parameters);
/// The same with moments and step counts.
llvm::Expected<ModelState> loadState(const runtime::Checkpoint &checkpoint,
                                     const std::vector<runtime::Parameter> &parameters);

/// What a checkpoint is saved from, f32 or f64 as `state.isF64` says. There must
/// be a value for each parameter.
std::unique_ptr<runtime::TrainingEngine>
holdState(const ModelState &state, const std::vector<runtime::Parameter> &parameters);

} // namespace vernier

#endif // VERNIER_TOOLS_VERNIER_MODELSTATE_H
