//===- Checkpoint.h - Saved training runs -------------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_CHECKPOINT_H
#define VERNIER_RUNTIME_CHECKPOINT_H

#include "runtime/TrainingEngine.h"
#include "runtime/Weights.h"

namespace vernier::runtime {

/// Where a run stands, besides weights and optimizer state.
struct RunState {
  int64_t step = 0;    ///< optimizer steps done
  uint64_t cursor = 0; ///< rows of data consumed
};

/// What a checkpoint holds besides the engine's state. `graph` and `recipe` are
/// kept word for word.
struct CheckpointTexts {
  std::string graph;  ///< model.mlir
  std::string recipe; ///< recipe.yaml
};

/// Saves RUN/step-N, with
///   model.safetensors      weights, by their checkpoint names
///   optimizer.safetensors  first_moment.NAME, second_moment.NAME, steps.NAME
///   model.mlir, recipe.yaml, state.json
/// and then makes the file RUN/latest name it. All is written to a temporary
/// folder, flushed to the disk and renamed, the pointer last: whenever the
/// process or the machine dies, `latest` names a complete checkpoint. Then, of
/// all checkpoints, the newest `keep` stay (0: all). Gives the folder.
Expected<std::string> saveCheckpoint(llvm::StringRef run, TrainingEngine &engine,
                                     const CheckpointTexts &texts, const RunState &state,
                                     int64_t keep);

/// A checkpoint on the disk.
struct Checkpoint {
  std::string folder;
  RunState state;

  Expected<std::string> readGraph() const;
  std::string getRecipePath() const { return folder + "/recipe.yaml"; }
};

/// Whether a path is a run (it has a `latest`) or a checkpoint of one.
bool isCheckpoint(llvm::StringRef path);

/// Opens a checkpoint folder, or the latest of a run.
Expected<Checkpoint> openCheckpoint(llvm::StringRef path);

/// Loads weights, from safetensors, a folder of them, a run or a checkpoint.
Error loadWeights(llvm::StringRef path, TrainingEngine &engine);

/// Loads moments and step counts.
Error loadOptimizer(const Checkpoint &checkpoint, TrainingEngine &engine);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_CHECKPOINT_H
