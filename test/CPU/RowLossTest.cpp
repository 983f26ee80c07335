//===- RowLossTest.cpp - Softmax, cross entropy, maxima -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowTest.h"

using namespace vernier::test;

static const char *const kSoftmax = R"(
program.kernel @softmax [$N] (tensor<$Nx$Dxf32>) -> (tensor<$Nx$Dxf32>)
    maps [affine_map<(n) -> (n)>] outputs [map] {
^bb0(%x: tensor<$Dxf32>):
  %m = program.reduce <max> %x : tensor<$Dxf32> -> f32
  %ms = tensor.splat %m : tensor<$Dxf32>
  %d = arith.subf %x, %ms : tensor<$Dxf32>
  %e = math.exp %d : tensor<$Dxf32>
  %s = program.reduce <add> %e : tensor<$Dxf32> -> f32
  %ss = tensor.splat %s : tensor<$Dxf32>
  %p = arith.divf %e, %ss : tensor<$Dxf32>
  WEIGH
  program.yield %y : tensor<$Dxf32>
})";

// Reads x after the exponentials have been computed: they cannot lie in the
// result's buffer, which may be that of x.
static const char *const kWeighed = "%y = arith.mulf %p, %x : tensor<$Dxf32>";
static const char *const kPlain = "%one = arith.constant dense<1.0> : tensor<$Dxf32>\n"
                                  "  %y = arith.mulf %p, %one : tensor<$Dxf32>";

// The losses, summed in f64, and each row's log-sum-exp.
static const char *const kCrossEntropy = R"(
program.kernel @cross_entropy [$N] (tensor<$Nx$Dxf32>, tensor<$Nxi32>) -> (tensor<f64>, tensor<$Nxf32>)
    maps [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>] outputs [sum, map] {
^bb0(%x: tensor<$Dxf32>, %target: i32):
  %m = program.reduce <max> %x : tensor<$Dxf32> -> f32
  %ms = tensor.splat %m : tensor<$Dxf32>
  %d = arith.subf %x, %ms : tensor<$Dxf32>
  %e = math.exp %d : tensor<$Dxf32>
  %s = program.reduce <add> %e : tensor<$Dxf32> -> f32
  %log = math.log %s : f32
  %lse = arith.addf %m, %log : f32
  %index = arith.index_cast %target : i32 to index
  %logit = tensor.extract %x[%index] : tensor<$Dxf32>
  %loss = arith.subf %lse, %logit : f32
  %wide = arith.extf %loss : f32 to f64
  program.yield %wide, %lse : f64, f32
})";

// c (softmax - onehot), from the log-sum-exp
static const char *const kCrossEntropyGrad = R"(
program.kernel @cross_entropy_grad [$N] (tensor<$Nx$Dxf32>, tensor<$Nxi32>, tensor<$Nxf32>, tensor<f32>) -> (tensor<$Nx$Dxf32>)
    maps [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>, affine_map<(n) -> (n)>, affine_map<(n) -> ()>] outputs [map] {
^bb0(%x: tensor<$Dxf32>, %target: i32, %lse: f32, %c: f32):
  %lses = tensor.splat %lse : tensor<$Dxf32>
  %d = arith.subf %x, %lses : tensor<$Dxf32>
  %p = math.exp %d : tensor<$Dxf32>
  %one = arith.constant dense<1.0> : tensor<$Dxf32>
  %wrong = arith.subf %p, %one : tensor<$Dxf32>
  %columns = program.column_index : tensor<$Dxi32>
  %targets = tensor.splat %target : tensor<$Dxi32>
  %hit = arith.cmpi eq, %columns, %targets : tensor<$Dxi32>
  %g = arith.select %hit, %wrong, %p : tensor<$Dxi1>, tensor<$Dxf32>
  %cs = tensor.splat %c : tensor<$Dxf32>
  %y = arith.mulf %g, %cs : tensor<$Dxf32>
  program.yield %y : tensor<$Dxf32>
})";

static const char *const kMaximum = R"(
program.kernel @maximum [$N] (tensor<$Nx$Dxf32>) -> (tensor<$Nxf32>)
    maps [affine_map<(n) -> (n)>] outputs [map] {
^bb0(%x: tensor<$Dxf32>):
  %m = program.reduce <max> %x : tensor<$Dxf32> -> f32
  program.yield %m : f32
})";

class RowLoss : public RowTest {
protected:
  int64_t rows() const { return 70; }
  std::string source(const char *text) const {
    return fill(text, {{"$N", rows()}, {"$D", width()}});
  }
  std::string softmax(const char *weigh) const {
    std::string text = kSoftmax;
    text.replace(text.find("WEIGH"), 5, weigh);
    return source(text.c_str());
  }
  double logSumExp(const float *row) const {
    double largest = *std::max_element(row, row + width()), sum = 0;
    for (int64_t i = 0; i < width(); ++i)
      sum += std::exp(row[i] - largest);
    return largest + std::log(sum);
  }
  Buffer<int32_t> makeTargets() const {
    Buffer<int32_t> targets(rows());
    for (int64_t n = 0; n < rows(); ++n)
      targets[n] = int32_t(n * 7919 % width());
    return targets;
  }
};

