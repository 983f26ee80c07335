//===- CheckpointLayout.h - Names of files in a run ---------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_CHECKPOINTLAYOUT_H
#define VERNIER_RUNTIME_CHECKPOINTLAYOUT_H

#include "runtime/Checkpoint.h"
#include "runtime/Files.h"
#include "llvm/ADT/StringRef.h"

/// What writer and reader of checkpoints must agree on (see saveCheckpoint).
namespace vernier::runtime::layout {

constexpr int64_t version = 1;
constexpr const char *stepPrefix = "step-", *temporaryPrefix = temporaryInfix, *pointer = "/latest";
constexpr const char *weights = "/model.safetensors", *optimizer = "/optimizer.safetensors",
                     *graph = "/model.mlir", *recipe = "/recipe.yaml", *state = "/state.json";

/// The list of checksums, and the files in it, in this order.
constexpr const char *checksums = "/checksums.txt";
constexpr llvm::StringRef files[] = {"model.safetensors", "optimizer.safetensors", "model.mlir",
                                     "recipe.yaml", "state.json"};

struct OptimizerTensor {
  Role role;
  const char *prefix;
};
constexpr OptimizerTensor optimizerTensors[] = {{Role::FirstMoment, "first_moment."},
                                                {Role::SecondMoment, "second_moment."},
                                                {Role::Steps, "steps."}};

/// Opens RUN/step-N if it is good. `pointed`: the checksum of its list of
/// checksums, if the run's pointer has it.
Expected<Checkpoint> openFolder(llvm::StringRef folder, llvm::StringRef pointed = "");

/// The name of the checkpoint that RUN/latest names, whatever it is; "" if it cannot
/// be read.
std::string readLatestName(llvm::StringRef run);

} // namespace vernier::runtime::layout

#endif // VERNIER_RUNTIME_CHECKPOINTLAYOUT_H
