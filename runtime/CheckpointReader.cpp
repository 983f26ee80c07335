//===- CheckpointReader.cpp - Loads saved training runs -------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Checkpoint.h"
#include "runtime/CheckpointLayout.h"
#include "runtime/Checksums.h"
#include "runtime/Files.h"
#include "runtime/Json.h"
#include "runtime/RunLock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <limits>

using namespace vernier::runtime;
namespace fs = llvm::sys::fs;

bool vernier::runtime::isCheckpoint(llvm::StringRef path) {
  return fs::exists(path + layout::pointer) || fs::exists(path + layout::state) ||
         fs::exists(path + layout::checksums);
}

static Expected<std::string> readText(const llvm::Twine &path) {
  if (Error error = checkIsFile(path.str()))
    return std::move(error);
  auto buffer = mapFile(path.str());
  if (!buffer)
    return buffer.takeError();
  return (*buffer)->getBuffer().str();
}

Expected<std::string> Checkpoint::readGraph() const { return readText(folder + layout::graph); }

std::string vernier::runtime::getProgramVersion() {
  return "vernier " VERNIER_VERSION ", LLVM " LLVM_VERSION_STRING;
}

static Error readState(llvm::StringRef path, Checkpoint &checkpoint) {
  auto json = parseJsonFile(path);
  if (!json)
    return json.takeError();
  const llvm::json::Object *object = json->getAsObject();
  const llvm::json::Value *cursor = object ? object->get("cursor") : nullptr;
  std::optional<int64_t> version = object ? object->getInteger("version") : std::nullopt;
  std::optional<int64_t> step = object ? object->getInteger("step") : std::nullopt;
  std::optional<llvm::StringRef> data = object ? object->getString("data") : std::nullopt;
  std::optional<llvm::StringRef> engine = object ? object->getString("engine") : std::nullopt;
  std::optional<llvm::StringRef> by = object ? object->getString("written_by") : std::nullopt;
  if (version.value_or(layout::version) != layout::version)
    return makeError("{0}: expected version {1}, found {2}", path, layout::version, *version);
  if (!version || !step || *step < 0 || !cursor || !cursor->getAsUINT64() || !data || !engine ||
      !by)
    return makeError("{0}: expected version, step, cursor, data, engine and written_by", path);
  checkpoint.state = RunState{*step, *cursor->getAsUINT64(), data->str(), engine->str()};
  checkpoint.writtenBy = by->str();
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// N of a folder step-N.
static std::optional<int64_t> parseStep(llvm::StringRef folder) {
  llvm::StringRef name = llvm::sys::path::filename(folder);
  int64_t step = 0;
  if (name.consume_front(layout::stepPrefix) && !name.getAsInteger(10, step))
    return step;
  return std::nullopt;
}

Expected<Checkpoint> layout::openFolder(llvm::StringRef folder, llvm::StringRef pointed) {
  Checkpoint checkpoint;
  checkpoint.folder = folder.str();
  for (llvm::StringRef file : files)
    if (Error error = checkIsFile((folder + "/" + file).str()))
      return std::move(error);
  // First, since it says whether this program knows the rest.
  if (Error error = readState((folder + layout::state).str(), checkpoint))
    return std::move(error);
  if (int64_t step = checkpoint.state.step; parseStep(folder).value_or(step) != step)
    return makeError("{0}{1}: expected the step of the folder's name, found {2}", folder,
                     layout::state, step);
  auto list = readText(folder + layout::checksums);
  if (!list)
    return list.takeError();
  llvm::StringRef listName = llvm::StringRef(layout::checksums).drop_front();
  if (std::string found = computeChecksum(*list); !pointed.empty() && pointed != found)
    return makeError("{0}/{1}: damaged: expected checksum {2}, as latest says, found {3}", folder,
                     listName, pointed, found);
  if (Error error = checkChecksums(folder, layout::files, *list, listName))
    return std::move(error);
  return checkpoint;
}

/// The checkpoint that RUN/latest names: "NAME CHECKSUM", or only the name, if a
/// person wrote it.
static Expected<Checkpoint> openLatest(llvm::StringRef run) {
  auto pointer = readText(run + layout::pointer);
  if (!pointer)
    return pointer.takeError();
  llvm::StringRef text = *pointer;
  bool ends = text.consume_back("\n");
  auto [name, checksum] = text.split(' ');
  if (!ends || name.empty() || name.contains('/') || name == "..")
    return makeError("{0}{1}: expected the name of a checkpoint", run, layout::pointer);
  std::string folder = (run + "/" + name).str();
  if (!fs::exists(folder))
    return makeError("{0}: expected a run or a checkpoint, found no checkpoint that latest names "
                     "in it",
                     run);
  return layout::openFolder(folder, checksum);
}

static Expected<Checkpoint> openPath(llvm::StringRef path) {
  if (fs::exists(path + layout::pointer))
    return openLatest(path);
  if (fs::exists(path + layout::state) || fs::exists(path + layout::checksums))
    return layout::openFolder(path);
  return makeError("{0}: expected a run or a checkpoint, found no latest or state.json in it",
                   path);
}

/// The newest good checkpoint up to step `damaged`, of which perhaps only the pointer
/// is damaged; if there is none, one after it, which may be of steps that were given
/// up. "" if there is none either.
static std::string findNewestGood(llvm::StringRef run, int64_t damaged) {
  auto folders = listStepFolders(run);
  if (!folders) {
    llvm::consumeError(folders.takeError());
    return "";
  }
  llvm::sort(*folders, [&](const StepFolder &a, const StepFolder &b) {
    bool isEarly = a.step <= damaged;
    return isEarly != (b.step <= damaged) ? isEarly : a.step > b.step;
  });
  for (const StepFolder &folder : *folders) {
    if (auto checkpoint = layout::openFolder(folder.path))
      return folder.path;
    else
      llvm::consumeError(checkpoint.takeError());
  }
  return "";
}

std::string layout::readLatestName(llvm::StringRef run) {
  auto text = readText(run + pointer);
  if (text)
    return llvm::StringRef(*text).trim().split(' ').first.str();
  llvm::consumeError(text.takeError());
  return "";
}

/// Without slashes at its end; of a checkpoint whose name says nothing (".", or a
/// symbolic link) the path that does.
static std::string normalize(llvm::StringRef path) {
  if (path.size() > 1)
    path = path.rtrim('/');
  llvm::SmallString<256> resolved;
  llvm::StringRef name = llvm::sys::path::filename(path);
  if (!fs::exists(path + layout::pointer) && isCheckpoint(path) &&
      (name == "." || name == ".." || fs::is_symlink_file(path)) && !fs::real_path(path, resolved))
    return resolved.str().str();
  return path.str();
}

Expected<std::string> vernier::runtime::findRun(llvm::StringRef given) {
  std::string path = normalize(given);
  if (fs::exists(path + layout::pointer) || !isCheckpoint(path))
    return path;
  std::string run = llvm::sys::path::parent_path(path).str();
  if (run.empty())
    run = ".";
  if (!fs::exists(run + layout::pointer) && !fs::exists(run + "/" + RunLock::fileName))
    return makeError("{0}: a checkpoint outside of a run cannot be resumed, since {1} has no "
                     "latest; start a new run from it with --weights={0} --with-optimizer",
                     path, run);
  return run;
}

Expected<Checkpoint> vernier::runtime::openCheckpoint(llvm::StringRef given) {
  std::string path = normalize(given);
  auto checkpoint = openPath(path);
  if (checkpoint)
    return checkpoint;
  std::optional<int64_t> step = parseStep(path);
  std::string run = step ? llvm::sys::path::parent_path(path).str() : path;
  if (!step)
    step = parseStep(layout::readLatestName(run));
  std::string good = findNewestGood(run, step.value_or(std::numeric_limits<int64_t>::max()));
  if (good.empty())
    return checkpoint.takeError();
  return makeError("{0}; the newest good checkpoint is {1}", llvm::toString(checkpoint.takeError()),
                   good);
}

Expected<std::vector<StepFolder>> vernier::runtime::listStepFolders(llvm::StringRef run) {
  std::vector<StepFolder> folders;
  std::error_code code;
  for (fs::directory_iterator entry(run.empty() ? "." : run, code), end; !code && entry != end;
       entry.increment(code)) {
    if (std::optional<int64_t> step = parseStep(entry->path()))
      folders.push_back({*step, entry->path()});
  }
  if (code)
    return makeError("{0}: cannot read the folder: {1}", run, code.message());
  llvm::sort(folders, [](const StepFolder &a, const StepFolder &b) { return a.step > b.step; });
  return folders;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

Error vernier::runtime::loadWeights(llvm::StringRef path, TrainingEngine &engine) {
  std::string folder = path.str();
  if (isCheckpoint(path)) {
    auto checkpoint = openCheckpoint(path);
    if (!checkpoint)
      return checkpoint.takeError();
    folder = checkpoint->folder;
  }
  auto store = TensorStore::open(folder);
  if (!store)
    return store.takeError();
  if (Error error = checkWeights(*store, engine.getParameters()))
    return error;
  for (const auto &[index, parameter] : llvm::enumerate(engine.getParameters())) {
    const Parameter &row = parameter;
    Error error = std::visit(
        [&](auto entries) -> Error {
          if constexpr (!std::is_same_v<decltype(entries), llvm::MutableArrayRef<int64_t>>)
            return loadWeight(*store, row, entries);
          return Error::success();
        },
        engine.getState(Role::Param, index));
    if (error)
      return error;
  }
  engine.parametersChanged();
  return Error::success();
}

static Error loadTensor(const TensorView &tensor, const StateArray &array) {
  return std::visit(
      [&](auto entries) -> Error {
        if (static_cast<int64_t>(entries.size()) != tensor.countElements())
          return makeError("tensor '{0}' has shape {1}, expected {2} entries", tensor.name,
                           toString(tensor.shape), entries.size());
        if constexpr (std::is_same_v<decltype(entries), llvm::MutableArrayRef<int64_t>>)
          return readIntegers(tensor, 0, entries);
        else
          return readFloats(tensor, 0, entries);
      },
      array);
}

Error vernier::runtime::loadOptimizer(const Checkpoint &checkpoint, TrainingEngine &engine) {
  auto file = SafetensorsFile::open(checkpoint.folder + layout::optimizer);
  if (!file)
    return file.takeError();
  for (const auto &[index, parameter] : llvm::enumerate(engine.getParameters()))
    for (const layout::OptimizerTensor &row : layout::optimizerTensors) {
      auto tensor = file->get(row.prefix + parameter.name);
      if (!tensor)
        return tensor.takeError();
      if (Error error = loadTensor(**tensor, engine.getState(row.role, index)))
        return makeError("{0}: {1}", file->getPath(), llvm::toString(std::move(error)));
    }
  return Error::success();
}
