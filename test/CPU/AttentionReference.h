//===- AttentionReference.h - Attention by plain loops in f64 ---*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_CPU_ATTENTIONREFERENCE_H
#define VERNIER_TEST_CPU_ATTENTIONREFERENCE_H

#include <cmath>
#include <cstdint>
#include <vector>

namespace vernier::test {

struct AttentionShape {
  int64_t batch = 1, sequence = 1, heads = 1, keyHeads = 1, headDim = 16;
  bool causal = true;
  int64_t window = 0; ///< 0: none
  double scale = 0.125;

  int64_t queryRows() const { return batch * sequence * heads; }
  int64_t keyRows() const { return batch * sequence * keyHeads; }
  bool sees(int64_t query, int64_t key) const {
    return !causal || (key <= query && (!window || key > query - window));
  }
};

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

struct AttentionInputs {
  Floats query, key, value, outputGradient;
};

struct AttentionResults {
  Doubles output, logSumExp, queryGradient, keyGradient, valueGradient;
};

/// All of attention, row by row; see the descriptions of `vernier.attention`
/// and `vernier.attention_grad`.
inline AttentionResults computeAttention(const AttentionShape &s, const AttentionInputs &in) {
  AttentionResults out{Doubles(in.query.size()), Doubles(s.queryRows()), Doubles(in.query.size()),
                       Doubles(in.key.size()), Doubles(in.key.size())};
  const int64_t D = s.headDim, T = s.sequence;
  auto row = [&](int64_t b, int64_t t, int64_t heads, int64_t h) {
    return ((b * T + t) * heads + h);
  };
  for (int64_t b = 0; b < s.batch; ++b)
    for (int64_t h = 0; h < s.heads; ++h)
      for (int64_t i = 0; i < T; ++i) {
        const int64_t q = row(b, i, s.heads, h) * D, kh = h / (s.heads / s.keyHeads);
        Doubles p(T, 0.0);
        double largest = -INFINITY, sum = 0, total = 0;
        for (int64_t j = 0; j < T; ++j) {
          const int64_t k = row(b, j, s.keyHeads, kh) * D;
          for (int64_t d = 0; d < D; ++d)
            p[j] += s.scale * in.query[q + d] * in.key[k + d];
          if (s.sees(i, j))
            largest = std::max(largest, p[j]);
        }
        for (int64_t j = 0; j < T; ++j) {
          p[j] = s.sees(i, j) ? std::exp(p[j] - largest) : 0.0;
          sum += p[j];
        }
        out.logSumExp[q / D] = largest + std::log(sum);
        for (int64_t j = 0; j < T; ++j)
          for (int64_t d = 0; d < D; ++d)
            out.output[q + d] += p[j] / sum * in.value[row(b, j, s.keyHeads, kh) * D + d];
        for (int64_t d = 0; d < D; ++d)
          total += double(in.outputGradient[q + d]) * out.output[q + d];
        for (int64_t j = 0; j < T; ++j) {
          const int64_t k = row(b, j, s.keyHeads, kh) * D;
          double dp = 0;
          for (int64_t d = 0; d < D; ++d)
            dp += double(in.outputGradient[q + d]) * in.value[k + d];
          const double probability = p[j] / sum, ds = probability * (dp - total) * s.scale;
          for (int64_t d = 0; d < D; ++d) {
            out.valueGradient[k + d] += probability * in.outputGradient[q + d];
            out.queryGradient[q + d] += ds * in.key[k + d];
            out.keyGradient[k + d] += ds * in.query[q + d];
          }
        }
      }
  return out;
}

} // namespace vernier::test

#endif // VERNIER_TEST_CPU_ATTENTIONREFERENCE_H
