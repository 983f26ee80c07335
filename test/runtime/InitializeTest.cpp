//===- InitializeTest.cpp - Values that parameters start with -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Initialize.h"
#include "runtime/Random.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace vernier::runtime;

namespace {

// Known answers of the authors' library (Random123, kat_vectors).
TEST(Philox, GivesTheKnownAnswers) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

Parameter makeNormal(const char *name, double mean, double std) {
  Parameter parameter;
  parameter.name = name;
  parameter.initializer = {Initializer::Kind::Normal, mean, std};
  return parameter;
}

std::vector<float> initialized(const Parameter &parameter, uint64_t seed, size_t entries) {
  std::vector<float> values(entries);
  initialize(parameter, seed, llvm::MutableArrayRef<float>(values));
  return values;
}

TEST(Initialize, NormalHasItsMoments) {
  constexpr size_t count = 1'000'001;
  std::vector<float> values = initialized(makeNormal("w", 0.5, 0.02), 1, count);
  double sum = 0, squares = 0, fourth = 0;
  for (float value : values) {
    double normal = (value - 0.5) / 0.02;
    sum += normal;
    squares += normal * normal;
    fourth += std::pow(normal, 4);
  }
  // Five standard errors of the mean, of the variance (sqrt 2) and of the
  // fourth moment (sqrt 96), which is 3.
  double error = 5 / std::sqrt(double(count));
  EXPECT_NEAR(sum / count, 0, error);
  EXPECT_NEAR(squares / count, 1, error * std::sqrt(2.0));
  EXPECT_NEAR(fourth / count, 3, error * std::sqrt(96.0));
}

TEST(Initialize, DependsOnSeedAndNameOnly) {
  std::vector<float> values = initialized(makeNormal("w", 0, 1), 1, 10'000);
  EXPECT_EQ(initialized(makeNormal("w", 0, 1), 1, 10'000), values);
  EXPECT_NE(initialized(makeNormal("w", 0, 1), 2, 10'000), values);
  EXPECT_NE(initialized(makeNormal("v", 0, 1), 1, 10'000), values);
  // A shorter one is the beginning of a longer one.
  std::vector<float> shorter = initialized(makeNormal("w", 0, 1), 1, 777);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), values.begin()));
}

TEST(Initialize, NeighboursAreNotCorrelated) {
  std::vector<float> values = initialized(makeNormal("w", 0, 1), 3, 100'000);
  for (size_t lag : {1, 2, 4096}) {
    double sum = 0;
    for (size_t i = 0; i + lag < values.size(); ++i)
      sum += double(values[i]) * values[i + lag];
    EXPECT_NEAR(sum / values.size(), 0, 5 / std::sqrt(double(values.size()))) << "lag " << lag;
  }
}

TEST(Initialize, GivesTheReferenceTheSameValues) {
  std::vector<float> values = initialized(makeNormal("w", 0, 0.02), 1, 100);
  std::vector<double> wide(100);
  initialize(makeNormal("w", 0, 0.02), 1, llvm::MutableArrayRef<double>(wide));
  EXPECT_TRUE(std::equal(values.begin(), values.end(), wide.begin()));
}

TEST(Initialize, Constant) {
  Parameter parameter;
  parameter.initializer = {Initializer::Kind::Constant, 1, 0};
  EXPECT_EQ(initialized(parameter, 1, 3), std::vector<float>(3, 1.0f));
}

} // namespace
