//===- TileProduct.h - The inner loops of small matrix products -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_CPU_TILEPRODUCT_H
#define VERNIER_LIB_CPU_TILEPRODUCT_H

#include "VectorBuilder.h"

namespace vernier::cpu {

/// What of a product's result is kept in registers while the sum runs.
struct RegisterTile {
  int64_t rows = 0;
  int64_t vectors = 0;
};

/// The tile that keeps the multipliers busy: beside its accumulators there have
/// to be registers for a row of vectors and one broadcast entry.
RegisterTile getRegisterTile(const CPUTarget &target);

/// Where a tile's factors lie. In units of f32: lhs[row, k] is at
/// `lhs + row * lhsRow + k * lhsStep`, rhs[k, column] at
/// `rhs + k * rhsStep + column`.
struct TileFactors {
  mlir::Value lhs;
  int64_t lhsRow = 1, lhsStep = 1;
  mlir::Value rhs;
  int64_t rhsStep = 1;
};

/// Vectors of a tile, row by row.
using TileValues = llvm::SmallVector<mlir::Value>;

/// Emits `init[row, column] + sum of lhs[row, k] rhs[k, column]` over k in
/// [begin, end), in this order.
TileValues emitTileProduct(VectorBuilder &b, RegisterTile tile, const TileFactors &factors,
                           mlir::Value begin, mlir::Value end, mlir::ValueRange init);

/// Visits the columns of a row of `vectors` vectors in tiles of the given
/// width; the last one is as wide as what remains.
void forColumnTiles(VectorBuilder &b, int64_t vectors, RegisterTile tile,
                    llvm::function_ref<void(mlir::Value column, RegisterTile tile)> body);

/// A tile of zeros.
TileValues zeroTile(VectorBuilder &b, RegisterTile tile);
/// Loads or stores the tile whose first entry is at `at`, with `stride` f32
/// from a row to the next.
TileValues loadTile(VectorBuilder &b, RegisterTile tile, mlir::Value at, int64_t stride);
void storeTile(VectorBuilder &b, RegisterTile tile, mlir::ValueRange values, mlir::Value at,
               int64_t stride);

} // namespace vernier::cpu

#endif // VERNIER_LIB_CPU_TILEPRODUCT_H
