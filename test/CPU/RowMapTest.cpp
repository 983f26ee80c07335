//===- RowMapTest.cpp - Rows without reductions, maps, numbers ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowTest.h"

using namespace vernier::test;

// dgate = dy up silu'(gate), dup = dy silu(gate)
static const char *const kSwiGluGrad = R"(
program.kernel @swiglu_grad [$N] (tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>)
    -> (tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>)
    maps [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>, affine_map<(n) -> (n)>]
    outputs [map, map] {
^bb0(%dy: tensor<$Dxf32>, %x: tensor<$Dxf32>, %up: tensor<$Dxf32>):
  %one = arith.constant dense<1.0> : tensor<$Dxf32>
  %minus = arith.negf %x : tensor<$Dxf32>
  %e = math.exp %minus : tensor<$Dxf32>
  %d = arith.addf %e, %one : tensor<$Dxf32>
  %s = arith.divf %one, %d : tensor<$Dxf32>
  %xs = arith.mulf %x, %s : tensor<$Dxf32>
  %rest = arith.subf %one, %s : tensor<$Dxf32>
  %product = arith.mulf %xs, %rest : tensor<$Dxf32>
  %slope = arith.addf %s, %product : tensor<$Dxf32>
  %dyup = arith.mulf %dy, %up : tensor<$Dxf32>
  %dgate = arith.mulf %dyup, %slope : tensor<$Dxf32>
  %dup = arith.mulf %dy, %xs : tensor<$Dxf32>
  program.yield %dgate, %dup : tensor<$Dxf32>, tensor<$Dxf32>
})";

// y = x Phi(x)
static const char *const kGelu = R"(
program.kernel @gelu [$N] (tensor<$Nx$Dxf32>) -> (tensor<$Nx$Dxf32>)
    maps [affine_map<(n) -> (n)>] outputs [map] {
^bb0(%x: tensor<$Dxf32>):
  %half = arith.constant dense<0.5> : tensor<$Dxf32>
  %root = arith.constant dense<0.70710678118> : tensor<$Dxf32>
  %one = arith.constant dense<1.0> : tensor<$Dxf32>
  %a = arith.mulf %x, %root : tensor<$Dxf32>
  %erf = math.erf %a : tensor<$Dxf32>
  %b = arith.addf %erf, %one : tensor<$Dxf32>
  %c = arith.mulf %b, %half : tensor<$Dxf32>
  %y = arith.mulf %x, %c : tensor<$Dxf32>
  program.yield %y : tensor<$Dxf32>
})";

// Rows of [2, 5, 3]; tables for each of the 5 positions. D is half a row.
static const char *const kRope = R"(
program.kernel @rope [2, 5, 3] (tensor<2x5x3x$Exf32>, tensor<5x$Dxf32>, tensor<5x$Dxf32>) -> (tensor<2x5x3x$Exf32>)
    maps [affine_map<(b, t, h) -> (b, t, h)>, affine_map<(b, t, h) -> (t)>, affine_map<(b, t, h) -> (t)>]
    outputs [map] {
^bb0(%x: tensor<$Exf32>, %cos: tensor<$Dxf32>, %sin: tensor<$Dxf32>):
  %l = tensor.extract_slice %x[0] [$D] [1] : tensor<$Exf32> to tensor<$Dxf32>
  %h = tensor.extract_slice %x[$D] [$D] [1] : tensor<$Exf32> to tensor<$Dxf32>
  %lc = arith.mulf %l, %cos : tensor<$Dxf32>
  %hs = arith.mulf %h, %sin : tensor<$Dxf32>
  %low = arith.subf %lc, %hs : tensor<$Dxf32>
  %hc = arith.mulf %h, %cos : tensor<$Dxf32>
  %ls = arith.mulf %l, %sin : tensor<$Dxf32>
  %high = arith.addf %hc, %ls : tensor<$Dxf32>
  %y = tensor.concat dim(0) %low, %high : (tensor<$Dxf32>, tensor<$Dxf32>) -> tensor<$Exf32>
  program.yield %y : tensor<$Exf32>
})";

