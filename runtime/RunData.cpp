//===- RunData.cpp - The data and the start of a run ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Initialize.h"
#include "runtime/RunLock.h"
#include "runtime/TrainingRun.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace vernier::runtime;
namespace fs = llvm::sys::fs;

/// Explicit batches say how many rows a step has.
static Error settleAccumulate(Recipe &recipe, const RunData &data) {
  int64_t wanted = data.training->rowsPerStep() / data.options.batch;
  if (recipe.accumulate == 0)
    recipe.accumulate = std::max<int64_t>(wanted, 1);
  if (wanted != 0 && recipe.accumulate != wanted)
    return makeError("accumulate: expected {0}, since {1} has {2} rows a step and the model's "
                     "batch is {3}, found {4}",
                     wanted, recipe.data[0], data.training->rowsPerStep(), data.options.batch,
                     recipe.accumulate);
  return Error::success();
}

static Error openValidation(const Recipe &recipe, RunData &data) {
  if (recipe.val.empty() && recipe.validationFraction == 0)
    return Error::success();
  DataOptions options = data.options;
  options.shuffle = false;
  options.begin = recipe.val.empty() ? options.end : 0;
  options.end = 1;
  auto source = openDataSource(recipe.val.empty() ? recipe.data : recipe.val, options);
  if (!source)
    return source.takeError();
  data.validation = std::move(*source);
  return Error::success();
}

/// Reads what will be read first, so that a file of another vocabulary is found
/// before a run's folder is made.
static Error tryFirstRows(const Recipe &recipe, const RunData &data) {
  uint64_t rows = recipe.accumulate * data.options.batch;
  for (uint64_t row = 0; row < rows; row += data.options.batch)
    if (Error error = readBatch(*data.training, data.options, row).takeError())
      return error;
  if (data.validation)
    return readBatch(*data.validation, data.options, 0).takeError();
  return Error::success();
}

Expected<RunData> vernier::runtime::openRunData(Recipe &recipe, const ModelShape &shape) {
  RunData data;
  data.options.batch = shape.batch;
  data.options.sequence = shape.sequence;
  data.options.vocabulary = shape.vocabulary;
  data.options.ignoreIndex = shape.ignoreIndex;
  data.options.format = recipe.dataFormat;
  data.options.seed = recipe.seed;
  data.options.end = 1 - recipe.validationFraction;
  DataFormat format = resolveFormat(recipe.dataFormat, recipe.data[0], shape.vocabulary);
  if (format == DataFormat::Batches && recipe.validationFraction > 0)
    return makeError("validation-fraction: expected 0 with explicit batches");
  auto training = openDataSource(recipe.data, data.options);
  if (!training)
    return training.takeError();
  data.training = std::move(*training);
  data.checksum = data.training->computeChecksum();
  if (Error error = settleAccumulate(recipe, data))
    return std::move(error);
  if (Error error = openValidation(recipe, data))
    return std::move(error);
  if (Error error = tryFirstRows(recipe, data))
    return std::move(error);
  return data;
}

Error vernier::runtime::checkResumedData(const RunData &data, const Recipe &recipe,
                                         const RunState &start, llvm::StringRef folder) {
  if (data.checksum == start.data)
    return Error::success();
  return makeError(
      "{0}: cannot resume with other data: {1}{2} has checksum {3}, but the run's data "
      "had {4}; say by --data where they are, or start a new run from its weights with "
      "--weights={0}",
      folder, recipe.data[0], recipe.data.size() > 1 ? " and so on" : "", data.checksum,
      start.data);
}

Error vernier::runtime::startEngine(TrainingEngine &engine, const Recipe &recipe) {
  if (recipe.withOptimizer && !isCheckpoint(recipe.weights))
    return makeError("with-optimizer: {0} is neither a run nor a checkpoint, and has no "
                     "optimizer state",
                     recipe.weights);
  initialize(engine, recipe.seed);
  if (recipe.weights.empty())
    return Error::success();
  if (Error error = loadWeights(recipe.weights, engine))
    return error;
  if (!recipe.withOptimizer)
    return Error::success();
  auto checkpoint = openCheckpoint(recipe.weights);
  return checkpoint ? loadOptimizer(*checkpoint, engine) : checkpoint.takeError();
}

/// Empty, or with the lock of a run that failed at its start.
static bool isUnusedFolder(llvm::StringRef folder) {
  std::error_code code;
  fs::directory_iterator entry(folder, code), end;
  for (; !code && entry != end; entry.increment(code))
    if (llvm::sys::path::filename(entry->path()) != RunLock::fileName)
      return false;
  return !code;
}

Error vernier::runtime::checkNewFolder(llvm::StringRef folder) {
  if (!fs::exists(folder) || isUnusedFolder(folder))
    return Error::success();
  if (!isCheckpoint(folder))
    return makeError("{0}: exists already, and has no checkpoint to continue from; choose another "
                     "--out, or remove it",
                     folder);
  return makeError("{0}: exists already; choose another --out, or continue it with --resume={0}",
                   folder);
}

Error vernier::runtime::createRunFolder(llvm::StringRef folder) {
  if (Error error = checkNewFolder(folder))
    return error;
  if (fs::exists(folder))
    return Error::success();
  std::error_code code;
  if (llvm::StringRef parent = llvm::sys::path::parent_path(folder); !parent.empty())
    code = fs::create_directories(parent, true, fs::perms::all_all);
  if (!code) // of two processes that are here, one succeeds
    code = fs::create_directory(folder, /*IgnoreExisting=*/false, fs::perms::all_all);
  if (code)
    return makeError("{0}: cannot create the folder: {1}", folder, code.message());
  return Error::success();
}
