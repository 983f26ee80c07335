//===- OneDnn.h - Matrix products of oneDNN ----------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_ONEDNN_H
#define VERNIER_RUNTIME_ONEDNN_H

#include "runtime/Status.h"
#include <cstdint>
#include <memory>

namespace vernier::runtime {

/// result[m, n] = op(lhs) op(rhs) (+ result), all f32 and row-major; a stride is
/// the number of elements from one row to the next as stored.
struct MatmulShape {
  int64_t m = 0, n = 0, k = 0;
  int64_t lhsStride = 0, rhsStride = 0, resultStride = 0;
  bool transposeLhs = false, transposeRhs = false;
  bool accumulate = false;
  /// How many oneDNN uses. More than one, or 0 for as many as it likes, only to
  /// see how fast it is: its bits depend on it.
  int threads = 1;
};

/// A product of one shape, ready to run: oneDNN makes code for it once. It may
/// run on several threads at the same time, each with a scratchpad of its own.
class Matmul {
public:
  static Expected<std::unique_ptr<Matmul>> create(const MatmulShape &shape);
  virtual ~Matmul();

  /// Bytes that `run` needs at `scratchpad`, aligned to 64 bytes.
  virtual int64_t getScratchpadBytes() const = 0;

  /// Returns oneDNN's status, 0 for success.
  virtual int run(const float *lhs, const float *rhs, float *result, char *scratchpad) const = 0;
};

/// Whether oneDNN uses AVX-512 here (the processor has it and DNNL_MAX_CPU_ISA
/// does not forbid it).
bool usesAvx512();

/// "2.6.3", for reports.
std::string getOneDnnVersion();

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_ONEDNN_H