TEST_P(RowLoss, SoftmaxInPlace) {
  KernelRunner kernel(softmax(kPlain), target());
  ASSERT_TRUE(kernel.isValid());
  int64_t d = width();
  Buffer<float> x = makeRandom(rows() * d, 1, 5), y(rows() * d);
  std::vector<float> logits(x.begin(), x.end());
  kernel.launch({x, y});
  kernel.launch({x, x});
  EXPECT_TRUE(kernel.intact && x.isIntact() && y.isIntact());
  for (int64_t n = 0; n < rows(); ++n) {
    double lse = logSumExp(&logits[n * d]);
    for (int64_t i = 0; i < d; ++i) {
      double expected = std::exp(logits[n * d + i] - lse);
      // The difference to the maximum, at most 10, is rounded before exp.
      expectClose(y[n * d + i], expected, expected, 16 + std::sqrt(d) / 4, at(n, i));
      ASSERT_EQ(x[n * d + i], y[n * d + i]) << at(n, i);
    }
  }
}

TEST_P(RowLoss, SoftmaxWhoseOperandIsReadLate) {
  KernelRunner kernel(softmax(kWeighed), target());
  ASSERT_TRUE(kernel.isValid());
  int64_t d = width();
  Buffer<float> x = makeRandom(rows() * d, 1, 5);
  std::vector<float> logits(x.begin(), x.end());
  kernel.launch({x, x});
  EXPECT_TRUE(kernel.intact && x.isIntact());
  for (int64_t n = 0; n < rows(); ++n) {
    double lse = logSumExp(&logits[n * d]);
    for (int64_t i = 0; i < d; ++i) {
      double logit = logits[n * d + i], expected = logit * std::exp(logit - lse);
      expectClose(x[n * d + i], expected, std::abs(expected), 16 + std::sqrt(d) / 4, at(n, i));
    }
  }
}

TEST_P(RowLoss, CrossEntropy) {
  KernelRunner kernel(source(kCrossEntropy), target());
  ASSERT_TRUE(kernel.isValid());
  int64_t d = width();
  Buffer<float> x = makeRandom(rows() * d, 2, 5), lse(rows());
  Buffer<int32_t> targets = makeTargets();
  Buffer<double> loss(1);
  kernel.launch({x, targets, loss, lse});
  EXPECT_TRUE(kernel.intact && lse.isIntact() && loss.isIntact());
  double sum = 0, magnitude = 0;
  for (int64_t n = 0; n < rows(); ++n) {
    double expected = logSumExp(&x[n * d]);
    expectClose(lse[n], expected, 5 + std::abs(expected), 4 + std::sqrt(d) / 8, at(n, 0));
    sum += expected - x[n * d + targets[n]];
    magnitude += 5 + std::abs(expected);
  }
  expectClose(loss[0], sum, magnitude, 4 + std::sqrt(d) / 8, "loss");
}

TEST_P(RowLoss, CrossEntropyGradientInPlaceOfTheLogits) {
  KernelRunner kernel(source(kCrossEntropyGrad), target());
  ASSERT_TRUE(kernel.isValid());
  int64_t d = width();
  Buffer<float> x = makeRandom(rows() * d, 2, 5), lse(rows()), c(1, 0.25f);
  std::vector<float> logits(x.begin(), x.end());
  Buffer<int32_t> targets = makeTargets();
  targets[3] = -100; // no column is this target
  for (int64_t n = 0; n < rows(); ++n)
    lse[n] = float(logSumExp(&x[n * d]));
  kernel.launch({x, targets, lse, c, x});
  EXPECT_TRUE(x.isIntact());
  for (int64_t n = 0; n < rows(); ++n)
    for (int64_t i = 0; i < d; ++i) {
      double p = std::exp(double(logits[n * d + i]) - lse[n]);
      double expected = 0.25 * (p - (i == targets[n]));
      expectClose(x[n * d + i], expected, 0.25 * (p * 12 + (i == targets[n])), 2, at(n, i));
    }
}

TEST_P(RowLoss, MaximumOfARowWithANaNIsNaN) {
  KernelRunner kernel(source(kMaximum), target());
  ASSERT_TRUE(kernel.isValid());
  int64_t d = width();
  for (int64_t place : {int64_t(0), d / 3, d / 2, d - 1}) {
    Buffer<float> x = makeRandom(rows() * d, 3), m(rows());
    x[5 * d + place] = -kNaN;
    x[6 * d + place] = kNaN;
    x[7 * d + place] = kInfinity;
    std::fill_n(&x[8 * d], d, -kInfinity);
    kernel.launch({x, m});
    EXPECT_TRUE(std::isnan(m[5]) && std::isnan(m[6])) << "NaN at " << place;
    EXPECT_EQ(m[7], kInfinity);
    EXPECT_EQ(m[8], -kInfinity);
    for (int64_t n = 9; n < rows(); ++n)
      EXPECT_EQ(m[n], *std::max_element(&x[n * d], &x[n * d] + d)) << at(n, 0);
  }
}

TEST_P(RowLoss, ANaNInTheLogitsReachesTheLoss) {
  KernelRunner kernel(source(kCrossEntropy), target());
  ASSERT_TRUE(kernel.isValid());
  int64_t d = width();
  Buffer<float> x = makeRandom(rows() * d, 2, 5), lse(rows());
  Buffer<int32_t> targets = makeTargets();
  Buffer<double> loss(1);
  x[11 * d + d / 2] = kNaN;
  kernel.launch({x, targets, loss, lse});
  EXPECT_TRUE(std::isnan(loss[0]) && std::isnan(lse[11]));
  EXPECT_FALSE(std::isnan(lse[10]) || std::isnan(lse[12]));
}

INSTANTIATE_ROW_TEST(RowLoss);
