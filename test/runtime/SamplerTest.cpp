//===- SamplerTest.cpp - Drawing tokens -----------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Sampler.h"
#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace vernier::runtime;

namespace {

std::map<int, int> histogram(SamplerOptions options, llvm::ArrayRef<float> logits, int count) {
  Sampler sampler(options);
  std::map<int, int> result;
  for (int i = 0; i < count; ++i)
    ++result[sampler.draw(logits)];
  return result;
}

// Probabilities 0.1, 0.2, 0.3, 0.4.
const float logits[] = {std::log(1.0f), std::log(2.0f), std::log(3.0f), std::log(4.0f)};

TEST(Sampler, FollowsTheSoftmax) {
  auto counts = histogram({1, 0, 7}, logits, 10000);
  for (int id = 0; id < 4; ++id) {
    double p = 0.1 * (id + 1);
    EXPECT_NEAR(counts[id], 10000 * p, 5 * std::sqrt(10000 * p * (1 - p))); // five deviations
  }
}

TEST(Sampler, TemperatureSharpens) {
  auto counts = histogram({0.5, 0, 7}, logits, 10000); // p^2: 1, 4, 9, 16 of 30
  for (int id = 0; id < 4; ++id) {
    double p = (id + 1) * (id + 1) / 30.0;
    EXPECT_NEAR(counts[id], 10000 * p, 5 * std::sqrt(10000 * p * (1 - p)));
  }
  EXPECT_EQ(histogram({0, 0, 7}, logits, 50), (std::map<int, int>{{3, 50}}));
}

TEST(Sampler, TopKCutsTheRest) {
  auto counts = histogram({1, 2, 7}, logits, 7000);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_NEAR(counts[2], 3000, 5 * std::sqrt(7000 * 3 / 7.0 * 4 / 7.0));
  EXPECT_EQ(histogram({1, 1, 7}, {1, 5, 5}, 20), (std::map<int, int>{{1, 20}}));
}

TEST(Sampler, TheSeedDecides) {
  std::vector<int> runs[3];
  for (int i = 0; i < 3; ++i) {
    Sampler sampler({1, 0, uint64_t(i / 2)});
    for (int j = 0; j < 50; ++j)
      runs[i].push_back(sampler.draw(logits));
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0], runs[2]);
}

TEST(Sampler, SurvivesBadLogits) {
  EXPECT_EQ(histogram({1, 0, 7}, {NAN, 1, INFINITY}, 5), (std::map<int, int>{{1, 5}}));
  EXPECT_EQ(histogram({1, 0, 7}, {NAN, NAN}, 5), (std::map<int, int>{{-1, 5}}));
  EXPECT_EQ(histogram({1, 0, 7}, {1000, -1000, 900}, 5), (std::map<int, int>{{0, 5}}));
}

} // namespace
