//===- Product.h - Matrix products of a program ------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_PRODUCT_H
#define VERNIER_RUNTIME_PRODUCT_H

#include "runtime/Arena.h"
#include "runtime/OneDnn.h"
#include "runtime/ParallelFor.h"
#include "runtime/ProductTiling.h"
#include <map>
#include <tuple>

namespace vernier::runtime {

/// Computes products in tiles, whose bits do not depend on the number of
/// threads. Shapes are prepared once, when the program is loaded; the memory
/// for partial sums and oneDNN's scratchpads is shared by all products.
class Products {
public:
  explicit Products(const ThreadTeam &team) : team(team) {}

  /// Makes what products of this shape need. To be called for each shape
  /// before `allocate`.
  Error prepare(const Product &product);

  /// Bytes of memory beside the arena that the shapes prepared so far need.
  int64_t getWorkspaceBytes() const;

  /// Allocates it; from here on `run` allocates nothing.
  Error allocate();

  /// Fills it with NaNs (bytes 0xff); for tests.
  void poisonWorkspace();

  /// `product`'s offsets are bytes from `base`.
  Error run(const Product &product, char *base);

private:
  /// What products of one shape have in common.
  struct Plan {
    ProductTiling tiling;
    /// Inner tiles, then those at the edges and in the last part, as they come.
    std::map<std::tuple<int64_t, int64_t, int64_t, bool>, std::unique_ptr<Matmul>> matmuls;
  };
  struct Tile;
  using Key = std::tuple<int64_t, int64_t, int64_t, bool, bool, bool>;

  static Key getKey(const Product &product);
  static Tile getTile(const Product &product, const ProductTiling &tiling, int64_t index);
  Error prepareTile(const Product &product, Plan &plan, const Tile &tile);
  int runTile(const Product &product, const Plan &plan, const Tile &tile, char *base, int thread);
  void addParts(const Product &product, const ProductTiling &tiling, float *result);

  const ThreadTeam &team;
  std::map<Key, Plan> plans;
  int64_t partialBytes = 0;    ///< partial sums of the largest product
  int64_t scratchpadBytes = 0; ///< of one thread
  Arena workspace;
};

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_PRODUCT_H