// AdamW: three results over three operands, powers of numbers in f64.
static const char *const kAdamW = R"(
program.kernel @adamw [$N] (tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>, tensor<i64>, tensor<f32>)
    -> (tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>, tensor<$Nx$Dxf32>)
    maps [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>, affine_map<(n) -> (n)>, affine_map<(n) -> (n)>, affine_map<(n) -> ()>, affine_map<(n) -> ()>]
    outputs [map, map, map] {
^bb0(%p: tensor<$Dxf32>, %m: tensor<$Dxf32>, %v: tensor<$Dxf32>, %g: tensor<$Dxf32>, %steps: i64, %rate: f32):
  %one = arith.constant 1.0 : f64
  %beta1 = arith.constant 0.9 : f64
  %beta2 = arith.constant 0.95 : f64
  %power1 = math.fpowi %beta1, %steps : f64, i64
  %power2 = math.fpowi %beta2, %steps : f64, i64
  %bias1 = arith.subf %one, %power1 : f64
  %bias2 = arith.subf %one, %power2 : f64
  %rate64 = arith.extf %rate : f32 to f64
  %scale64 = arith.divf %rate64, %bias1 : f64
  %scale = arith.truncf %scale64 : f64 to f32
  %unbias64 = arith.divf %one, %bias2 : f64
  %unbias = arith.truncf %unbias64 : f64 to f32
  %scales = tensor.splat %scale : tensor<$Dxf32>
  %unbiases = tensor.splat %unbias : tensor<$Dxf32>
  %b1 = arith.constant dense<0.9> : tensor<$Dxf32>
  %c1 = arith.constant dense<0.1> : tensor<$Dxf32>
  %b2 = arith.constant dense<0.95> : tensor<$Dxf32>
  %c2 = arith.constant dense<0.05> : tensor<$Dxf32>
  %eps = arith.constant dense<1.0e-8> : tensor<$Dxf32>
  %gc = arith.mulf %g, %c1 : tensor<$Dxf32>
  %m1 = math.fma %m, %b1, %gc : tensor<$Dxf32>
  %gg = arith.mulf %g, %g : tensor<$Dxf32>
  %ggc = arith.mulf %gg, %c2 : tensor<$Dxf32>
  %v1 = math.fma %v, %b2, %ggc : tensor<$Dxf32>
  %vhat = arith.mulf %v1, %unbiases : tensor<$Dxf32>
  %root = math.sqrt %vhat : tensor<$Dxf32>
  %denominator = arith.addf %root, %eps : tensor<$Dxf32>
  %numerator = arith.mulf %m1, %scales : tensor<$Dxf32>
  %step = arith.divf %numerator, %denominator : tensor<$Dxf32>
  %p1 = arith.subf %p, %step : tensor<$Dxf32>
  program.yield %p1, %m1, %v1 : tensor<$Dxf32>, tensor<$Dxf32>, tensor<$Dxf32>
})";

// The sum of all squares, in f64.
static const char *const kSquares = R"(
program.kernel @squares [$N] (tensor<$Nx$Dxf32>) -> (tensor<f64>)
    maps [affine_map<(n) -> (n)>] outputs [sum] {
^bb0(%x: tensor<$Dxf32>):
  %w = arith.extf %x : tensor<$Dxf32> to tensor<$Dxf64>
  %s = arith.mulf %w, %w : tensor<$Dxf64>
  %r = program.reduce <add> %s : tensor<$Dxf64> -> f64
  program.yield %r : f64
})";

// Rows of two unrelated lengths, and what the first computes used by the second.
static const char *const kTwoLengths = R"(
program.kernel @two [$N] (tensor<$Nx$Dxf32>, tensor<$Nx24xf32>) -> (tensor<$Nx$Dxf32>, tensor<$Nx24xf32>)
    maps [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>] outputs [map, map] {
^bb0(%x: tensor<$Dxf32>, %z: tensor<24xf32>):
  %m = program.reduce <max> %x : tensor<$Dxf32> -> f32
  %ms = tensor.splat %m : tensor<24xf32>
  %w = arith.mulf %z, %ms : tensor<24xf32>
  %n = program.reduce <max> %w : tensor<24xf32> -> f32
  %ns = tensor.splat %n : tensor<$Dxf32>
  %y = arith.addf %x, %ns : tensor<$Dxf32>
  program.yield %y, %w : tensor<$Dxf32>, tensor<24xf32>
})";

class RowMap : public RowTest {
protected:
  int64_t rows() const { return 35; }
  int64_t size() const { return rows() * width(); }
  std::string source(const char *text) const {
    return fill(text, {{"$N", rows()}, {"$D", width()}, {"$E", 2 * width()}});
  }
};

TEST_P(RowMap, SwiGluGradientInPlace) {
  KernelRunner kernel(source(kSwiGluGrad), target());
  ASSERT_TRUE(kernel.isValid());
  Buffer<float> dy = makeRandom(size(), 1), gate = makeRandom(size(), 2, 8);
  Buffer<float> up = makeRandom(size(), 3);
  gate[0] = -200; // silu of it is 0, and its slope as well
  std::vector<float> gates(gate.begin(), gate.end()), ups(up.begin(), up.end());
  kernel.launch({dy, gate, up, gate, up});
  EXPECT_TRUE(gate.isIntact() && up.isIntact());
  for (int64_t i = 0; i < size(); ++i) {
    double x = gates[i], s = 1 / (1 + std::exp(-x));
    double scale = std::abs(double(dy[i])) * (s + std::abs(x) * s);
    expectClose(gate[i], double(dy[i]) * ups[i] * (s + x * s * (1 - s)),
                std::abs(double(ups[i])) * scale, 16, at(i / width(), i % width()));
    expectClose(up[i], double(dy[i]) * x * s, scale, 8, at(i / width(), i % width()));
  }
}

