//===- RowNormTest.cpp - Norms: reductions of a row, sums over rows -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowTest.h"

using namespace vernier::test;

// h = x + r, y = gamma h / sqrt(mean(h^2) + eps)
static const char *const kResidualNorm = R"(
program.kernel @norm [$N] (tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>, tensor<$Dxf32>)
    -> (tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>)
    maps [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>, affine_map<(n) -> ()>]
    outputs [map, map] {
^bb0(%x: tensor<$Dxf32>, %r: tensor<$Dxf32>, %gamma: tensor<$Dxf32>):
  %h = arith.addf %x, %r : tensor<$Dxf32>
  %square = arith.mulf %h, %h : tensor<$Dxf32>
  %sum = program.reduce <add> %square : tensor<$Dxf32> -> f32
  %d = arith.constant $D.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %mean = arith.divf %sum, %d : f32
  %shifted = arith.addf %mean, %eps : f32
  %scale = math.rsqrt %shifted : f32
  %scales = tensor.splat %scale : tensor<$Dxf32>
  %n = arith.mulf %h, %scales : tensor<$Dxf32>
  %y = arith.mulf %n, %gamma : tensor<$Dxf32>
  program.yield %h, %y : tensor<$Dxf32>, tensor<$Dxf32>
})";

// dx = r (dn - n mean(dn n)) with dn = gamma dy; dgamma = sum of dy n
static const char *const kNormGrad = R"(
program.kernel @norm_grad [$N] (tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>, tensor<$Dxf32>)
    -> (tensor<$Nx$Dxf32>, tensor<$Dxf32>)
    maps [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>, affine_map<(n) -> ()>]
    outputs [map, sum] {
^bb0(%dy: tensor<$Dxf32>, %x: tensor<$Dxf32>, %gamma: tensor<$Dxf32>):
  %square = arith.mulf %x, %x : tensor<$Dxf32>
  %sum = program.reduce <add> %square : tensor<$Dxf32> -> f32
  %dn = arith.mulf %dy, %gamma : tensor<$Dxf32>
  %dnx = arith.mulf %dn, %x : tensor<$Dxf32>
  %dot = program.reduce <add> %dnx : tensor<$Dxf32> -> f32
  %d = arith.constant $D.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %mean = arith.divf %sum, %d : f32
  %shifted = arith.addf %mean, %eps : f32
  %r = math.rsqrt %shifted : f32
  %rdot = arith.mulf %r, %dot : f32
  %c = arith.divf %rdot, %d : f32
  %rs = tensor.splat %r : tensor<$Dxf32>
  %cs = tensor.splat %c : tensor<$Dxf32>
  %n = arith.mulf %x, %rs : tensor<$Dxf32>
  %nc = arith.mulf %n, %cs : tensor<$Dxf32>
  %diff = arith.subf %dn, %nc : tensor<$Dxf32>
  %dx = arith.mulf %diff, %rs : tensor<$Dxf32>
  %dgamma = arith.mulf %dy, %n : tensor<$Dxf32>
  program.yield %dx, %dgamma : tensor<$Dxf32>, tensor<$Dxf32>
})";

class RowNorm : public RowTest {
protected:
  // 150 rows: several blocks, the last of them not full.
  int64_t rows() const { return 150; }
  std::string source(const char *text) const {
    return fill(text, {{"$N", rows()}, {"$D", width()}});
  }
  double getScale(const float *row) const {
    double sum = 0;
    for (int64_t i = 0; i < width(); ++i)
      sum += double(row[i]) * row[i];
    return 1 / std::sqrt(sum / width() + 1e-5);
  }
};

