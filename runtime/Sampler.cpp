//===- Sampler.cpp - Draws tokens from logits -----------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Sampler.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>
#include <vector>

using namespace vernier::runtime;

/// Ids of finite logits, likeliest first, at most `limit`.
static std::vector<int32_t> rank(llvm::ArrayRef<float> logits, size_t limit) {
  std::vector<int32_t> ids;
  for (size_t id = 0; id < logits.size(); ++id)
    if (std::isfinite(logits[id]))
      ids.push_back(static_cast<int32_t>(id));
  limit = std::min(limit, ids.size());
  std::partial_sort(ids.begin(), ids.begin() + limit, ids.end(), [&](int32_t a, int32_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  ids.resize(limit);
  return ids;
}

int32_t Sampler::draw(llvm::ArrayRef<float> logits) {
  bool greedy = options.temperature <= 0;
  std::vector<int32_t> ids = rank(logits, greedy             ? 1
                                          : options.topK > 0 ? options.topK
                                                             : logits.size());
  // 53 bits in [0, 1); drawn in any case, so that tokens keep their numbers.
  double unit = double(random.getWords(count++).first >> 11) * 0x1p-53;
  if (ids.empty())
    return -1;
  std::vector<double> weights;
  weights.reserve(ids.size());
  for (int32_t id : ids)
    weights.push_back(greedy ? 1 : std::exp((logits[id] - logits[ids[0]]) / options.temperature));
  double rest = unit * std::accumulate(weights.begin(), weights.end(), 0.0);
  for (auto [id, weight] : llvm::zip_equal(ids, weights)) {
    rest -= weight;
    if (rest < 0)
      return id;
  }
  return ids.back(); // rounding
}
