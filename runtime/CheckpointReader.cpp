//===- CheckpointReader.cpp - Loads saved training runs -------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Checkpoint.h"
#include "runtime/CheckpointLayout.h"
#include "runtime/Files.h"
#include "runtime/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace vernier::runtime;
namespace fs = llvm::sys::fs;

bool vernier::runtime::isCheckpoint(llvm::StringRef path) {
  return fs::exists(path + layout::pointer) || fs::exists(path + layout::state);
}

static Expected<std::string> readText(const llvm::Twine &path) {
  auto buffer = mapFile(path.str());
  if (!buffer)
    return buffer.takeError();
  return (*buffer)->getBuffer().str();
}

Expected<std::string> Checkpoint::readGraph() const { return readText(folder + layout::graph); }

static Expected<RunState> readState(llvm::StringRef path) {
  auto json = parseJsonFile(path);
  if (!json)
    return json.takeError();
  const llvm::json::Object *object = json->getAsObject();
  const llvm::json::Value *cursor = object ? object->get("cursor") : nullptr;
  std::optional<int64_t> version = object ? object->getInteger("version") : std::nullopt;
  std::optional<int64_t> step = object ? object->getInteger("step") : std::nullopt;
  if (version.value_or(layout::version) != layout::version)
    return makeError("{0}: expected version {1}, found {2}", path, layout::version, *version);
  if (!version || !step || *step < 0 || !cursor || !cursor->getAsUINT64())
    return makeError("{0}: expected version, step and cursor", path);
  return RunState{*step, *cursor->getAsUINT64()};
}

Expected<Checkpoint> vernier::runtime::openCheckpoint(llvm::StringRef path) {
  Checkpoint checkpoint{path.rtrim('/').str(), {}};
  if (fs::exists(path + layout::pointer)) {
    auto pointer = readText(path + layout::pointer);
    if (!pointer)
      return pointer.takeError();
    llvm::StringRef name = llvm::StringRef(*pointer).trim();
    if (name.empty() || name.contains('/') || name == "..")
      return makeError("{0}{1}: expected the name of a checkpoint", path, layout::pointer);
    checkpoint.folder += "/" + name.str();
  }
  if (!fs::exists(checkpoint.folder + layout::state))
    return makeError("{0}: expected a run or a checkpoint, found no {1} in it", path,
                     checkpoint.folder == path.rtrim('/') ? "latest or state.json"
                                                          : "checkpoint that latest names");
  auto state = readState(checkpoint.folder + layout::state);
  if (!state)
    return state.takeError();
  checkpoint.state = *state;
  return checkpoint;
}

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
