//===- ProductTiling.cpp - How a matrix product is cut up -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ProductTiling.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace vernier::runtime;
using llvm::alignTo;
using llvm::divideCeil;

namespace {

// Enough tiles that 2, 3 or 4 threads end together, and no more than that unless
// tiles would be larger than this: calls on larger ones are not faster.
constexpr int64_t wantedTiles = 16;
constexpr int64_t largestTile = 512 * 768;
constexpr int64_t smallestSide = 64;

// Long reductions with fewer tiles than this are cut as well.
constexpr int64_t fewestTiles = 8;
constexpr int64_t smallestDepth = 512;
constexpr int64_t workspaceLimit = 16 << 20; // bytes

/// Finds the cut with the most tiles, but not more than asked for, among equal
/// ones that with the most square tiles, which read least.
class TileSearch {
public:
  TileSearch(const Product &product, int64_t mostTiles) : product(product), mostTiles(mostTiles) {}

  /// Of tiles that satisfy `1/rows + 1/columns < flatness`, if there are any.
  ProductTiling find(double flatness) const;

private:
  bool isBetter(const ProductTiling &a, const ProductTiling &b) const {
    int64_t tilesOfA = a.getRowTiles(product) * a.getColumnTiles(product);
    int64_t tilesOfB = b.getRowTiles(product) * b.getColumnTiles(product);
    if (tilesOfA != tilesOfB)
      return tilesOfA > tilesOfB;
    return a.rows + a.columns < b.rows + b.columns;
  }

  const Product &product;
  int64_t mostTiles;
};

} // namespace

/// Side of a tile when `size` is cut into `count`; whole vectors where possible.
static int64_t sideOf(int64_t size, int64_t count) {
  return std::min<int64_t>(size, alignTo(divideCeil(size, count), 16));
}

ProductTiling TileSearch::find(double flatness) const {
  ProductTiling best;
  int64_t mostRowTiles = std::min(mostTiles, std::max<int64_t>(1, product.m / smallestSide));
  for (int64_t i = 1; i <= mostRowTiles; ++i) {
    int64_t mostColumnTiles =
        std::min(mostTiles / i, std::max<int64_t>(1, product.n / smallestSide));
    for (int64_t j = 1; j <= mostColumnTiles; ++j) {
      ProductTiling tiling{sideOf(product.m, i), sideOf(product.n, j), 1, product.k};
      if (1.0 / tiling.rows + 1.0 / tiling.columns >= flatness)
        continue;
      if (best.rows == 0 || isBetter(tiling, best))
        best = tiling;
    }
  }
  return best;
}

/// oneDNN 2.6 multiplies in place if 1/m + 1/n is above this, else it packs its
/// operands first (nocopy_checker of its gemm_driver).
static double getPackingThreshold(bool avx512) { return avx512 ? 0.00196 : 0.0038; }

/// In place it is as fast as with packing, unless it walks operands against the
/// grain: along columns of the left one, or down a right one whose rows are a
/// multiple of 1 KiB apart, which compete for the same cache lines (measured on
/// AVX2: 30 to 45 instead of 85 to 90 GFLOP/s on a core).
static bool needsPacking(const Product &product) {
  return product.transposeLhs || (!product.transposeRhs && product.n % 256 == 0);
}

/// Cuts the reduction if there are few tiles, as in the gradient of a weight.
static void cutReduction(const Product &product, ProductTiling &tiling) {
  int64_t tiles = tiling.getRowTiles(product) * tiling.getColumnTiles(product);
  if (tiles >= fewestTiles)
    return;
  int64_t parts = std::min<int64_t>(divideCeil(fewestTiles, tiles), product.k / smallestDepth);
  parts = std::min(parts, 1 + workspaceLimit / (4 * product.m * product.n));
  if (parts < 2)
    return;
  tiling.depth = alignTo(divideCeil(product.k, parts), 16);
  tiling.parts = divideCeil(product.k, tiling.depth);
}

int64_t ProductTiling::getRowTiles(const Product &product) const {
  return divideCeil(product.m, rows);
}

int64_t ProductTiling::getColumnTiles(const Product &product) const {
  return divideCeil(product.n, columns);
}

int64_t ProductTiling::getWorkspaceBytes(const Product &product) const {
  return (parts - 1) * product.m * product.n * int64_t(sizeof(float));
}

ProductTiling vernier::runtime::chooseTiling(const Product &product, bool avx512) {
  int64_t area = product.m * product.n;
  TileSearch search(product, std::max<int64_t>(wantedTiles, divideCeil(area, largestTile)));
  ProductTiling tiling;
  if (needsPacking(product))
    tiling = search.find(getPackingThreshold(avx512));
  if (tiling.rows == 0)
    tiling = search.find(/*flatness=*/2.1);
  cutReduction(product, tiling);
  return tiling;
}
