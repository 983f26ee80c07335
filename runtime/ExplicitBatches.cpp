//===- ExplicitBatches.cpp - Batches of a safetensors file ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Checksums.h"
#include "runtime/DataSourceImpl.h"
#include "runtime/Safetensors.h"

using namespace vernier::runtime;

/// A tensor's entries, each within the vocabulary or, if `allowed` is not 0,
/// equal to it.
static Expected<std::vector<int32_t>> readIds(const SafetensorsFile &file, const TensorView &tensor,
                                              int64_t vocabulary, int32_t allowed) {
  std::vector<int64_t> values(tensor.countElements());
  if (Error error = readIntegers(tensor, 0, values))
    return makeError("{0}: {1}", file.getPath(), llvm::toString(std::move(error)));
  std::vector<int32_t> result;
  for (size_t i = 0; i < values.size(); ++i) {
    bool fits = (0 <= values[i] && values[i] < vocabulary) || (allowed && values[i] == allowed);
    if (!fits)
      return makeError("{0}: {1} {2} at position {3:N} is outside the vocabulary of {4:N}",
                       file.getPath(), tensor.name, values[i], i, vocabulary);
    result.push_back(static_cast<int32_t>(values[i]));
  }
  return result;
}

static Error checkShapes(const SafetensorsFile &file, const TensorView &ids,
                         const TensorView &targets, const DataOptions &options) {
  const Shape &shape = ids.shape;
  if (shape.size() < 2 || shape.size() > 3 || shape.back() != options.sequence)
    return makeError("{0}: input_ids has shape {1}, expected [rows, {2}] or [steps, rows, {2}]",
                     file.getPath(), toString(shape), options.sequence);
  if (targets.shape != shape)
    return makeError("{0}: targets has shape {1}, but input_ids has {2}", file.getPath(),
                     toString(targets.shape), toString(shape));
  int64_t rows = shape[shape.size() - 2];
  if (rows == 0 || rows % options.batch != 0 || shape[0] == 0)
    return makeError("{0}: input_ids has shape {1}, but its {2} rows are no multiple of the "
                     "model's batch of {3}",
                     file.getPath(), toString(shape), rows, options.batch);
  return Error::success();
}

Expected<std::unique_ptr<DataSource>> ExplicitBatches::open(llvm::StringRef path,
                                                            const DataOptions &options) {
  auto file = SafetensorsFile::open(path);
  if (!file)
    return file.takeError();
  auto idsView = file->get("input_ids"), targetsView = file->get("targets");
  if (!idsView || !targetsView)
    return llvm::joinErrors(idsView.takeError(), targetsView.takeError());
  if (Error error = checkShapes(*file, **idsView, **targetsView, options))
    return error;
  auto ids = readIds(*file, **idsView, options.vocabulary, 0);
  if (!ids)
    return ids.takeError();
  auto targets = readIds(*file, **targetsView, options.vocabulary, options.ignoreIndex);
  if (!targets)
    return targets.takeError();
  std::unique_ptr<ExplicitBatches> source(new ExplicitBatches(options));
  source->rows = ids->size() / options.sequence;
  source->stepRows = (*idsView)->shape[(*idsView)->shape.size() - 2];
  source->ids = std::move(*ids);
  source->targets = std::move(*targets);
  return source;
}

static llvm::StringRef toText(const std::vector<int32_t> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(int32_t)};
}

std::string ExplicitBatches::computeChecksum() const {
  return runtime::computeChecksum(llvm::formatv("{0} {1} {2}", stepRows,
                                                runtime::computeChecksum(toText(ids)),
                                                runtime::computeChecksum(toText(targets)))
                                      .str());
}

Error ExplicitBatches::read(uint64_t cursor, llvm::MutableArrayRef<int32_t> idsRow,
                            llvm::MutableArrayRef<int32_t> targetsRow) const {
  size_t begin = cursor % rows * options.sequence;
  std::copy_n(ids.begin() + begin, options.sequence, idsRow.begin());
  std::copy_n(targets.begin() + begin, options.sequence, targetsRow.begin());
  return Error::success();
}
