//===- Checksums.cpp - Whether files are as they were written -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Checksums.h"
#include "runtime/Files.h"
#include "llvm/Support/xxhash.h"

using namespace vernier::runtime;

static constexpr size_t digits = 32;

std::string vernier::runtime::computeChecksum(llvm::StringRef bytes) {
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::ArrayRef(bytes.bytes_begin(), bytes.size()));
  return llvm::formatv("{0,0+16:x-}{1,0+16:x-}", hash.high64, hash.low64);
}

static Expected<std::string> computeFileChecksum(const llvm::Twine &path) {
  auto contents = mapFile(path.str());
  if (!contents)
    return contents.takeError();
  return computeChecksum((*contents)->getBuffer());
}

Expected<std::string> vernier::runtime::listChecksums(llvm::StringRef folder,
                                                      llvm::ArrayRef<llvm::StringRef> names) {
  std::string list;
  for (llvm::StringRef name : names) {
    auto checksum = computeFileChecksum(folder + "/" + name);
    if (!checksum)
      return checksum.takeError();
    list += *checksum + "  " + name.str() + "\n";
  }
  return list;
}

Error vernier::runtime::checkChecksums(llvm::StringRef folder,
                                       llvm::ArrayRef<llvm::StringRef> names, llvm::StringRef list,
                                       llvm::StringRef listName) {
  for (llvm::StringRef name : names) {
    auto [line, rest] = list.split('\n');
    llvm::StringRef expected = line.take_front(digits);
    if (line.size() == list.size() || line.substr(digits) != ("  " + name).str())
      return makeError("{0}/{1}: damaged: expected a line with the checksum of {2}, found '{3}'",
                       folder, listName, name, line);
    auto found = computeFileChecksum(folder + "/" + name);
    if (!found)
      return found.takeError();
    if (*found != expected)
      return makeError("{0}/{1}: damaged: expected checksum {2}, as {3} says, found {4}", folder,
                       name, expected, listName, *found);
    list = rest;
  }
  if (!list.empty())
    return makeError("{0}/{1}: damaged: expected {2} lines, found more", folder, listName,
                     names.size());
  return Error::success();
}
