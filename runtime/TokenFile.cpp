//===- TokenFile.cpp - Files of token ids ---------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TokenFile.h"
#include "runtime/Checksums.h"
#include "runtime/Files.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace vernier::runtime;
using namespace llvm::support::endian;

// https://github.com/karpathy/llm.c, dev/data/data_common.py
static constexpr size_t headerBytes = 256 * 4;
static constexpr int32_t magicU16 = 20240520, versionU16 = 1;
static constexpr int32_t magicU32 = 20240801, versionU32 = 7; // Llama 3

static constexpr const char *formatNames[] = {"auto", "text", "llmc", "u16", "u32", "batches"};

llvm::StringRef vernier::runtime::nameOf(DataFormat format) {
  return formatNames[static_cast<int>(format)];
}

std::optional<DataFormat> vernier::runtime::parseDataFormat(llvm::StringRef name) {
  for (int i = 0; i < static_cast<int>(std::size(formatNames)); ++i)
    if (name == formatNames[i])
      return static_cast<DataFormat>(i);
  return std::nullopt;
}

DataFormat vernier::runtime::resolveFormat(DataFormat format, llvm::StringRef path,
                                           int64_t vocabulary) {
  if (format != DataFormat::Auto)
    return format;
  llvm::StringRef extension = llvm::sys::path::extension(path);
  if (extension == ".safetensors")
    return DataFormat::Batches;
  if (extension == ".bin")
    return DataFormat::LlmC;
  if (extension == ".npy")
    return vocabulary > 65536 ? DataFormat::U32 : DataFormat::U16;
  return DataFormat::Text;
}

Error TokenFile::readHeader(llvm::StringRef contents) {
  if (contents.size() < headerBytes)
    return makeError("{0}: expected a header of {1} bytes, found {2}; for a file without one say "
                     "--data-format=u16 or u32",
                     path, headerBytes, contents.size());
  int32_t magic = read32le(contents.data()), version = read32le(contents.data() + 4);
  if (magic != magicU16 && magic != magicU32)
    return makeError("{0}: wrong magic: expected {1} or {2}, found {3}; for a file without a "
                     "header say --data-format=u16 or u32",
                     path, magicU16, magicU32, magic);
  int32_t expected = magic == magicU16 ? versionU16 : versionU32;
  if (version != expected)
    return makeError("{0}: expected version {1} with magic {2}, found {3}", path, expected, magic,
                     version);
  width = magic == magicU16 ? 2 : 4;
  count = read32le(contents.data() + 8);
  if (contents.size() != headerBytes + width * count)
    return makeError("{0}: {1} tokens of {2} bytes after a header of {3} make {4} bytes, but the "
                     "file has {5}",
                     path, count, width, headerBytes, headerBytes + width * count, contents.size());
  tokens = contents.data() + headerBytes;
  return Error::success();
}

Expected<TokenFile> TokenFile::open(llvm::StringRef path, DataFormat format) {
  TokenFile file;
  file.path = path.str();
  if (isStream(path)) // has no positions
    return makeError("{0}: expected a regular file", path);
  auto buffer = mapFile(path);
  if (!buffer)
    return buffer.takeError();
  file.buffer = std::move(*buffer);
  llvm::StringRef contents = file.buffer->getBuffer();
  if (contents.empty())
    return makeError("{0}: expected tokens, found an empty file", path);
  if (format == DataFormat::LlmC) {
    if (Error error = file.readHeader(contents))
      return error;
    return file;
  }
  if (format != DataFormat::Text && contents.starts_with("\x93NUMPY"))
    return makeError("{0}: has NumPy's header; expected tokens without one", path);
  file.width = format == DataFormat::Text ? 1 : format == DataFormat::U16 ? 2 : 4;
  if (contents.size() % file.width != 0)
    return makeError("{0}: odd size: {1} bytes are no multiple of {2}, the bytes of a token", path,
                     contents.size(), file.width);
  file.tokens = contents.data();
  file.count = contents.size() / file.width;
  return file;
}

uint32_t TokenFile::get(uint64_t position) const {
  const char *token = tokens + position * width;
  return width == 1 ? static_cast<uint8_t>(*token) : width == 2 ? read16le(token) : read32le(token);
}

std::string TokenFile::computeChecksum() const {
  constexpr uint64_t piece = 64 << 10, pieces = 256;
  uint64_t bytes = count * width;
  std::string sample = llvm::formatv("{0} {1}\n", count, width);
  if (bytes <= piece * pieces)
    sample.append(tokens, bytes);
  else
    for (uint64_t i = 0; i < pieces; ++i) // no product overflows: files are below 2^55 bytes
      sample.append(tokens + (bytes - piece) * i / (pieces - 1), piece);
  return runtime::computeChecksum(sample);
}

/// Reading behind the end of a mapped file would end the process. A file may be
/// cut while a run reads it; between this look and the reading, it would still.
static Error checkStillWhole(const std::string &path, uint64_t bytes) {
  uint64_t now = 0;
  if (std::error_code code = llvm::sys::fs::file_size(path, now))
    return makeError("{0}: cannot read: {1}", path, code.message());
  if (now < bytes)
    return makeError("{0}: expected {1:N} bytes, as when it was opened, found {2:N}", path, bytes,
                     now);
  return Error::success();
}

Error TokenFile::read(uint64_t position, int64_t vocabulary,
                      llvm::MutableArrayRef<int32_t> ids) const {
  if (Error error = checkStillWhole(path, buffer->getBufferSize()))
    return error;
  for (int32_t &id : ids) {
    uint32_t token = get(position);
    if (token >= vocabulary)
      return makeError("{0}: token {1:N} at position {2:N} is outside the vocabulary of {3:N}",
                       path, token, position, vocabulary);
    id = static_cast<int32_t>(token);
    ++position;
  }
  return Error::success();
}
