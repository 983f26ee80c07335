//===- DataSourceImpl.h - The kinds of data sources ---------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_DATASOURCEIMPL_H
#define VERNIER_RUNTIME_DATASOURCEIMPL_H

#include "runtime/DataSource.h"

namespace vernier::runtime {

/// Windows of token files (see openDataSource).
class TokenWindows : public DataSource {
public:
  static Expected<std::unique_ptr<DataSource>> open(llvm::ArrayRef<std::string> paths,
                                                    DataFormat format, const DataOptions &options);

  uint64_t countRows() const override { return firstRow.back(); }
  std::string computeChecksum() const override;
  Error read(uint64_t cursor, llvm::MutableArrayRef<int32_t> ids,
             llvm::MutableArrayRef<int32_t> targets) const override;

private:
  explicit TokenWindows(const DataOptions &options) : options(options) {}
  Error add(TokenFile file);

  DataOptions options;
  std::vector<TokenFile> files;
  std::vector<uint64_t> begins;      // first token of each file's part
  std::vector<uint64_t> firstRow{0}; // of each file, then the total
};

/// Batches of a safetensors file (see openDataSource).
class ExplicitBatches : public DataSource {
public:
  static Expected<std::unique_ptr<DataSource>> open(llvm::StringRef path,
                                                    const DataOptions &options);

  uint64_t countRows() const override { return rows; }
  uint64_t rowsPerStep() const override { return stepRows; }
  std::string computeChecksum() const override;
  Error read(uint64_t cursor, llvm::MutableArrayRef<int32_t> ids,
             llvm::MutableArrayRef<int32_t> targets) const override;

private:
  explicit ExplicitBatches(const DataOptions &options) : options(options) {}

  DataOptions options;
  std::vector<int32_t> ids, targets;
  uint64_t rows = 0, stepRows = 0;
};

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_DATASOURCEIMPL_H
