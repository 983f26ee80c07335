//===- ExpandMathTest.cpp - Errors of the functions that are expanded ---------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against libm's functions of double, over all magnitudes. The bounds are those
// that the description of `vernier-expand-math` states.
//
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace vernier;
using namespace vernier::test;

static constexpr float kInfinity = std::numeric_limits<float>::infinity();

namespace {
struct Function {
  const char *name;
  double (*exact)(double);
  double ulpsWithFma, ulpsWithout;
  float low, high; ///< where the bounds hold
};

double rsqrt(double x) { return 1 / std::sqrt(x); }
double silu(double x) { return x / (1 + std::exp(-x)); }

// What the row of results is, of a row %x. silu is as kernels of `glu` have it.
std::string getBody(const std::string &name, const std::string &row) {
  if (name != "silu")
    return "%y = math." + name + " %x : " + row;
  return R"(%one = arith.constant dense<1.0> : ROW
            %minus = arith.negf %x : ROW
            %e = math.exp %minus : ROW
            %d = arith.addf %e, %one : ROW
            %s = arith.divf %one, %d : ROW
            %y = arith.mulf %x, %s : ROW)";
}

// exp's results below 2^-125.5 are 0.
const Function kFunctions[] = {
    {"exp", std::exp, 0.9, 1.2, -86.98f, 88.72f},
    {"log", std::log, 0.9, 0.9, 0.0f, std::numeric_limits<float>::max()},
    {"tanh", std::tanh, 1.3, 1.3, -1e30f, 1e30f},
    {"erf", std::erf, 1.0, 1.2, -1e30f, 1e30f},
    {"rsqrt", rsqrt, 1.5, 1.5, 0.0f, std::numeric_limits<float>::max()},
    {"silu", silu, 2.8, 2.8, -87.0f, 1e30f},
};

class ExpandMath : public testing::TestWithParam<std::tuple<Function, std::string>> {
protected:
  const Function &function() const { return std::get<0>(GetParam()); }
  const std::string &target() const { return std::get<1>(GetParam()); }

  // The compiled function of each of some numbers.
  std::vector<float> apply(const std::vector<float> &x) {
    std::string row = "tensor<" + std::to_string(x.size()) + "xf32>";
    std::string body = getBody(function().name, row);
    for (size_t at; (at = body.find("ROW")) != std::string::npos;)
      body.replace(at, 3, row);
    KernelRunner kernel("program.kernel @f [] (" + row + ") -> (" + row +
                            ") maps [affine_map<() -> ()>] outputs [map] {\n^bb0(%x: " + row +
                            "):\n  " + body + "\n  program.yield %y : " + row + "\n}",
                        target());
    if (!kernel.isValid())
      return {};
    Buffer<float> in(x.size()), out(x.size());
    std::copy(x.begin(), x.end(), in.begin());
    kernel.launch({in, out});
    EXPECT_TRUE(out.isIntact());
    return std::vector<float>(out.begin(), out.end());
  }
};
} // namespace

// Floats spread evenly over the bit patterns, so over all magnitudes, and
// densely over [-100, 100].
static std::vector<float> makeArguments(float low, float high) {
  std::vector<float> result;
  auto add = [&](float x) {
    if (x >= low && x <= high)
      result.push_back(x);
  };
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 10007) {
    uint32_t pattern = uint32_t(bits);
    float x;
    std::memcpy(&x, &pattern, 4);
    add(x);
  }
  for (int i = -500000; i <= 500000; ++i)
    add(float(i) / 5000.0f);
  return result;
}

// |y - exact| in units of the last place of the exact value as a float.
static double getUlps(float y, double exact) {
  if (double(y) == exact)
    return 0;
  double magnitude = std::max(std::abs(exact), double(std::numeric_limits<float>::min()));
  return std::abs(double(y) - exact) / std::ldexp(1.0, std::ilogb(magnitude) - 23);
}

TEST_P(ExpandMath, StaysWithinItsErrorBound) {
  std::vector<float> x = makeArguments(function().low, function().high);
  std::vector<float> y = apply(x);
  ASSERT_EQ(y.size(), x.size());
  double worst = 0;
  float worstArgument = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double ulps = getUlps(y[i], function().exact(double(x[i])));
    if (!(ulps <= worst))
      worst = ulps, worstArgument = x[i];
  }
  RecordProperty("ulps", std::to_string(worst));
  printf("%s on %s: %.3f ulp at %a\n", function().name, target().c_str(), worst, worstArgument);
  EXPECT_LE(worst, target() == "sse2" ? function().ulpsWithout : function().ulpsWithFma)
      << "at " << worstArgument;
}

static std::vector<float> getExtremes() {
  uint32_t payload = 0xffc12345u;
  float nan;
  std::memcpy(&nan, &payload, 4);
  return {kInfinity, -kInfinity, nan,    std::nanf(""), 0.0f,  -0.0f,   1e-45f, -1e-45f,
          1e38f,     -1e38f,     -87.0f, -1e30f,        89.0f, -104.0f, 5e-39f};
}

TEST_P(ExpandMath, HasTheLimitsAtExtremes) {
  std::vector<float> x = getExtremes();
  std::vector<float> y = apply(x);
  ASSERT_EQ(y.size(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    float exact = float(function().exact(double(x[i])));
    if (std::isnan(exact))
      EXPECT_TRUE(std::isnan(y[i])) << function().name << " of " << x[i] << " is " << y[i];
    else if (std::abs(exact) < 0x1p-125f && std::string(function().name) == "exp")
      EXPECT_EQ(y[i], 0.0f) << "of " << x[i];
    else if (std::string(function().name) == "silu" && x[i] < function().low)
      EXPECT_LE(std::abs(y[i] - exact), 1e-35f) << "of " << x[i];
    else if (std::isinf(exact))
      EXPECT_EQ(y[i], exact) << function().name << " of " << x[i];
    else
      EXPECT_LE(getUlps(y[i], function().exact(double(x[i]))), 2.0)
          << function().name << " of " << x[i] << " is " << y[i];
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExpandMath,
                         testing::Combine(testing::ValuesIn(kFunctions),
                                          testing::ValuesIn(getRunnableTargets())),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  std::get<1>(info.param);
                         });
