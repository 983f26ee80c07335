//===- FormedLossTest.cpp - Cross entropy as it is compiled -------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormedKernels.h"
#include "RowTest.h"

using namespace vernier::test;

static const char *const kLoss = R"(
func.func @f(%x: tensor<$Nx$Dxf32>, %t: tensor<$Nxi32>, %n: tensor<i64>) -> (tensor<f32>, tensor<$Nxf32>) {
  %loss, %lse = vernier.cross_entropy %x, %t, %n ignore -100
      : (tensor<$Nx$Dxf32>, tensor<$Nxi32>, tensor<i64>) -> (tensor<f32>, tensor<$Nxf32>)
  return %loss, %lse : tensor<f32>, tensor<$Nxf32>
})";

static const char *const kGradient = R"(
func.func @f(%d: tensor<f32>, %x: tensor<$Nx$Dxf32>, %t: tensor<$Nxi32>, %lse: tensor<$Nxf32>, %n: tensor<i64>)
    -> tensor<$Nx$Dxf32> {
  %dx = vernier.cross_entropy_grad %d, %x, %t, %lse, %n ignore -100
      : (tensor<f32>, tensor<$Nx$Dxf32>, tensor<$Nxi32>, tensor<$Nxf32>, tensor<i64>) -> tensor<$Nx$Dxf32>
  return %dx : tensor<$Nx$Dxf32>
})";

namespace {
class FormedLoss : public RowTest {
protected:
  std::string form(const char *text) const {
    return formKernels(fill(text, {{"$N", kRows}, {"$D", width()}}));
  }
  static constexpr int64_t kRows = 6;
};
} // namespace

// Padding may hold anything: rows whose targets are ignored change no bit of the loss and of
// the other rows' gradients, and have none themselves.
TEST_P(FormedLoss, IgnoredRowsMayHoldWhatIsNotFinite) {
  KernelRunner loss(form(kLoss), target()), gradient(form(kGradient), target());
  ASSERT_TRUE(loss.isValid() && gradient.isValid());
  int64_t d = width();
  Buffer<int32_t> targets(kRows);
  for (int64_t n = 0; n < kRows; ++n)
    targets[n] = n % 2 ? -100 : int32_t(n * 7919 % d);
  Buffer<float> clean = makeRandom(kRows * d, 1, 5), lossGrad(1, 1);
  Buffer<int64_t> count(1, kRows / 2);
  auto run = [&](Buffer<float> &x, Buffer<double> &sum, Buffer<float> &dx) {
    Buffer<float> lse(kRows);
    loss.launch({x, targets, sum, lse});
    gradient.launch({x, targets, lse, lossGrad, count, dx}); // in the order of the kernel
  };
  Buffer<double> expected(1), found(1);
  Buffer<float> expectedGradient(kRows * d), foundGradient(kRows * d);
  run(clean, expected, expectedGradient);
  ASSERT_TRUE(std::isfinite(expected[0]));
  Buffer<float> x = makeRandom(kRows * d, 1, 5);
  std::fill_n(&x[1 * d], d, kNaN);
  std::fill_n(&x[3 * d], d, kInfinity);
  x[5 * d + d / 2] = -kInfinity;
  run(x, found, foundGradient);
  EXPECT_EQ(found[0], expected[0]);
  for (int64_t i = 0; i < kRows * d; ++i) {
    EXPECT_EQ(foundGradient[i], expectedGradient[i]) << at(i / d, i % d);
    if (i / d % 2)
      EXPECT_EQ(foundGradient[i], 0) << at(i / d, i % d);
  }
}

INSTANTIATE_ROW_TEST(FormedLoss);
