//===- RecipeResume.cpp - What may change in a resumed run ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Recipe.h"
#include "llvm/ADT/StringExtras.h"

using namespace vernier::runtime;

static Error refuse(const ResumedRun &run, llvm::StringRef key, const std::string &now,
                    const std::string &then) {
  return makeError("{0}: cannot resume with another recipe: {1} is {2}, but the run has {3}; a new "
                   "run may start from its weights with --weights={0}",
                   run.folder, key, now.empty() ? "none" : now, then.empty() ? "none" : then);
}

/// The same rows in other micro-batches.
static Error settleSplit(Recipe &given, const Recipe &saved, const ResumedRun &run) {
  int64_t rows = saved.accumulate * run.savedBatch;
  if (given.accumulate == saved.accumulate && run.batch != run.savedBatch && rows % run.batch == 0)
    given.accumulate = rows / run.batch;
  if (given.accumulate * run.batch == rows)
    return Error::success();
  auto describe = [&](int64_t accumulate, int64_t batch) {
    std::string text = std::to_string(accumulate);
    return run.batch == run.savedBatch
               ? text
               : text + llvm::formatv(" (with a batch of {0})", batch).str();
  };
  return refuse(run, "accumulate", describe(given.accumulate, run.batch),
                describe(saved.accumulate, run.savedBatch));
}

Error vernier::runtime::checkResumedRecipe(Recipe &given, const Recipe &saved,
                                           const ResumedRun &run) {
  for (const RecipeKey &key : getRecipeKeys()) {
    std::vector<std::string> now = key.get(given), then = key.get(saved);
    if (key.onResume == OnResume::Fixed && now != then)
      return refuse(run, key.name, llvm::join(now, ", "), llvm::join(then, ", "));
  }
  if (given.steps < run.stepsDone)
    return makeError("{0}: steps: expected at least {1}, which are done, found {2}", run.folder,
                     run.stepsDone, given.steps);
  return settleSplit(given, saved, run);
}
