//===- SafetensorsReader.cpp - Reads and checks tensor files --------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Files.h"
#include "runtime/Json.h"
#include "runtime/Safetensors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace vernier::runtime;

static constexpr uint64_t maxHeaderBytes = 100'000'000; // as in the reference implementation

/// The JSON text after the length; `data` becomes what follows it.
static Expected<llvm::StringRef> readHeader(llvm::StringRef path, llvm::StringRef contents,
                                            llvm::StringRef &data) {
  if (contents.size() < 8)
    return makeError("{0}: expected a safetensors file, found {1} bytes", path, contents.size());
  uint64_t length = llvm::support::endian::read64le(contents.data());
  if (length > maxHeaderBytes)
    return makeError("{0}: the header has {1} bytes, more than {2}: not a safetensors file", path,
                     length, maxHeaderBytes);
  if (length > contents.size() - 8)
    return makeError("{0}: truncated: the header has {1} bytes, but only {2} follow", path, length,
                     contents.size() - 8);
  data = contents.drop_front(8 + length);
  return contents.substr(8, length);
}

static std::optional<StoredType> parseType(llvm::StringRef name) {
  for (int i = 0; i <= static_cast<int>(StoredType::Bool); ++i)
    if (name == nameOf(static_cast<StoredType>(i)))
      return static_cast<StoredType>(i);
  return std::nullopt;
}

static bool readIntegers(const llvm::json::Array *array, Shape &result) {
  if (!array)
    return false;
  for (const llvm::json::Value &element : *array) {
    std::optional<int64_t> value = element.getAsInteger();
    if (!value || *value < 0)
      return false;
    result.push_back(*value);
  }
  return true;
}

namespace {
struct Entry {
  TensorView view;
  int64_t begin = 0, end = 0;
};
} // namespace

/// One tensor of the header; its bytes are not looked up yet.
static Expected<Entry> readEntry(llvm::StringRef path, llvm::StringRef name,
                                 const llvm::json::Value &value) {
  Entry entry;
  entry.view.name = name.str();
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return makeError("{0}: tensor '{1}': expected an object", path, name);
  std::optional<llvm::StringRef> dtype = object->getString("dtype");
  std::optional<StoredType> type = parseType(dtype.value_or(""));
  if (!type)
    return makeError("{0}: tensor '{1}': unsupported dtype '{2}'", path, name,
                     dtype.value_or("(none)"));
  entry.view.type = *type;
  if (!readIntegers(object->getArray("shape"), entry.view.shape))
    return makeError("{0}: tensor '{1}': expected a shape of non-negative integers", path, name);
  Shape offsets;
  if (!readIntegers(object->getArray("data_offsets"), offsets) || offsets.size() != 2 ||
      offsets[0] > offsets[1])
    return makeError("{0}: tensor '{1}': expected data_offsets [begin, end]", path, name);
  entry.begin = offsets[0];
  entry.end = offsets[1];
  Shape dimensions = entry.view.shape;
  dimensions.push_back(sizeOf(*type));
  std::optional<int64_t> bytes = countElements(dimensions);
  if (!bytes || *bytes != entry.end - entry.begin)
    return makeError("{0}: tensor '{1}': {2} of shape {3} needs {4} bytes, but its data_offsets "
                     "[{5}, {6}] hold {7}",
                     path, name, nameOf(*type), toString(entry.view.shape),
                     bytes ? std::to_string(*bytes) : "more than 2^63", entry.begin, entry.end,
                     entry.end - entry.begin);
  return entry;
}

/// The tensors must tile the data: no overlap, no hole, nothing after the end.
static Error checkTiling(llvm::StringRef path, llvm::ArrayRef<Entry> entries, int64_t size) {
  int64_t position = 0;
  for (const Entry &entry : entries) {
    if (entry.begin < position)
      return makeError("{0}: tensor '{1}' begins at {2} and overlaps the one before, which ends "
                       "at {3}",
                       path, entry.view.name, entry.begin, position);
    if (entry.begin > position)
      return makeError("{0}: hole in the data: bytes [{1}, {2}] before tensor '{3}' belong to "
                       "none",
                       path, position, entry.begin, entry.view.name);
    if (entry.end > size)
      return makeError("{0}: truncated: tensor '{1}' ends at byte {2} of the data, but there are "
                       "only {3}",
                       path, entry.view.name, entry.end, size);
    position = entry.end;
  }
  if (position != size)
    return makeError("{0}: the tensors end at byte {1} of the data, but there are {2}", path,
                     position, size);
  return Error::success();
}

static Error readMetadata(llvm::StringRef path, const llvm::json::Value &value,
                          std::map<std::string, std::string> &metadata) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return makeError("{0}: expected __metadata__ to be an object", path);
  for (const auto &[key, text] : *object) {
    if (!text.getAsString())
      return makeError("{0}: __metadata__ '{1}': expected a string", path, llvm::StringRef(key));
    metadata[key.str()] = text.getAsString()->str();
  }
  return Error::success();
}

Expected<SafetensorsFile> SafetensorsFile::open(llvm::StringRef path) {
  SafetensorsFile file;
  file.path = path.str();
  auto buffer = mapFile(path);
  if (!buffer)
    return buffer.takeError();
  file.buffer = std::move(*buffer);
  llvm::StringRef data;
  auto header = readHeader(path, file.buffer->getBuffer(), data);
  if (!header)
    return header.takeError();
  auto json = parseJson(*header, path);
  if (!json)
    return json.takeError();
  if (!json->getAsObject())
    return makeError("{0}: expected the header to be a JSON object", path);

  std::vector<Entry> entries;
  for (const auto &[key, value] : *json->getAsObject()) {
    if (key == "__metadata__") {
      if (Error error = readMetadata(path, value, file.metadata))
        return error;
      continue;
    }
    auto entry = readEntry(path, key, value);
    if (!entry)
      return entry.takeError();
    entries.push_back(std::move(*entry));
  }
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    return std::tie(a.begin, a.end, a.view.name) < std::tie(b.begin, b.end, b.view.name);
  });
  if (Error error = checkTiling(path, entries, data.size()))
    return error;
  for (Entry &entry : entries) {
    entry.view.bytes = {data.data() + entry.begin, static_cast<size_t>(entry.end - entry.begin)};
    file.indices[entry.view.name] = file.tensors.size();
    file.tensors.push_back(std::move(entry.view));
  }
  return file;
}

const TensorView *SafetensorsFile::find(llvm::StringRef name) const {
  auto found = indices.find(name);
  return found == indices.end() ? nullptr : &tensors[found->second];
}

Expected<const TensorView *> SafetensorsFile::get(llvm::StringRef name) const {
  if (const TensorView *view = find(name))
    return view;
  return makeError("{0}: no tensor '{1}'", path, name);
}
