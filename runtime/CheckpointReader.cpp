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
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace vernier::runtime;
namespace fs = llvm::sys::fs;

bool vernier::runtime::isCheckpoint(llvm::StringRef path) {
  return fs::exists(path + layout::pointer) || fs::exists(path + layout::state) ||
         fs::exists(path + layout::checksums);
}

static Expected<std::string> readText(const llvm::Twine &path) {
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

Expected<Checkpoint> layout::openFolder(llvm::StringRef folder, llvm::StringRef pointed) {
  Checkpoint checkpoint;
  checkpoint.folder = folder.str();
  // First, since it says whether this program knows the rest.
  if (Error error = readState((folder + layout::state).str(), checkpoint))
    return std::move(error);
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

/// "" if there is none.
static std::string findNewestGood(llvm::StringRef run) {
  auto folders = listStepFolders(run);
  if (!folders) {
    llvm::consumeError(folders.takeError());
    return "";
  }
  for (const StepFolder &folder : *folders) {
    if (auto checkpoint = layout::openFolder(folder.path))
      return folder.path;
    else
      llvm::consumeError(checkpoint.takeError());
  }
  return "";
}

static llvm::StringRef trimSlashes(llvm::StringRef path) {
  return path.size() > 1 ? path.rtrim('/') : path;
}

std::string vernier::runtime::findRun(llvm::StringRef path) {
  path = trimSlashes(path);
  if (fs::exists(path + layout::pointer) || !isCheckpoint(path))
    return path.str();
  llvm::StringRef parent = llvm::sys::path::parent_path(path);
  return parent.empty() ? "." : parent.str();
}

Expected<Checkpoint> vernier::runtime::openCheckpoint(llvm::StringRef path) {
  path = trimSlashes(path);
  auto checkpoint = openPath(path);
  if (checkpoint)
    return checkpoint;
  bool isStep = llvm::sys::path::filename(path).starts_with(layout::stepPrefix);
  std::string good = findNewestGood(isStep ? llvm::sys::path::parent_path(path) : path);
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
    llvm::StringRef name = llvm::sys::path::filename(entry->path());
    StepFolder folder{0, entry->path()};
    if (name.consume_front(layout::stepPrefix) && !name.getAsInteger(10, folder.step))
      folders.push_back(std::move(folder));
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
