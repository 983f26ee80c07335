//===- TensorStore.cpp - A checkpoint's tensors, in one file or in shards ---===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Json.h"
#include "runtime/Weights.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace vernier::runtime;
namespace fs = llvm::sys::fs;

static std::string join(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

Error TensorStore::addFile(llvm::StringRef file) {
  auto opened = SafetensorsFile::open(file);
  if (!opened)
    return opened.takeError();
  for (const TensorView &tensor : opened->getTensors())
    if (!tensors.try_emplace(tensor.name, &tensor).second)
      return makeError("{0}: tensor '{1}' is in another shard too", file, tensor.name);
  files.push_back(std::move(*opened)); // moves the vector of views, not the views
  return Error::success();
}

Error TensorStore::openIndex(llvm::StringRef index) {
  auto json = parseJsonFile(index);
  if (!json)
    return json.takeError();
  const llvm::json::Object *object = json->getAsObject();
  const llvm::json::Object *map = object ? object->getObject("weight_map") : nullptr;
  if (!map || map->empty())
    return makeError("{0}: expected an object 'weight_map' of tensor names", index);
  llvm::StringMap<size_t> shards; // name -> number of tensors
  for (const auto &[tensor, shard] : *map) {
    std::optional<llvm::StringRef> name = shard.getAsString();
    if (!name || name->empty() || name->contains('/') || *name == "..")
      return makeError("{0}: tensor '{1}': expected the name of a file beside the index", index,
                       llvm::StringRef(tensor));
    ++shards[*name];
  }
  llvm::StringMap<llvm::StringSet<>> contents;
  for (const auto &shard : shards) {
    if (Error error = addFile(join(llvm::sys::path::parent_path(index), shard.getKey())))
      return error;
    for (const TensorView &tensor : files.back().getTensors())
      contents[shard.getKey()].insert(tensor.name);
  }
  for (const auto &[tensor, shard] : *map)
    if (!contents[*shard.getAsString()].contains(llvm::StringRef(tensor)))
      return makeError("{0}: tensor '{1}' is not in {2}", index, llvm::StringRef(tensor),
                       *shard.getAsString());
  return Error::success();
}

Expected<TensorStore> TensorStore::open(llvm::StringRef path) {
  TensorStore store;
  store.path = path.str();
  std::string file = path.str();
  if (fs::is_directory(path)) {
    file = join(path, "model.safetensors");
    if (!fs::exists(file) && !fs::exists(file + ".index.json"))
      return makeError("{0}: neither model.safetensors nor model.safetensors.index.json in it",
                       path);
    if (!fs::exists(file))
      file += ".index.json";
  }
  Error error =
      llvm::StringRef(file).ends_with(".json") ? store.openIndex(file) : store.addFile(file);
  if (error)
    return error;
  return store;
}

const TensorView *TensorStore::find(llvm::StringRef name) const { return tensors.lookup(name); }

std::vector<const TensorView *> TensorStore::getTensors() const {
  std::vector<const TensorView *> result;
  for (const SafetensorsFile &file : files)
    for (const TensorView &tensor : file.getTensors())
      result.push_back(&tensor);
  return result;
}
