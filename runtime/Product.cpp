//===- Product.cpp - Matrix products of a program -------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Product.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <atomic>

using namespace vernier::runtime;

/// Rows [row, row + rows) and columns of the result, depths of the reduction.
struct Products::Tile {
  int64_t row, column, depth, part;
  int64_t rows, columns, depths;
  bool accumulate; ///< into the result; other parts go to the workspace
};

Products::Key Products::getKey(const Product &product) {
  return {product.m,         product.n, product.k, product.transposeLhs, product.transposeRhs,
          product.accumulate};
}

/// Tiles of the first part come first. Within a part the side with the smaller
/// operand is walked fastest, so that the larger operand is read once.
Products::Tile Products::getTile(const Product &product, const ProductTiling &tiling,
                                 int64_t index) {
  int64_t rowTiles = tiling.getRowTiles(product), columnTiles = tiling.getColumnTiles(product);
  int64_t part = index / (rowTiles * columnTiles), inPart = index % (rowTiles * columnTiles);
  bool rowsFastest = product.m < product.n;
  int64_t i = rowsFastest ? inPart % rowTiles : inPart / columnTiles;
  int64_t j = rowsFastest ? inPart / rowTiles : inPart % columnTiles;
  Tile tile;
  tile.part = part;
  tile.row = i * tiling.rows;
  tile.column = j * tiling.columns;
  tile.depth = part * tiling.depth;
  tile.rows = std::min(tiling.rows, product.m - tile.row);
  tile.columns = std::min(tiling.columns, product.n - tile.column);
  tile.depths = std::min(tiling.depth, product.k - tile.depth);
  tile.accumulate = product.accumulate && part == 0;
  return tile;
}

static int64_t countTiles(const Product &product, const ProductTiling &tiling) {
  return tiling.parts * tiling.getRowTiles(product) * tiling.getColumnTiles(product);
}

Error Products::prepareTile(const Product &product, Plan &plan, const Tile &tile) {
  auto &matmul = plan.matmuls[{tile.rows, tile.columns, tile.depths, tile.accumulate}];
  if (matmul)
    return Error::success();
  MatmulShape shape;
  shape.m = tile.rows;
  shape.n = tile.columns;
  shape.k = tile.depths;
  shape.lhsStride = product.transposeLhs ? product.m : product.k;
  shape.rhsStride = product.transposeRhs ? product.k : product.n;
  shape.resultStride = product.n;
  shape.transposeLhs = product.transposeLhs;
  shape.transposeRhs = product.transposeRhs;
  shape.accumulate = tile.accumulate;
  Expected<std::unique_ptr<Matmul>> made = Matmul::create(shape);
  if (!made)
    return made.takeError();
  matmul = std::move(*made);
  scratchpadBytes =
      std::max<int64_t>(scratchpadBytes, llvm::alignTo(matmul->getScratchpadBytes(), 64));
  return Error::success();
}

Error Products::prepare(const Product &product) {
  Plan &plan = plans[getKey(product)];
  if (plan.tiling.rows)
    return Error::success();
  plan.tiling = chooseTiling(product, usesAvx512());
  for (int64_t i = 0, e = countTiles(product, plan.tiling); i < e; ++i)
    if (Error error = prepareTile(product, plan, getTile(product, plan.tiling, i)))
      return error;
  partialBytes =
      std::max<int64_t>(partialBytes, llvm::alignTo(plan.tiling.getWorkspaceBytes(product), 64));
  return Error::success();
}

int64_t Products::getWorkspaceBytes() const { return partialBytes + scratchpadBytes * team.size(); }

Error Products::allocate() {
  Expected<Arena> arena = Arena::allocate(getWorkspaceBytes(), "the workspace of products");
  if (!arena)
    return arena.takeError();
  workspace = std::move(*arena);
  return Error::success();
}

void Products::poisonWorkspace() { std::fill_n(workspace.data(), workspace.size(), '\xff'); }

int Products::runTile(const Product &product, const Plan &plan, const Tile &tile, char *base,
                      int thread) {
  auto matmul = plan.matmuls.find({tile.rows, tile.columns, tile.depths, tile.accumulate});
  auto *lhs = reinterpret_cast<const float *>(base + product.lhs);
  auto *rhs = reinterpret_cast<const float *>(base + product.rhs);
  auto *result = reinterpret_cast<float *>(base + product.result);
  if (tile.part > 0)
    result = reinterpret_cast<float *>(workspace.data()) + (tile.part - 1) * product.m * product.n;
  lhs +=
      product.transposeLhs ? tile.depth * product.m + tile.row : tile.row * product.k + tile.depth;
  rhs += product.transposeRhs ? tile.column * product.k + tile.depth
                              : tile.depth * product.n + tile.column;
  result += tile.row * product.n + tile.column;
  return matmul->second->run(lhs, rhs, result,
                             workspace.data() + partialBytes + scratchpadBytes * thread);
}

/// Adds the other parts to the first, in order, a stretch of entries at a time.
void Products::addParts(const Product &product, const ProductTiling &tiling, float *result) {
  constexpr int64_t stretch = 8192; // of each part: fits the first-level cache
  int64_t entries = product.m * product.n;
  auto *parts = reinterpret_cast<const float *>(workspace.data());
  team.parallelFor(llvm::divideCeil(entries, stretch), [&](int64_t index, int) {
    int64_t begin = index * stretch, end = std::min(begin + stretch, entries);
    for (int64_t part = 0; part + 1 < tiling.parts; ++part)
      for (int64_t i = begin; i < end; ++i)
        result[i] += parts[part * entries + i];
  });
}

Error Products::run(const Product &product, char *base) {
  auto found = plans.find(getKey(product));
  if (found == plans.end())
    return makeError("product {0} x {1} x {2} was not prepared", product.m, product.n, product.k);
  const Plan &plan = found->second;
  std::atomic<int> status{0};
  team.parallelFor(countTiles(product, plan.tiling), [&](int64_t index, int thread) {
    Tile tile = getTile(product, plan.tiling, index);
    if (int failed = runTile(product, plan, tile, base, thread))
      status.store(failed, std::memory_order_relaxed);
  });
  if (status)
    return makeError("product {0} x {1} x {2}: oneDNN {3} returned status {4}", product.m,
                     product.n, product.k, getOneDnnVersion(), status.load());
  if (plan.tiling.parts > 1)
    addParts(product, plan.tiling, reinterpret_cast<float *>(base + product.result));
  return Error::success();
}
