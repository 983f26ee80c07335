//===- CheckpointWriter.cpp - Saves training runs -------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Checkpoint.h"
#include "runtime/CheckpointLayout.h"
#include "runtime/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace vernier::runtime;
namespace fs = llvm::sys::fs;

static Error fromCode(llvm::StringRef what, std::error_code code) {
  return code ? makeError("{0}: {1}", what, code.message()) : Error::success();
}

static Error writeWeights(llvm::StringRef folder, TrainingEngine &engine) {
  std::vector<ParameterValue> values;
  for (const auto &[index, parameter] : llvm::enumerate(engine.getParameters())) {
    StateArray array = engine.getState(Role::Param, index);
    values.push_back({&parameter, typeOf(array), bytesOf(array)});
  }
  auto tensors = packWeights(values);
  if (!tensors)
    return tensors.takeError();
  return writeSafetensors(folder.str() + layout::weights, *tensors, {{"format", "pt"}});
}

static Error writeOptimizer(llvm::StringRef folder, TrainingEngine &engine) {
  std::vector<TensorToWrite> tensors;
  for (const auto &[index, parameter] : llvm::enumerate(engine.getParameters()))
    for (const layout::OptimizerTensor &tensor : layout::optimizerTensors) {
      StateArray array = engine.getState(tensor.role, index);
      Shape shape = tensor.role == Role::Steps ? Shape{} : parameter.shape;
      tensors.push_back({tensor.prefix + parameter.name, typeOf(array), shape, {bytesOf(array)}});
    }
  return writeSafetensors(folder.str() + layout::optimizer, tensors);
}

static Error writeContents(llvm::StringRef folder, TrainingEngine &engine,
                           const CheckpointTexts &texts, const RunState &state) {
  llvm::json::Value json = llvm::json::Object{
      {"version", layout::version}, {"step", state.step}, {"cursor", state.cursor}};
  if (Error error = writeWeights(folder, engine))
    return error;
  if (Error error = writeOptimizer(folder, engine))
    return error;
  if (Error error = writeFileAtomically(folder.str() + layout::graph, texts.graph))
    return error;
  if (Error error = writeFileAtomically(folder.str() + layout::recipe, texts.recipe))
    return error;
  return writeFileAtomically(folder.str() + layout::state, llvm::formatv("{0:2}\n", json).str());
}

/// Removes the oldest checkpoints, and what crashes have left; never `current`.
static Error removeOld(llvm::StringRef run, llvm::StringRef current, int64_t keep) {
  std::vector<std::pair<int64_t, std::string>> checkpoints;
  std::error_code code;
  for (fs::directory_iterator entry(run, code), end; !code && entry != end; entry.increment(code)) {
    llvm::StringRef name = llvm::sys::path::filename(entry->path());
    int64_t step;
    if (name.starts_with(layout::temporaryPrefix))
      fs::remove_directories(entry->path());
    else if (name.consume_front(layout::stepPrefix) && !name.getAsInteger(10, step) &&
             entry->path() != current)
      checkpoints.emplace_back(step, entry->path());
  }
  llvm::sort(checkpoints, std::greater<>());
  if (keep > 0)
    for (size_t i = keep - 1; i < checkpoints.size(); ++i)
      fs::remove_directories(checkpoints[i].second);
  return fromCode(run, code);
}

/// A checkpoint of the step may be there already, of a run that died before it
/// moved the pointer.
static Error publish(llvm::StringRef temporary, llvm::StringRef folder, llvm::StringRef run) {
  if (fs::exists(folder))
    if (Error error = fromCode(folder, fs::remove_directories(folder, /*IgnoreErrors=*/false)))
      return error;
  if (Error error = fromCode(folder, fs::rename(temporary, folder)))
    return error;
  if (Error error = syncFolder(run))
    return error;
  return writeFileAtomically(run.str() + layout::pointer,
                             llvm::sys::path::filename(folder).str() + "\n");
}

Expected<std::string> vernier::runtime::saveCheckpoint(llvm::StringRef run, TrainingEngine &engine,
                                                       const CheckpointTexts &texts,
                                                       const RunState &state, int64_t keep) {
  std::string name = llvm::formatv("{0}{1,0+6}", layout::stepPrefix, state.step);
  std::string folder = run.str() + "/" + name;
  if (auto latest = openCheckpoint(run)) {
    if (latest->state.step == state.step)
      return folder; // a step has one state
  } else {
    llvm::consumeError(latest.takeError());
  }
  std::string temporary = run.str() + "/" + layout::temporaryPrefix + name;
  fs::remove_directories(temporary);
  if (Error error = fromCode(temporary, fs::create_directory(temporary)))
    return std::move(error);
  Error error = writeContents(temporary, engine, texts, state);
  if (!error)
    error = syncFolder(temporary);
  if (!error)
    error = publish(temporary, folder, run);
  if (!error)
    error = removeOld(run, folder, keep);
  if (error) {
    fs::remove_directories(temporary);
    return std::move(error);
  }
  return folder;
}
