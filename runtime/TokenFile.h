//===- TokenFile.h - Files of token ids ---------------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_TOKENFILE_H
#define VERNIER_RUNTIME_TOKENFILE_H

#include "runtime/Status.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace vernier::runtime {

/// How the tokens of a file are stored.
enum class DataFormat {
  Auto,   ///< by the file's name (see resolveFormat)
  Text,   ///< each byte is a token
  LlmC,   ///< llm.c's .bin: a header of 256 int32, then uint16 or uint32
  U16,    ///< headerless uint16: nanoGPT's train.bin, OLMo's .npy
  U32,    ///< headerless uint32
  Batches ///< explicit batches in a safetensors file
};

/// "auto", "text", "llmc", "u16", "u32", "batches".
llvm::StringRef nameOf(DataFormat format);
std::optional<DataFormat> parseDataFormat(llvm::StringRef name);

/// What Auto stands for: .safetensors is Batches, .bin LlmC, .npy (headerless
/// in spite of the name, as OLMo writes them) U16 or, for a vocabulary of more
/// than 65536, U32; everything else is Text.
DataFormat resolveFormat(DataFormat format, llvm::StringRef path, int64_t vocabulary);

/// A memory-mapped file of tokens. Positions are 64 bits wide; size and magic
/// are checked when it is opened, each id when it is read.
class TokenFile {
public:
  /// `format` is none of Auto and Batches.
  static Expected<TokenFile> open(llvm::StringRef path, DataFormat format);

  const std::string &getPath() const { return path; }
  uint64_t size() const { return count; }

  /// Of number and width of the tokens, and of the tokens: of up to 16 MiB all,
  /// of more 256 pieces of 64 KiB at equal distances, the first and the last
  /// among them.
  std::string computeChecksum() const;

  /// The tokens from `position` on. One that is not less than `vocabulary` is
  /// an error that names file, position and value; so is a file that has become
  /// shorter since it was opened.
  Error read(uint64_t position, int64_t vocabulary, llvm::MutableArrayRef<int32_t> ids) const;

private:
  Error readHeader(llvm::StringRef contents);
  uint32_t get(uint64_t position) const;

  std::string path;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  const char *tokens = nullptr;
  uint64_t count = 0;
  unsigned width = 1; // bytes of a token
};

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_TOKENFILE_H
