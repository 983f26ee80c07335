//===- CopyKernelTest.cpp - Gather, scatter-add, rows of numbers --------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowTest.h"

using namespace vernier::test;

static const char *const kGather = R"(
program.gather_kernel @gather (tensor<2x41xi32>, tensor<11x$Dxf32>) -> (tensor<2x41x$Dxf32>))";

static const char *const kScatter = R"(
program.scatter_add_kernel @scatter (tensor<2x41x$Dxf32>, tensor<2x41xi32>, tensor<11x$Dxf32>) -> (tensor<11x$Dxf32>))";

// How many targets are not ignored: rows that are numbers.
static const char *const kCount = R"(
program.kernel @count [2, 41] (tensor<2x41xi32>) -> (tensor<i64>)
    maps [affine_map<(b, t) -> (b, t)>] outputs [sum] {
^bb0(%target: i32):
  %ignored = arith.constant -100 : i32
  %valid = arith.cmpi ne, %target, %ignored : i32
  %one = arith.extui %valid : i1 to i64
  program.yield %one : i64
})";

// A column of a computed row, and a transposed operand.
static const char *const kExtract = R"(
program.kernel @extract [2, 41] (tensor<41x2x$Dxf32>, tensor<2x41xi32>) -> (tensor<2x41xf32>)
    maps [affine_map<(b, t) -> (t, b)>, affine_map<(b, t) -> (b, t)>] outputs [map] {
^bb0(%x: tensor<$Dxf32>, %id: i32):
  %m = program.reduce <max> %x : tensor<$Dxf32> -> f32
  %ms = tensor.splat %m : tensor<$Dxf32>
  %d = arith.subf %x, %ms : tensor<$Dxf32>
  %index = arith.index_cast %id : i32 to index
  %y = tensor.extract %d[%index] : tensor<$Dxf32>
  program.yield %y : f32
})";

class CopyKernel : public RowTest {
protected:
  static constexpr int64_t kTokens = 82, kIds = 11;
  std::string source(const char *text) const { return fill(text, {{"$D", width()}}); }
  Buffer<int32_t> makeIds(int64_t limit) const {
    Buffer<int32_t> ids(kTokens);
    for (int64_t n = 0; n < kTokens; ++n)
      ids[n] = int32_t(n * n * 31 % limit);
    return ids;
  }
};

TEST_P(CopyKernel, Gather) {
  KernelRunner kernel(source(kGather), target());
  ASSERT_TRUE(kernel.isValid());
  int64_t d = width();
  Buffer<int32_t> ids = makeIds(kIds);
  Buffer<float> table = makeRandom(kIds * d, 1), y(kTokens * d);
  kernel.launch({ids, table, y});
  EXPECT_TRUE(y.isIntact());
  for (int64_t n = 0; n < kTokens; ++n)
    EXPECT_EQ(std::memcmp(&y[n * d], &table[ids[n] * d], d * sizeof(float)), 0) << "token " << n;
}

TEST_P(CopyKernel, ScatterAddsInTheOrderOfTokens) {
  KernelRunner kernel(source(kScatter), target());
  ASSERT_TRUE(kernel.isValid());
  int64_t d = width();
  Buffer<int32_t> ids = makeIds(kIds);
  Buffer<float> gradient = makeRandom(kTokens * d, 1), table = makeRandom(kIds * d, 2);
  std::vector<float> expected(table.begin(), table.end());
  for (int64_t n = 0; n < kTokens; ++n)
    for (int64_t i = 0; i < d; ++i)
      expected[ids[n] * d + i] += gradient[n * d + i];
  kernel.launch({gradient, ids, table, table}, /*backwards=*/true);
  EXPECT_TRUE(table.isIntact());
  EXPECT_EQ(std::memcmp(table, expected.data(), expected.size() * sizeof(float)), 0);
}

TEST_P(CopyKernel, CountsNumbers) {
  KernelRunner kernel(kCount, target());
  ASSERT_TRUE(kernel.isValid());
  Buffer<int32_t> ids = makeIds(width());
  ids[0] = ids[40] = ids[81] = -100;
  Buffer<int64_t> count(1);
  kernel.launch({ids, count});
  EXPECT_EQ(count[0], kTokens - 3);
}

TEST_P(CopyKernel, ExtractsAColumnOfAComputedRow) {
  KernelRunner kernel(source(kExtract), target());
  ASSERT_TRUE(kernel.isValid());
  int64_t d = width();
  Buffer<int32_t> ids = makeIds(d);
  Buffer<float> x = makeRandom(kTokens * d, 1), y(kTokens);
  kernel.launch({x, ids, y});
  EXPECT_TRUE(y.isIntact());
  for (int64_t n = 0; n < kTokens; ++n) {
    const float *row = &x[(n % 41 * 2 + n / 41) * d];
    EXPECT_EQ(y[n], row[ids[n]] - *std::max_element(row, row + d)) << "token " << n;
  }
}

INSTANTIATE_ROW_TEST(CopyKernel);
