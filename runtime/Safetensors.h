//===- Safetensors.h - Files of named tensors ---------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_SAFETENSORS_H
#define VERNIER_RUNTIME_SAFETENSORS_H

#include "runtime/Program.h"
#include "runtime/Status.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <memory>

namespace vernier::runtime {

/// The element types of the format that Vernier knows.
enum class StoredType { F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8, Bool };

/// Bytes of one element, and the format's name for it ("BF16").
int64_t sizeOf(StoredType type);
llvm::StringRef nameOf(StoredType type);

/// "[2, 24]".
std::string toString(llvm::ArrayRef<int64_t> shape);

/// The product of the dimensions; nothing if one is negative or the product
/// does not fit in 63 bits.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// A tensor of a file: row-major, little-endian, at no particular alignment.
/// Lives as long as the file that it is from.
struct TensorView {
  std::string name;
  StoredType type = StoredType::F32;
  Shape shape;
  llvm::ArrayRef<char> bytes;

  int64_t countElements() const { return bytes.size() / sizeOf(type); }
};

/// Entries [begin, begin + result.size()) as numbers. Floating-point types
/// only for the first two (F64 rounds to the nearest f32), integers only for
/// the last, which checks the range; another type is an error naming both.
Error readFloats(const TensorView &tensor, int64_t begin, llvm::MutableArrayRef<float> result);
Error readFloats(const TensorView &tensor, int64_t begin, llvm::MutableArrayRef<double> result);
Error readIntegers(const TensorView &tensor, int64_t begin, llvm::MutableArrayRef<int64_t> result);

/// A memory-mapped safetensors file. Everything that its header says is
/// checked when it is opened, so that views cannot lead outside the file:
/// header within the file and at most 100 MB, nesting, duplicate keys, types,
/// shapes, and that the tensors tile the data without overlap or hole.
/// Format: https://github.com/huggingface/safetensors
class SafetensorsFile {
public:
  static Expected<SafetensorsFile> open(llvm::StringRef path);

  const std::string &getPath() const { return path; }
  /// In the order in which they lie in the file.
  llvm::ArrayRef<TensorView> getTensors() const { return tensors; }
  /// Null if there is none of that name.
  const TensorView *find(llvm::StringRef name) const;
  /// The same, with an error that names file and tensor.
  Expected<const TensorView *> get(llvm::StringRef name) const;
  const std::map<std::string, std::string> &getMetadata() const { return metadata; }

private:
  std::string path;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::vector<TensorView> tensors;
  llvm::StringMap<size_t> indices;
  std::map<std::string, std::string> metadata;
};

/// A tensor to be written: its bytes are those of `pieces`, one after another,
/// which must stay valid until it is written.
struct TensorToWrite {
  std::string name;
  StoredType type = StoredType::F32;
  Shape shape;
  std::vector<llvm::ArrayRef<char>> pieces;
};

/// The bytes of an array.
template <typename T> llvm::ArrayRef<char> bytesOf(llvm::ArrayRef<T> array) {
  return {reinterpret_cast<const char *>(array.data()), array.size() * sizeof(T)};
}

/// Writes a file in one step (see writeFileAtomically). The order is kept.
/// Duplicate names and pieces that do not add up to the shape are errors.
Error writeSafetensors(llvm::StringRef path, llvm::ArrayRef<TensorToWrite> tensors,
                       const std::map<std::string, std::string> &metadata = {});

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_SAFETENSORS_H
