//===- CheckpointWriter.cpp - Saves training runs -------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Checkpoint.h"
#include "runtime/CheckpointLayout.h"
#include "runtime/Checksums.h"
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
      {"version", layout::version}, {"step", state.step},     {"cursor", state.cursor},
      {"data", state.data},         {"engine", state.engine}, {"written_by", getProgramVersion()}};
  if (Error error = writeWeights(folder, engine))
    return error;
  if (Error error = writeOptimizer(folder, engine))
    return error;
  if (Error error = writeFileAtomically(folder.str() + layout::graph, texts.graph))
    return error;
  if (Error error = writeFileAtomically(folder.str() + layout::recipe, texts.recipe))
    return error;
  if (Error error =
          writeFileAtomically(folder.str() + layout::state, llvm::formatv("{0:2}\n", json).str()))
    return error;
  auto list = listChecksums(folder, layout::files);
  if (!list)
    return list.takeError();
  return writeFileAtomically(folder.str() + layout::checksums, *list);
}

static bool isGood(llvm::StringRef folder) {
  Error error = layout::openFolder(folder).takeError();
  bool good = !error;
  llvm::consumeError(std::move(error));
  return good;
}

/// Removes what crashes have left of checkpoints, and of files written at once.
static void removeTemporary(llvm::StringRef run) {
  std::error_code code;
  for (fs::directory_iterator entry(run, code), end; !code && entry != end; entry.increment(code)) {
    llvm::StringRef name = llvm::sys::path::filename(entry->path());
    if (name.starts_with(layout::temporaryPrefix))
      (void)fs::remove_directories(entry->path());
    else if (name.contains(temporaryInfix))
      (void)fs::remove(entry->path());
  }
}

/// Removes checkpoints that `keep` good ones are newer than, of which the one of
/// `step`, just written, is the first.
static Error removeOld(llvm::StringRef run, int64_t step, int64_t keep) {
  removeTemporary(run);
  auto folders = listStepFolders(run);
  if (!folders)
    return folders.takeError();
  int64_t good = 1;
  for (const StepFolder &folder : *folders) {
    if (keep == 0 || folder.step >= step || fs::is_symlink_file(folder.path))
      continue; // a link's target is not this run's
    if (good >= keep)
      (void)fs::remove_directories(folder.path);
    else if (isGood(folder.path))
      ++good;
  }
  return Error::success();
}

static Error writePointer(llvm::StringRef folder) {
  auto list = mapFile((folder + layout::checksums).str());
  if (!list)
    return list.takeError();
  std::string text =
      llvm::sys::path::filename(folder).str() + " " + computeChecksum((*list)->getBuffer()) + "\n";
  return writeFileAtomically(llvm::sys::path::parent_path(folder).str() + layout::pointer, text);
}

Error vernier::runtime::makeLatest(const Checkpoint &checkpoint) {
  return writePointer(checkpoint.folder);
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
  return writePointer(folder);
}

Expected<std::string> vernier::runtime::saveCheckpoint(llvm::StringRef run, TrainingEngine &engine,
                                                       const CheckpointTexts &texts,
                                                       const RunState &state, int64_t keep) {
  std::string name = llvm::formatv("{0}{1,0+6}", layout::stepPrefix, state.step);
  std::string folder = run.str() + "/" + name;
  if (layout::readLatestName(run) == name && isGood(folder)) { // a step has one state
    if (Error error = removeOld(run, state.step, keep))
      return std::move(error);
    return folder;
  }
  std::string temporary = run.str() + "/" + layout::temporaryPrefix + name;
  (void)fs::remove_directories(temporary);
  if (Error error = fromCode(temporary, fs::create_directory(temporary, true, fs::perms::all_all)))
    return std::move(error);
  Error error = writeContents(temporary, engine, texts, state);
  if (!error)
    error = syncFolder(temporary);
  if (!error)
    error = publish(temporary, folder, run);
  if (!error)
    error = removeOld(run, state.step, keep);
  if (error) {
    (void)fs::remove_directories(temporary);
    return std::move(error);
  }
  return folder;
}
