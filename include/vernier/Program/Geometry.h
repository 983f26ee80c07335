//===- Geometry.h - How a kernel's work is cut into blocks ----*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_PROGRAM_GEOMETRY_H
#define VERNIER_PROGRAM_GEOMETRY_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace vernier::program {

/// Alignment in bytes of every buffer and of every partial sum: a cache line.
constexpr int64_t kBufferAlignment = 64;

/// Of a tensor's entries, one after another.
int64_t getBytes(mlir::Type tensor);

/// Where the partial sums of one `sum` output lie in the workspace: block b's
/// at `offset + b * stride`, as a dense array of `length` entries of the
/// output's element type. Strides are multiples of 64 bytes, so that no two
/// blocks write to one cache line.
struct PartialSum {
  unsigned output = 0; ///< index among the kernel's results
  int64_t offset = 0;  ///< bytes in the kernel's workspace
  int64_t stride = 0;  ///< bytes from one block's partial to the next's
  int64_t length = 1;  ///< entries; 1 for a number
};

/// How a kernel is cut up. It depends on the shapes only, never on the number
/// of threads: that, and adding partial sums in the order of blocks, is what
/// makes results independent of the number of threads.
///
/// Row kernels: block b computes the rows `[b rowsPerBlock, (b+1) rowsPerBlock)`
/// below `rows` in row-major order of the space; `finish` block f adds up the
/// columns `[f kFinishColumns, (f+1) kFinishColumns)` of every partial sum.
/// Gather: the same, a row being that of an id. Scatter-add: block b adds the
/// columns `[b columnsPerBlock, (b+1) columnsPerBlock)` of all rows, in the
/// order of the ids, so no two blocks touch the same entry. Attention: see the
/// comment in Geometry.cpp.
struct Geometry {
  int64_t rows = 1;
  int64_t rowLength = 1; ///< entries of the longest row
  int64_t rowsPerBlock = 1;
  int64_t columnsPerBlock = 0;
  int64_t blocks = 1;
  int64_t finishBlocks = 0;   ///< 0: nothing to finish
  int64_t workspaceBytes = 0; ///< 0: no workspace
  llvm::SmallVector<PartialSum, 2> partials;
};

/// Columns of the partial sums that one finishing block adds up.
constexpr int64_t kFinishColumns = 512;

/// The geometry of a `program.rows`, or of a kernel of any kind.
Geometry getGeometry(mlir::Operation *kernel);

} // namespace vernier::program

#endif // VERNIER_PROGRAM_GEOMETRY_H
