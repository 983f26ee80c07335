//===- RowTest.h - What the tests of row kernels share ----------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_CPU_ROWTEST_H
#define VERNIER_TEST_CPU_ROWTEST_H

#include "KernelRunner.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>

namespace vernier::test {

/// Half a unit in the last place of 1: the relative error of one rounding.
constexpr double kRounding = 1.0 / (1 << 24);

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// The widths at which kernels are tested: less than a vector, exactly some
/// vectors, and some with a remainder, for 4 to 16 lanes.
inline std::vector<int64_t> getWidths() { return {1, 3, 8, 10, 16, 40, 97, 385, 4097}; }

/// The text with `$D` and the like replaced.
inline std::string fill(std::string text, const std::map<std::string, int64_t> &values) {
  for (const auto &[name, value] : values)
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), std::to_string(value));
  return text;
}

/// Numbers between -1 and 1.
inline Buffer<float> makeRandom(int64_t size, uint32_t seed, float scale = 1) {
  std::mt19937 generator(seed);
  Buffer<float> result(size);
  for (float &x : result)
    x = scale * (float(generator()) / 2147483648.0f - 1);
  return result;
}

/// Expects |actual - expected| <= roundings * 2^-24 * scale, but for underflow.
inline void expectClose(double actual, double expected, double scale, double roundings,
                        const std::string &what) {
  EXPECT_LE(std::abs(actual - expected), roundings * kRounding * scale + 2e-38)
      << what << ": expected " << expected << ", found " << actual;
}

/// A test for each target that runs here and each width.
class RowTest : public testing::TestWithParam<std::tuple<std::string, int64_t>> {
protected:
  std::string target() const { return std::get<0>(GetParam()); }
  int64_t width() const { return std::get<1>(GetParam()); }
  std::string at(int64_t row, int64_t column) const {
    return "row " + std::to_string(row) + ", column " + std::to_string(column);
  }
};

inline std::string
nameOfRowTest(const testing::TestParamInfo<std::tuple<std::string, int64_t>> &info) {
  return std::get<0>(info.param) + "_" + std::to_string(std::get<1>(info.param));
}

} // namespace vernier::test

#define INSTANTIATE_ROW_TEST(NAME)                                                                 \
  INSTANTIATE_TEST_SUITE_P(                                                                        \
      All, NAME,                                                                                   \
      testing::Combine(testing::ValuesIn(getRunnableTargets()), testing::ValuesIn(getWidths())),   \
      nameOfRowTest)

#endif // VERNIER_TEST_CPU_ROWTEST_H
