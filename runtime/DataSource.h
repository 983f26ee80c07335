//===- DataSource.h - Where training gets its tokens from ---------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_DATASOURCE_H
#define VERNIER_RUNTIME_DATASOURCE_H

#include "runtime/TokenFile.h"
#include <memory>
#include <vector>

namespace vernier::runtime {

/// Rows of tokens with their targets, numbered by a cursor that only counts
/// up: row `cursor % countRows()` of epoch `cursor / countRows()`. The cursor is
/// all that a resumed run has to know.
class DataSource {
public:
  virtual ~DataSource();

  /// Rows of an epoch; at least one batch of them.
  virtual uint64_t countRows() const = 0;

  /// Rows of an optimizer step, if the source prescribes it; otherwise 0.
  virtual uint64_t rowsPerStep() const { return 0; }

  /// A checksum of the tokens, by which a resumed run knows its data again: of
  /// all of them, or of samples of large files (see TokenFile).
  virtual std::string computeChecksum() const = 0;

  /// Fills one row of the sequence length. Ids and targets are checked against
  /// the vocabulary; a target may be the ignored index too.
  virtual Error read(uint64_t cursor, llvm::MutableArrayRef<int32_t> ids,
                     llvm::MutableArrayRef<int32_t> targets) const = 0;
};

/// What a model takes, and how rows are chosen.
struct DataOptions {
  int64_t batch = 0, sequence = 0, vocabulary = 0;
  int32_t ignoreIndex = -100;
  DataFormat format = DataFormat::Auto;
  bool shuffle = true;
  uint64_t seed = 0;
  /// The part [begin, end) of each file, as fractions of its tokens.
  double begin = 0, end = 1;
};

/// Opens files of one format: windows of sequence + 1 tokens that overlap by
/// one (no token is predicted twice), within a file, each once an epoch, in a
/// new random order each epoch; or explicit batches, `input_ids` and `targets`
/// of shape [rows, sequence] or [steps, rows, sequence], in order. Fewer rows
/// than a batch are an error.
Expected<std::unique_ptr<DataSource>> openDataSource(llvm::ArrayRef<std::string> paths,
                                                     const DataOptions &options);

/// Token ids and targets of `batch` rows, one after another.
struct Batch {
  std::vector<int32_t> ids, targets;
  int64_t validTargets = 0; ///< that are not ignored
};

/// The rows from `cursor` on. Rows from `end` on are padding: id 0, all targets
/// ignored.
Expected<Batch> readBatch(const DataSource &source, const DataOptions &options, uint64_t cursor,
                          uint64_t end = ~uint64_t(0));

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_DATASOURCE_H