TEST_P(RowNorm, AddsResidualAndNormalizes) {
  KernelRunner kernel(source(kResidualNorm), target());
  ASSERT_TRUE(kernel.isValid());
  int64_t d = width();
  Buffer<float> x = makeRandom(rows() * d, 1), r = makeRandom(rows() * d, 2);
  Buffer<float> gamma = makeRandom(d, 3), h(rows() * d), y(rows() * d);
  kernel.launch({x, r, gamma, h, y});
  EXPECT_TRUE(kernel.intact && h.isIntact() && y.isIntact());
  for (int64_t n = 0; n < rows(); ++n) {
    std::vector<float> sum(d);
    for (int64_t i = 0; i < d; ++i)
      sum[i] = x[n * d + i] + r[n * d + i];
    double scale = getScale(sum.data());
    for (int64_t i = 0; i < d; ++i) {
      ASSERT_EQ(h[n * d + i], sum[i]) << at(n, i);
      // Some roundings of products, and half of the error of the sum's slots.
      double expected = gamma[i] * scale * sum[i];
      expectClose(y[n * d + i], expected, std::abs(expected), 8 + std::sqrt(d) / 4, at(n, i));
    }
  }
}

TEST_P(RowNorm, GivesTheSameInPlace) {
  KernelRunner kernel(source(kResidualNorm), target());
  ASSERT_TRUE(kernel.isValid());
  int64_t d = width();
  Buffer<float> x = makeRandom(rows() * d, 1), r = makeRandom(rows() * d, 2);
  Buffer<float> gamma = makeRandom(d, 3), h(rows() * d), y(rows() * d);
  kernel.launch({x, r, gamma, h, y});
  kernel.launch({x, r, gamma, x, r}); // h over x, y over r
  for (int64_t i = 0; i < rows() * d; ++i) {
    ASSERT_EQ(x[i], h[i]) << at(i / d, i % d);
    ASSERT_EQ(r[i], y[i]) << at(i / d, i % d);
  }
  EXPECT_TRUE(x.isIntact() && r.isIntact());
}

TEST_P(RowNorm, DifferentiatesAndSumsOverRows) {
  KernelRunner kernel(source(kNormGrad), target());
  ASSERT_TRUE(kernel.isValid());
  ASSERT_GT(kernel.geometry.blocks, 1);
  int64_t d = width();
  Buffer<float> dy = makeRandom(rows() * d, 4), x = makeRandom(rows() * d, 5);
  Buffer<float> gamma = makeRandom(d, 6), dx(rows() * d), dgamma(d);
  kernel.launch({dy, x, gamma, dx, dgamma});
  EXPECT_TRUE(kernel.intact && dx.isIntact() && dgamma.isIntact());
  std::vector<double> sums(d), magnitudes(d);
  for (int64_t n = 0; n < rows(); ++n) {
    const float *row = &x[n * d], *grad = &dy[n * d];
    double r = getScale(row), dot = 0, magnitude = 0;
    for (int64_t i = 0; i < d; ++i) {
      dot += double(gamma[i]) * grad[i] * row[i];
      magnitude += std::abs(double(gamma[i]) * grad[i] * row[i]);
    }
    for (int64_t i = 0; i < d; ++i) {
      double dn = double(gamma[i]) * grad[i], n_i = r * row[i];
      double scale = r * (std::abs(dn) + std::abs(n_i) * r * magnitude / d);
      expectClose(dx[n * d + i], r * (dn - n_i * r * dot / d), scale, 12 + std::sqrt(d) / 4,
                  at(n, i));
      sums[i] += double(grad[i]) * n_i;
      magnitudes[i] += std::abs(double(grad[i]) * n_i);
    }
  }
  for (int64_t i = 0; i < d; ++i)
    expectClose(dgamma[i], sums[i], magnitudes[i], 16 + std::sqrt(d) / 4, at(0, i));
}

TEST_P(RowNorm, SumsDoNotDependOnTheOrderOfBlocks) {
  KernelRunner kernel(source(kNormGrad), target());
  ASSERT_TRUE(kernel.isValid());
  int64_t d = width();
  Buffer<float> dy = makeRandom(rows() * d, 4), x = makeRandom(rows() * d, 5);
  Buffer<float> gamma = makeRandom(d, 6), dx(rows() * d), first(d), second(d);
  kernel.launch({dy, x, gamma, dx, first});
  kernel.launch({dy, x, gamma, dx, second}, /*backwards=*/true);
  EXPECT_EQ(std::memcmp(first, second, d * sizeof(float)), 0);
}

INSTANTIATE_ROW_TEST(RowNorm);
