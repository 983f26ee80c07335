//===- DataSource.cpp - Where training gets its tokens from ---------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/DataSource.h"
#include "runtime/DataSourceImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace vernier::runtime;

DataSource::~DataSource() = default;

Expected<std::unique_ptr<DataSource>>
vernier::runtime::openDataSource(llvm::ArrayRef<std::string> paths, const DataOptions &options) {
  if (paths.empty())
    return makeError("no data: expected at least one file of tokens");
  DataFormat format = resolveFormat(options.format, paths[0], options.vocabulary);
  for (const std::string &path : paths)
    if (DataFormat other = resolveFormat(options.format, path, options.vocabulary); other != format)
      return makeError("{0} has format {1}, but {2} has {3}: expected files of one format",
                       paths[0], nameOf(format), path, nameOf(other));
  if (format != DataFormat::Batches)
    return TokenWindows::open(paths, format, options);
  if (paths.size() != 1)
    return makeError("{0}: expected one file of explicit batches, found {1}", paths[1],
                     paths.size());
  return ExplicitBatches::open(paths[0], options);
}

Expected<Batch> vernier::runtime::readBatch(const DataSource &source, const DataOptions &options,
                                            uint64_t cursor, uint64_t end) {
  Batch batch;
  batch.ids.assign(options.batch * options.sequence, 0);
  batch.targets.assign(options.batch * options.sequence, options.ignoreIndex);
  for (int64_t row = 0; row < options.batch && cursor < end; ++row, ++cursor) {
    int64_t begin = row * options.sequence;
    if (Error error =
            source.read(cursor, llvm::MutableArrayRef(batch.ids).slice(begin, options.sequence),
                        llvm::MutableArrayRef(batch.targets).slice(begin, options.sequence)))
      return error;
  }
  batch.validTargets = batch.targets.size() - llvm::count(batch.targets, options.ignoreIndex);
  return batch;
}
