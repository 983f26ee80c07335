//===- TileProduct.cpp - The inner loops of small matrix products ----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileProduct.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;

// 6x2 of 16 registers leave 4; 8x2 of 32 suffice, since two units with a
// latency of 4 cycles need 8 sums, and 10 loads feed 16 multiplications.
RegisterTile cpu::getRegisterTile(const CPUTarget &target) {
  return {target.registers >= 32 ? 8 : 6, 2};
}

TileValues cpu::emitTileProduct(VectorBuilder &b, RegisterTile tile, const TileFactors &factors,
                                Value begin, Value end, ValueRange init) {
  auto step = [&](Value k, ValueRange sums) {
    Value lhs = b.at(factors.lhs, b.times(k, factors.lhsStep));
    Value rhs = b.at(factors.rhs, b.times(k, factors.rhsStep));
    TileValues columns, next;
    for (int64_t v = 0; v < tile.vectors; ++v)
      columns.push_back(b.loadVector(b.at(rhs, v * b.getLanes())));
    for (int64_t row = 0; row < tile.rows; ++row) {
      Value entry = b.loadBroadcast(b.at(lhs, row * factors.lhsRow));
      for (int64_t v = 0; v < tile.vectors; ++v)
        next.push_back(b.fma(entry, columns[v], sums[row * tile.vectors + v]));
    }
    return next;
  };
  return b.loop(begin, end, 1, init, step);
}

void cpu::forColumnTiles(VectorBuilder &b, int64_t vectors, RegisterTile tile,
                         function_ref<void(Value, RegisterTile)> body) {
  int64_t width = tile.vectors * b.getLanes();
  int64_t full = vectors / tile.vectors;
  if (full == 1)
    body(b.constant(0), tile);
  else if (full)
    b.loop(b.constant(0), b.constant(full * width), width,
           [&](Value column) { body(column, tile); });
  if (int64_t rest = vectors % tile.vectors)
    body(b.constant(full * width), RegisterTile{tile.rows, rest});
}

TileValues cpu::zeroTile(VectorBuilder &b, RegisterTile tile) {
  return TileValues(tile.rows * tile.vectors, b.vector(0.0));
}

TileValues cpu::loadTile(VectorBuilder &b, RegisterTile tile, Value at, int64_t stride) {
  TileValues values;
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t v = 0; v < tile.vectors; ++v)
      values.push_back(b.loadVector(b.at(at, row * stride + v * b.getLanes())));
  return values;
}

void cpu::storeTile(VectorBuilder &b, RegisterTile tile, ValueRange values, Value at,
                    int64_t stride) {
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t v = 0; v < tile.vectors; ++v)
      b.storeVector(values[row * tile.vectors + v], b.at(at, row * stride + v * b.getLanes()));
}
