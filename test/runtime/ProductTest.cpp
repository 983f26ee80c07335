//===- ProductTest.cpp - Matrix products of a program ---------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Product.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace vernier::runtime;

extern "C" void omp_set_num_threads(int threads);

namespace {

Product makeProduct(int64_t m, int64_t n, int64_t k, const char *transposes, bool accumulate) {
  Product product;
  product.m = m;
  product.n = n;
  product.k = k;
  product.transposeLhs = transposes[0] == 'T';
  product.transposeRhs = transposes[1] == 'T';
  product.accumulate = accumulate;
  auto align = [](int64_t entries) { return (entries * 4 + 63) / 64 * 64; };
  product.rhs = align(m * k);
  product.result = product.rhs + align(k * n);
  return product;
}

/// Operands and result of a product, as in an arena.
class Memory {
public:
  explicit Memory(const Product &product)
      : product(product), floats(product.result / 4 + product.m * product.n) {
    uint32_t state = 1; // a linear congruential generator: quick and plain
    for (float &value : floats) {
      state = state * 1664525 + 1013904223;
      value = float(state >> 8) * 0x1p-23f - 1; // in [-1, 1)
    }
  }
  char *base() { return reinterpret_cast<char *>(floats.data()); }
  float lhs(int64_t i, int64_t p) const {
    return floats[product.transposeLhs ? p * product.m + i : i * product.k + p];
  }
  float rhs(int64_t p, int64_t j) const {
    return floats[product.rhs / 4 + (product.transposeRhs ? j * product.k + p : p * product.n + j)];
  }
  float result(int64_t i, int64_t j) const {
    return floats[product.result / 4 + i * product.n + j];
  }
  std::vector<float> getResult() const {
    return std::vector<float>(floats.begin() + product.result / 4, floats.end());
  }

private:
  Product product;
  std::vector<float> floats;
};

/// As a process with OMP_NUM_THREADS=`threads` would.
std::vector<float> compute(const Product &product, int threads) {
  Memory memory(product);
  omp_set_num_threads(threads);
  ThreadTeam team(threads);
  Products products(team);
  EXPECT_FALSE(bool(products.prepare(product)));
  EXPECT_FALSE(bool(products.allocate()));
  EXPECT_FALSE(bool(products.run(product, memory.base())));
  return memory.getResult();
}

/// Compares with a sum in f64. In whatever order n terms are multiplied and
/// added in f32, the error is at most about n * 2^-24 times the sum of their
/// magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, 3.1).
void expectEntry(const Product &product, const Memory &before, int64_t i, int64_t j, float result) {
  double sum = product.accumulate ? before.result(i, j) : 0;
  double magnitude = std::abs(sum);
  for (int64_t p = 0; p < product.k; ++p) {
    double term = double(before.lhs(i, p)) * before.rhs(p, j);
    sum += term;
    magnitude += std::abs(term);
  }
  ASSERT_NEAR(result, sum, (product.k + 2) * std::ldexp(magnitude, -24)) << i << ", " << j;
}

/// Some 60 x 50 entries, the last row and column among them.
void expectRight(const Product &product) {
  Memory before(product);
  std::vector<float> result = compute(product, 2);
  int64_t rowStep = std::max<int64_t>(1, product.m / 61);
  int64_t columnStep = std::max<int64_t>(1, product.n / 53);
  for (int64_t i = 0; i < product.m; i += i + rowStep < product.m ? rowStep : 1)
    for (int64_t j = 0; j < product.n; j += j + columnStep < product.n ? columnStep : 1)
      expectEntry(product, before, i, j, result[i * product.n + j]);
}

class ProductShapes
    : public testing::TestWithParam<std::tuple<std::tuple<int, int, int>, const char *, bool>> {
protected:
  Product get() const {
    auto [shape, transposes, accumulate] = GetParam();
    auto [m, n, k] = shape;
    return makeProduct(m, n, k, transposes, accumulate);
  }
};

TEST_P(ProductShapes, IsRight) { expectRight(get()); }

INSTANTIATE_TEST_SUITE_P(
    Small, ProductShapes,
    testing::Combine(testing::Values(std::tuple(1, 1, 1), std::tuple(1, 7, 3),
                                     std::tuple(65, 1, 130), std::tuple(7, 300, 5),
                                     std::tuple(129, 131, 67), std::tuple(64, 48, 1100)),
                     testing::Values("NN", "NT", "TN", "TT"), testing::Bool()));

// Shapes that are cut into rows, columns and parts, also unevenly.
class SplitProducts : public ProductShapes {};

TEST_P(SplitProducts, IsRight) { expectRight(get()); }

TEST_P(SplitProducts, HasTheSameBitsOnAnyNumberOfThreads) {
  Product product = get();
  ProductTiling tiling = chooseTiling(product, usesAvx512());
  EXPECT_GE(tiling.getRowTiles(product) * tiling.getColumnTiles(product) * tiling.parts, 4);
  std::vector<float> one = compute(product, 1);
  for (int threads : {2, 3, 4}) {
    std::vector<float> several = compute(product, threads);
    EXPECT_EQ(std::memcmp(one.data(), several.data(), one.size() * sizeof(float)), 0)
        << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Large, SplitProducts,
    testing::Combine(testing::Values(std::tuple(512, 384, 384),   // linear maps
                                     std::tuple(2048, 1024, 384), // rows 4 KiB apart
                                     std::tuple(1024, 384, 2048), // gradient of a weight
                                     std::tuple(300, 190, 2100)), // nothing divides
                     testing::Values("NN", "NT", "TN"), testing::Bool()));

TEST(ProductTiling, CutsTheGradientOfAWeightAlongItsReduction) {
  Product product = makeProduct(1024, 384, 2048, "TN", false);
  ProductTiling tiling = chooseTiling(product, /*avx512=*/false);
  EXPECT_GT(tiling.parts, 1);
  // Each is large enough that oneDNN packs its operands.
  EXPECT_LT(1.0 / tiling.rows + 1.0 / tiling.columns, 0.0038);
}

TEST(ProductTiling, LeavesShortReductionsWhole) {
  EXPECT_EQ(chooseTiling(makeProduct(64, 64, 700, "NN", false), false).parts, 1);
}

TEST(ProductTiling, KeepsPartialSumsSmall) {
  Product product = makeProduct(4096, 4096, 8192, "TN", false);
  EXPECT_LE(chooseTiling(product, false).getWorkspaceBytes(product), 16 << 20);
}

TEST(Products, SaysWhenAShapeWasNotPrepared) {
  ThreadTeam team(1);
  Products products(team);
  char memory[64];
  EXPECT_EQ(toString(products.run(makeProduct(2, 3, 4, "NN", false), memory)),
            "product 2 x 3 x 4 was not prepared");
}

} // namespace
