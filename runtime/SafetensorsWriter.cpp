//===- SafetensorsWriter.cpp - Writes tensor files ------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Files.h"
#include "runtime/Safetensors.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

using namespace vernier::runtime;

static Error checkTensor(llvm::StringRef path, const TensorToWrite &tensor) {
  int64_t bytes = 0;
  for (llvm::ArrayRef<char> piece : tensor.pieces)
    bytes += piece.size();
  Shape dimensions = tensor.shape;
  dimensions.push_back(sizeOf(tensor.type));
  if (bytes != countElements(dimensions))
    return makeError("{0}: tensor '{1}': {2} bytes do not make {3} of shape {4}", path, tensor.name,
                     bytes, nameOf(tensor.type), toString(tensor.shape));
  return Error::success();
}

/// The header, padded with spaces so that the data begins at a multiple of 8.
/// All that could be wrong, before a byte is written.
static Error checkTensors(llvm::StringRef path, llvm::ArrayRef<TensorToWrite> tensors) {
  llvm::StringSet<> names;
  for (const TensorToWrite &tensor : tensors) {
    if (Error error = checkTensor(path, tensor))
      return error;
    if (!names.insert(tensor.name).second || tensor.name == "__metadata__")
      return makeError("{0}: two tensors of the name '{1}'", path, tensor.name);
  }
  return Error::success();
}

static std::string makeHeader(llvm::ArrayRef<TensorToWrite> tensors,
                              const std::map<std::string, std::string> &metadata) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.objectBegin();
  if (!metadata.empty())
    json.attributeObject("__metadata__", [&] {
      for (const auto &[key, value] : metadata)
        json.attribute(key, value);
    });
  int64_t offset = 0;
  for (const TensorToWrite &tensor : tensors) {
    int64_t end = offset + *countElements(tensor.shape) * sizeOf(tensor.type);
    json.attributeObject(tensor.name, [&] {
      json.attribute("dtype", nameOf(tensor.type));
      json.attribute("shape", llvm::json::Array(tensor.shape));
      json.attribute("data_offsets", llvm::json::Array{offset, end});
    });
    offset = end;
  }
  json.objectEnd();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

Error vernier::runtime::writeSafetensors(llvm::StringRef path,
                                         llvm::ArrayRef<TensorToWrite> tensors,
                                         const std::map<std::string, std::string> &metadata) {
  if (Error error = checkTensors(path, tensors))
    return error;
  std::string header = makeHeader(tensors, metadata);
  return writeFileAtomically(path, [&](llvm::raw_ostream &stream) -> Error {
    char length[8];
    llvm::support::endian::write64le(length, header.size());
    stream.write(length, sizeof length);
    stream << header;
    for (const TensorToWrite &tensor : tensors)
      for (llvm::ArrayRef<char> piece : tensor.pieces)
        stream.write(piece.data(), piece.size());
    return Error::success();
  });
}
