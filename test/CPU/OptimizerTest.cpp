//===- OptimizerTest.cpp - AdamW as it is compiled ----------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormedKernels.h"
#include "RowTest.h"

using namespace vernier::test;

static const char *const kStep = R"(
func.func @f(%p: tensor<$Nx$Dxf32>, %m: tensor<$Nx$Dxf32>, %v: tensor<$Nx$Dxf32>, %g: tensor<$Nx$Dxf32>,
             %steps: tensor<i64>, %rate: tensor<f32>, %clip: tensor<f32>)
    -> (tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>) {
  %p1, %m1, %v1 = vernier.adamw %p, %m, %v, %g, %steps, %rate, %clip beta1 0.9 beta2 0.95 epsilon 1.0e-8 DECAY
      : (tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>, tensor<i64>, tensor<f32>, tensor<f32>)
      -> (tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>)
  return %p1, %m1, %v1 : tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>
})";

namespace {

/// A parameter, its state and its gradient, all in place as in a program.
class OptimizerStep : public RowTest {
protected:
  void compile(const std::string &decay) {
    std::string text = kStep;
    text.replace(text.find("DECAY"), 5, decay);
    std::string formed = formKernels(fill(text, {{"$N", kRows}, {"$D", width()}}));
    kernel = std::make_unique<KernelRunner>(formed, target());
    ASSERT_TRUE(kernel->isValid());
  }

  void step(float rate) {
    ++steps[0];
    Buffer<float> rates(1, rate), clip(1, 1);
    kernel->launch({p, m, v, g, steps, rates, clip, p, m, v});
    EXPECT_TRUE(p.isIntact() && m.isIntact() && v.isIntact());
  }

  /// p + distance * factor, rounded as the target does it.
  float multiplyAdd(float distance, float factor, float p) const {
    float product = distance * factor; // rounded
    return findTestTarget(target())->hasFMA ? std::fma(distance, factor, p) : product + p;
  }

  static constexpr int64_t kRows = 3;
  int64_t size() const { return kRows * width(); }
  std::unique_ptr<KernelRunner> kernel;
  Buffer<float> p = makeRandom(size(), 1), m{size_t(size())}, v{size_t(size())}, g{size_t(size())};
  Buffer<int64_t> steps{1};
};

} // namespace

// Without a gradient and without decay nothing may happen to a parameter: not even to
// the sign of a zero, or to a number so small that a step of zero could flush it.
TEST_P(OptimizerStep, KeepsTheBitsOfWhatHasNoGradientAndDoesNotDecay) {
  compile("weight_decay 0.0");
  std::vector<float> edges = {0.0f, -0.0f, 1e-40f, -1e-40f, 3e38f, -3e38f};
  std::copy_n(edges.begin(), std::min<size_t>(edges.size(), size()), p.begin());
  std::vector<float> before(p.begin(), p.end());
  for (int i = 0; i < 3; ++i)
    step(1e-2f);
  EXPECT_EQ(std::memcmp(p.begin(), before.data(), size() * sizeof(float)), 0);
  for (int64_t i = 0; i < size(); ++i)
    EXPECT_EQ(m[i] == 0 && v[i] == 0, true) << at(i / width(), i % width());
}

// p - rate weight_decay p: the product of the two numbers is rounded, then the whole once.
TEST_P(OptimizerStep, MultipliesWhatDecaysByOneLessRateTimesDecay) {
  compile("weight_decay 0.1");
  std::vector<float> before(p.begin(), p.end());
  step(3e-3f);
  for (int64_t i = 0; i < size(); ++i) {
    std::string where = at(i / width(), i % width());
    EXPECT_EQ(p[i], multiplyAdd(before[i], -(3e-3f * 0.1f), before[i])) << where;
    expectClose(p[i], before[i] * (1 - double(3e-3f) * 0.1), std::abs(before[i]), 1.01, where);
  }
}

TEST_P(OptimizerStep, DecaysTowardAValueAndStaysThere) {
  compile("weight_decay 0.1 toward 1.0");
  p[0] = 1;
  std::vector<float> before(p.begin(), p.end());
  step(3e-3f);
  EXPECT_EQ(p[0], 1);
  for (int64_t i = 0; i < size(); ++i) {
    std::string where = at(i / width(), i % width());
    EXPECT_EQ(p[i], multiplyAdd(before[i] - 1, -(3e-3f * 0.1f), before[i])) << where;
    double expected = before[i] - double(3e-3f) * 0.1 * (before[i] - 1.0);
    expectClose(p[i], expected, std::abs(before[i]) + 0.01, 1.01, where);
  }
}

// Under a constant gradient both moments, their bias corrected, are its powers: each step is
// the rate, whatever the gradient's size. In f32 the betas are off by a rounding, which is
// 1 / (1 - beta) times as much in the sums of m and v (2e-7 each), and each step's rounding
// stays for 1 / (1 - beta) steps: 10 in m, 20 in v under the root, so 20 roundings (1.2e-6)
// in all; 2e-7 are epsilon's, beside a gradient of at least 0.05.
TEST_P(OptimizerStep, MovesByTheSumOfTheRatesUnderAConstantGradient) {
  compile("weight_decay 0.0");
  for (int64_t i = 0; i < size(); ++i) {
    p[i] = 0; // the sum is then rounded as little as it can be
    g[i] = (i % 2 ? -0.05f : 0.05f) * float(std::pow(10.0, i % 5));
  }
  double rates = 0;
  for (int n = 1; n <= 40; ++n) {
    float rate = 1e-3f * float(std::min(n, 10));
    step(rate);
    rates += rate;
  }
  for (int64_t i = 0; i < size(); ++i)
    EXPECT_NEAR(p[i], i % 2 ? rates : -rates, 2e-6 * rates) << at(i / width(), i % width());
}

INSTANTIATE_ROW_TEST(OptimizerStep);
