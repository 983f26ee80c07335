//===- ProductTiling.h - How a matrix product is cut up ----------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_PRODUCTTILING_H
#define VERNIER_RUNTIME_PRODUCTTILING_H

#include "runtime/Program.h"

namespace vernier::runtime {

/// The result is cut into tiles of `rows` x `columns` (less at the edges), the
/// reduction into `parts` of `depth` (the last may be shorter). Each tile of
/// each part is one single-threaded call of oneDNN: how oneDNN itself divides a
/// product, and with it the bits, would depend on the number of threads.
struct ProductTiling {
  int64_t rows = 0, columns = 0;
  int64_t parts = 1, depth = 0;

  int64_t getRowTiles(const Product &product) const;
  int64_t getColumnTiles(const Product &product) const;
  /// Parts other than the first are summed apart and then added in order.
  int64_t getWorkspaceBytes(const Product &product) const;
};

/// A choice that depends on the shape and on the instruction set only, never
/// on the number of threads.
ProductTiling chooseTiling(const Product &product, bool avx512);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_PRODUCTTILING_H
