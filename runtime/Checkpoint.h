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
  std::string data;    ///< checksum of the training data
  std::string engine;  ///< that trains (TrainingEngine::getName)
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
///   checksums.txt          of these files
/// and then makes the file RUN/latest name it. All is written to a temporary
/// folder, flushed to the disk and renamed, the pointer last: whenever the
/// process or the machine dies, `latest` names a complete checkpoint. Then the
/// newest `keep` good checkpoints up to this step stay (0: all); those of later
/// steps, which an older one was resumed under, are left alone. Gives the folder.
Expected<std::string> saveCheckpoint(llvm::StringRef run, TrainingEngine &engine,
                                     const CheckpointTexts &texts, const RunState &state,
                                     int64_t keep);

/// A checkpoint on the disk, all files of which were found as they were written.
struct Checkpoint {
  std::string folder;
  RunState state;
  std::string writtenBy; ///< version of the program ("vernier 0.1.0, LLVM 22.1.8")

  Expected<std::string> readGraph() const;
  std::string getRecipePath() const { return folder + "/recipe.yaml"; }
  std::string getGraphPath() const { return folder + "/model.mlir"; }
};

/// Whether a path is a run (it has a `latest`) or a checkpoint of one.
bool isCheckpoint(llvm::StringRef path);

/// The folder of the run that a path names, or one of whose checkpoints it names; an
/// error for a checkpoint that is in no run.
Expected<std::string> findRun(llvm::StringRef path);

/// Opens a checkpoint folder, or the latest of a run, and reads all of it once to
/// compare checksums. The error for a damaged one names the file, and the newest
/// good checkpoint of the run before it, if there is any.
Expected<Checkpoint> openCheckpoint(llvm::StringRef path);

/// A folder RUN/step-N, whatever is in it.
struct StepFolder {
  int64_t step = 0;
  std::string path;
};

/// The newest first.
Expected<std::vector<StepFolder>> listStepFolders(llvm::StringRef run);

/// Makes a checkpoint its run's latest. A resumed run begins with this, so that
/// `latest` never names a checkpoint that the run's own past does not have.
Error makeLatest(const Checkpoint &checkpoint);

/// What this program writes into its checkpoints.
std::string getProgramVersion();

/// Loads weights, from safetensors, a folder of them, a run or a checkpoint.
Error loadWeights(llvm::StringRef path, TrainingEngine &engine);

/// Loads moments and step counts.
Error loadOptimizer(const Checkpoint &checkpoint, TrainingEngine &engine);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_CHECKPOINT_H
