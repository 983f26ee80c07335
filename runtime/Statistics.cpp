//===- Statistics.cpp - How the parameters of a run train -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Statistics.h"
#include "runtime/TrainingEngine.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace vernier::runtime;

Summary vernier::runtime::summarize(llvm::ArrayRef<double> entries) {
  Summary summary{0, 0, entries.front(), entries.front()};
  double squares = 0;
  for (double entry : entries) {
    summary.mean += entry;
    squares += entry * entry;
    summary.min = std::min(summary.min, entry);
    summary.max = std::max(summary.max, entry);
  }
  summary.mean /= entries.size();
  summary.rms = std::sqrt(squares / entries.size());
  return summary;
}

static double readFirst(const StateArray &array) {
  return std::visit([](auto entries) { return double(entries[0]); }, array);
}

Expected<std::vector<ScaleStatistics>> vernier::runtime::summarizeScales(TrainingEngine &engine) {
  auto entries = engine.computeScaleVectors();
  if (!entries)
    return entries.takeError();
  std::vector<ScaleStatistics> all;
  for (auto [vector, values] : llvm::zip_equal(engine.getScaleVectors(), *entries)) {
    ScaleStatistics statistics{vector, summarize(values), std::nullopt};
    if (vector.magnitude >= 0)
      statistics.magnitude = readFirst(engine.getState(Role::Param, vector.magnitude));
    all.push_back(std::move(statistics));
  }
  return all;
}
