//===- TokenWindows.cpp - Shuffled windows of token files -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Checksums.h"
#include "runtime/DataSourceImpl.h"
#include "runtime/Permutation.h"
#include "llvm/ADT/STLExtras.h"

using namespace vernier::runtime;

Error TokenWindows::add(TokenFile file) {
  uint64_t begin = file.size() * options.begin;
  uint64_t end = options.end == 1 ? file.size() : uint64_t(file.size() * options.end);
  uint64_t tokens = end > begin ? end - begin : 0;
  // The last token of a window is only a target, and the first input of the next.
  uint64_t windows = tokens ? (tokens - 1) / options.sequence : 0;
  begins.push_back(begin);
  firstRow.push_back(firstRow.back() + windows);
  files.push_back(std::move(file));
  return Error::success();
}

Expected<std::unique_ptr<DataSource>> TokenWindows::open(llvm::ArrayRef<std::string> paths,
                                                         DataFormat format,
                                                         const DataOptions &options) {
  std::unique_ptr<TokenWindows> source(new TokenWindows(options));
  uint64_t tokens = 0;
  for (const std::string &path : paths) {
    auto file = TokenFile::open(path, format);
    if (!file)
      return file.takeError();
    tokens += file->size();
    if (Error error = source->add(std::move(*file)))
      return error;
  }
  if (source->countRows() < static_cast<uint64_t>(options.batch))
    return makeError(
        "{0}: {1:N} tokens{2} make {3:N} windows of {4:N} + 1, but a batch has {5:N}", paths[0],
        tokens,
        options.end - options.begin < 1
            ? llvm::formatv(" (of which {0:P} are used)", options.end - options.begin).str()
            : "",
        source->countRows(), options.sequence, options.batch);
  return source;
}

std::string TokenWindows::computeChecksum() const {
  std::string list;
  for (const TokenFile &file : files)
    list += file.computeChecksum() + "\n";
  return runtime::computeChecksum(list);
}

Error TokenWindows::read(uint64_t cursor, llvm::MutableArrayRef<int32_t> ids,
                         llvm::MutableArrayRef<int32_t> targets) const {
  uint64_t row = cursor % countRows(), epoch = cursor / countRows();
  if (options.shuffle)
    row = Permutation(countRows(), mixBits(options.seed) ^ epoch)(row);
  size_t file = llvm::upper_bound(firstRow, row) - firstRow.begin() - 1;
  uint64_t position = begins[file] + (row - firstRow[file]) * options.sequence;
  std::vector<int32_t> window(options.sequence + 1);
  if (Error error = files[file].read(position, options.vocabulary, window))
    return error;
  std::copy(window.begin(), window.end() - 1, ids.begin());
  std::copy(window.begin() + 1, window.end(), targets.begin());
  return Error::success();
}
