//===- RoundingTest.cpp - Rounding to f32 and bf16 -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Reference/Rounding.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace vernier::reference;

namespace {
struct Rounding : testing::Test {
  MLIRContext context;
  Type f32 = Float32Type::get(&context), bf16 = BFloat16Type::get(&context);
};
} // namespace

// bf16 has 8 significant bits: around 1 its values are 2^-7 apart.
TEST_F(Rounding, Bf16TiesGoToEven) {
  double ulp = std::ldexp(1, -7);
  EXPECT_EQ(roundTo(bf16, 1 + 0.5 * ulp), 1);
  EXPECT_EQ(roundTo(bf16, 1 + 1.5 * ulp), 1 + 2 * ulp);
  EXPECT_EQ(roundTo(bf16, -1 - 1.5 * ulp), -1 - 2 * ulp);
  EXPECT_EQ(roundTo(bf16, 1 + 0.49 * ulp), 1);
  EXPECT_EQ(roundTo(bf16, 1 + 0.51 * ulp), 1 + ulp);
}

// A detour by f32 would make a tie of it, and round that down.
TEST_F(Rounding, Bf16RoundsOnce) {
  double value = 1 + std::ldexp(1, -8) + std::ldexp(1, -30);
  EXPECT_EQ(roundTo(bf16, value), 1 + std::ldexp(1, -7));
  EXPECT_EQ(roundTo(bf16, static_cast<float>(value)), 1);
}

TEST_F(Rounding, EdgesOfTheRange) {
  EXPECT_EQ(roundTo(bf16, 3.3895313892515355e38), 3.3895313892515355e38);
  EXPECT_EQ(roundTo(bf16, 3.4e38), HUGE_VAL);
  EXPECT_EQ(roundTo(f32, -1e39), -HUGE_VAL);
  EXPECT_EQ(roundTo(f32, std::ldexp(1, -149)), std::ldexp(1, -149));
  EXPECT_EQ(roundTo(f32, std::ldexp(1, -150)), 0);
  EXPECT_EQ(roundTo(f32, std::ldexp(1.5, -150)), std::ldexp(1, -149));
  EXPECT_TRUE(std::signbit(roundTo(f32, -1e-60)));
  EXPECT_TRUE(std::isnan(roundTo(bf16, NAN)));
  EXPECT_EQ(roundTo(bf16, HUGE_VAL), HUGE_VAL);
}

TEST_F(Rounding, IntegersAndF64StayAsTheyAre) {
  EXPECT_EQ(roundTo(Float64Type::get(&context), 0.1), 0.1);
  EXPECT_EQ(roundTo(IntegerType::get(&context, 64), 16777217), 16777217);
}

static double roundByAPFloat(double value, const llvm::fltSemantics &semantics) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

TEST_F(Rounding, AgreesWithAPFloatOverTheWholeRange) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-160, 130), mantissa(-2, 2);
  for (int i = 0; i < 100000; ++i) {
    double value = mantissa(random) * std::exp2(exponent(random));
    // Half of the values lie on a tie, or a little off one.
    if (i % 2)
      value = std::ldexp(std::nearbyint(std::ldexp(mantissa(random), 8)) + (i % 3 - 1) * 1e-6,
                         static_cast<int>(exponent(random)));
    ASSERT_EQ(roundTo(bf16, value), roundByAPFloat(value, llvm::APFloat::BFloat())) << value;
    ASSERT_EQ(roundTo(f32, value), roundByAPFloat(value, llvm::APFloat::IEEEsingle())) << value;
  }
}
