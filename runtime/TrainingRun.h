//===- TrainingRun.h - A training run from start to end -----------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_TRAININGRUN_H
#define VERNIER_RUNTIME_TRAININGRUN_H

#include "runtime/Checkpoint.h"
#include "runtime/Metrics.h"
#include "runtime/Recipe.h"

namespace vernier::runtime {

/// What the model takes; the rest of DataOptions comes from the recipe.
struct ModelShape {
  int64_t batch = 0, sequence = 0, vocabulary = 0;
  int32_t ignoreIndex = -100;
};

/// The files of a run: training and, if the recipe has any, validation data.
struct RunData {
  DataOptions options;
  std::unique_ptr<DataSource> training, validation;
  std::string checksum; ///< of the training data
};

/// Opens a recipe's data for a model, and reads the first rows. Settles
/// `accumulate`, which may depend on the data.
Expected<RunData> openRunData(Recipe &recipe, const ModelShape &shape);

/// For a resumed run: an error if its data are others than until now, wherever
/// they lie. `folder` is the run's, for the message.
Error checkResumedData(const RunData &data, const Recipe &recipe, const RunState &start,
                       llvm::StringRef folder);

/// Brings an engine to where a run starts: new weights from the seed, or those
/// of `weights`, with or without the optimizer's state.
Error startEngine(TrainingEngine &engine, const Recipe &recipe);

/// What a run needs besides engine, recipe and data.
struct RunOptions {
  std::string folder;
  std::string graph;          ///< text of the model graph, saved with the run
  std::string parameterTable; ///< saved as parameters.txt
  RunState start;             ///< where it goes on
  int64_t stopAfter = 0;      ///< save and stop after this step; 0: do not
  bool inPlace = false;       ///< whether the log goes to a terminal
};

/// How a run ended.
enum class RunEnd { Finished, Stopped, Interrupted, NonFinite };
struct RunResult {
  RunEnd end = RunEnd::Finished;
  std::string reason; ///< if it is NonFinite: what is, where, and what is saved
};

/// Trains from `options.start` to the recipe's last step. Writes into the run's
/// folder, which must exist: recipe.yaml, parameters.txt, metrics.jsonl and
/// checkpoints, the last one of the last step done.
///
/// A signal (see catchInterrupts) lets the step finish, and saves. A loss or
/// gradient that is not finite stops before the update: the state of the step
/// before is saved, and the result says which, and where. A validation loss that
/// is not finite stops too, behind its step.
Expected<RunResult> runTraining(TrainingEngine &engine, const Recipe &recipe, const RunData &data,
                                const RunOptions &options, llvm::raw_ostream &log);

/// A run may be created in a folder that is not there yet, or that no run has
/// written into: any other is an error.
Error checkNewFolder(llvm::StringRef folder);

/// Creates a run's folder, which must pass checkNewFolder.
Error createRunFolder(llvm::StringRef folder);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_TRAININGRUN_H
