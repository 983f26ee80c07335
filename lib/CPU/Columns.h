//===- Columns.h - Loops over the columns of a row -------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_CPU_COLUMNS_H
#define VERNIER_LIB_CPU_COLUMNS_H

#include "vernier/CPU/Kernels.h"

namespace vernier::cpu {

/// Some neighbouring columns, the piece of work in a loop over a row.
struct Chunk {
  mlir::Value first;     ///< i64, the first column
  int64_t vectors = 1;   ///< how many
  int64_t lanes = 1;     ///< columns in each
  int64_t firstSlot = 0; ///< the accumulator that the first vector belongs to
  int64_t valid = -1;    ///< columns that exist in the last vector; -1: all
};

using ChunkBody =
    llvm::function_ref<llvm::SmallVector<mlir::Value>(const Chunk &, mlir::ValueRange carried)>;

/// Emits code that visits columns 0 to `length`: a loop over chunks of
/// `unroll` vectors, then a chunk of the remaining whole vectors, then one of
/// a last vector that is partly there. Values are carried from chunk to chunk,
/// starting with `init`; returns the last. Vector i of a row belongs to slot
/// `i % unroll`, so that a sum's order depends on length, lanes and unroll only.
llvm::SmallVector<mlir::Value> forColumns(CodeBuilder &b, int64_t length, int64_t lanes,
                                          int64_t unroll, mlir::ValueRange init, ChunkBody body);

/// The same without carried values.
void forColumns(CodeBuilder &b, int64_t length, int64_t lanes, int64_t unroll,
                llvm::function_ref<void(const Chunk &)> body);

/// Calls `body` for each vector of a chunk, with the offset of its first
/// column from the chunk's and the number of its valid lanes (-1: all).
void forVectors(const Chunk &chunk,
                llvm::function_ref<void(int64_t slot, int64_t offset, int64_t valid)> body);

/// Emits `for i = begin to end`, without carried values.
void forRange(CodeBuilder &b, mlir::Value begin, mlir::Value end,
              llvm::function_ref<void(mlir::Value)> body);

} // namespace vernier::cpu

#endif // VERNIER_LIB_CPU_COLUMNS_H