TEST_P(RowMap, Gelu) {
  KernelRunner kernel(source(kGelu), target());
  ASSERT_TRUE(kernel.isValid());
  Buffer<float> x = makeRandom(size(), 1, 4), y(size());
  kernel.launch({x, y});
  EXPECT_TRUE(y.isIntact());
  for (int64_t i = 0; i < size(); ++i)
    expectClose(y[i], x[i] * (1 + std::erf(x[i] / std::sqrt(2.0))) / 2, std::abs(x[i]), 4,
                at(i / width(), i % width()));
}

TEST_P(RowMap, RopeOfHalfTheWidth) {
  KernelRunner kernel(source(kRope), target());
  ASSERT_TRUE(kernel.isValid());
  int64_t half = width(), rows = 2 * 5 * 3;
  Buffer<float> x = makeRandom(rows * 2 * half, 1), y(rows * 2 * half);
  Buffer<float> cos = makeRandom(5 * half, 2), sin = makeRandom(5 * half, 3);
  kernel.launch({x, cos, sin, y});
  EXPECT_TRUE(y.isIntact());
  for (int64_t n = 0; n < rows; ++n)
    for (int64_t i = 0; i < half; ++i) {
      int64_t low = n * 2 * half + i, high = low + half, table = n / 3 % 5 * half + i;
      double c = cos[table], s = sin[table];
      expectClose(y[low], x[low] * c - x[high] * s, 1, 3, at(n, i));
      expectClose(y[high], x[high] * c + x[low] * s, 1, 3, at(n, half + i));
    }
}

TEST_P(RowMap, AdamWInPlace) {
  KernelRunner kernel(source(kAdamW), target());
  ASSERT_TRUE(kernel.isValid());
  Buffer<float> p = makeRandom(size(), 1), m = makeRandom(size(), 2), g = makeRandom(size(), 3);
  Buffer<float> v = makeRandom(size(), 4);
  for (float &x : v)
    x = std::abs(x);
  std::vector<float> p0(p.begin(), p.end()), m0(m.begin(), m.end()), v0(v.begin(), v.end());
  Buffer<int64_t> steps(1, 37);
  Buffer<float> rate(1, 1e-2f);
  kernel.launch({p, m, v, g, steps, rate, p, m, v});
  EXPECT_TRUE(p.isIntact() && m.isIntact() && v.isIntact());
  double rateOverBias = double(1e-2f) / (1 - std::pow(0.9, 37));
  for (int64_t i = 0; i < size(); ++i) {
    double m1 = 0.9 * m0[i] + 0.1 * g[i], v1 = 0.95 * v0[i] + 0.05 * double(g[i]) * g[i];
    double step = rateOverBias * m1 / (std::sqrt(v1 / (1 - std::pow(0.95, 37))) + 1e-8);
    expectClose(m[i], m1, std::abs(m0[i]) + std::abs(g[i]), 3, at(i / width(), i % width()));
    expectClose(v[i], v1, v1, 5, at(i / width(), i % width()));
    double error = rateOverBias * (std::abs(m0[i]) + std::abs(g[i])) / std::sqrt(v1);
    expectClose(p[i], p0[i] - step, std::abs(p0[i]) + error, 12, at(i / width(), i % width()));
  }
}

TEST_P(RowMap, SumsSquaresInDouble) {
  KernelRunner kernel(source(kSquares), target());
  ASSERT_TRUE(kernel.isValid());
  Buffer<float> x = makeRandom(size(), 1);
  x[0] = 1e20f; // its square is no f32
  Buffer<double> sum(1);
  kernel.launch({x, sum});
  double expected = 0;
  for (float value : x)
    expected += double(value) * value;
  EXPECT_NEAR(sum[0], expected, expected * 1e-14);
  x[0] = 1e-3f;
  kernel.launch({x, sum});
  expected = 0;
  for (float value : x)
    expected += double(value) * value;
  EXPECT_NEAR(sum[0], expected, expected * 1e-12);
}

TEST_P(RowMap, RowsOfTwoLengthsInPlace) {
  KernelRunner kernel(source(kTwoLengths), target());
  ASSERT_TRUE(kernel.isValid());
  Buffer<float> x = makeRandom(size(), 1), z = makeRandom(rows() * 24, 2);
  std::vector<float> x0(x.begin(), x.end()), z0(z.begin(), z.end());
  kernel.launch({x, z, x, z});
  EXPECT_TRUE(x.isIntact() && z.isIntact());
  for (int64_t n = 0; n < rows(); ++n) {
    const float *row = &x0[n * width()];
    float m = *std::max_element(row, row + width()), largest = -kInfinity;
    for (int64_t i = 0; i < 24; ++i) {
      ASSERT_EQ(z[n * 24 + i], z0[n * 24 + i] * m) << at(n, i);
      largest = std::max(largest, z[n * 24 + i]);
    }
    for (int64_t i = 0; i < width(); ++i)
      expectClose(x[n * width() + i], double(row[i]) + largest, 2, 1, at(n, i));
  }
}

INSTANTIATE_ROW_TEST(RowMap);
