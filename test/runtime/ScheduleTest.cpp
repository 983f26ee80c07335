//===- ScheduleTest.cpp - Learning rates ----------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Schedule.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace vernier::runtime;

namespace {

/// Every schedule of up to `maxSteps` steps, with every warm-up and decay.
template <typename Body> void forEachSchedule(int maxSteps, Body body) {
  for (auto kind :
       {ScheduleKind::Constant, ScheduleKind::Linear, ScheduleKind::Cosine, ScheduleKind::WSD})
    for (int steps = 1; steps <= maxSteps; ++steps)
      for (int warmup = 0; warmup <= steps; ++warmup)
        for (int decay = 0; decay <= (kind == ScheduleKind::WSD ? steps - warmup : 0); ++decay)
          for (double final : {0.0, 0.25})
            body(RateSchedule{kind, 2.0, kind == ScheduleKind::Constant ? 2.0 : final, steps,
                              warmup, decay});
}

TEST(Schedule, AllSmallOnesKeepTheirPromises) {
  forEachSchedule(9, [](const RateSchedule &schedule) {
    ASSERT_EQ(llvm::toString(schedule.check()), "");
    bool decays = schedule.kind == ScheduleKind::WSD
                      ? schedule.decay > 0
                      : schedule.kind != ScheduleKind::Constant &&
                            schedule.steps > std::max<int64_t>(schedule.warmup, 1);
    bool hasPeak = schedule.kind != ScheduleKind::WSD || schedule.decay < schedule.steps;
    double largest = 0;
    for (int64_t step = 0; step < schedule.steps; ++step) {
      double rate = schedule.rateAt(step);
      ASSERT_TRUE(std::isfinite(rate) && rate >= 0 && rate <= schedule.peak);
      bool isLast = step == schedule.steps - 1;
      if (!(isLast && decays)) {
        ASSERT_GT(rate, 0) << nameOf(schedule.kind).str() << " step " << step;
      }
      if (step < schedule.warmup) {
        ASSERT_DOUBLE_EQ(rate, schedule.peak * (step + 1) / schedule.warmup);
      } else if (step > schedule.warmup) {
        ASSERT_LE(rate, schedule.rateAt(step - 1));
      }
      largest = std::max(largest, rate);
    }
    if (hasPeak) {
      ASSERT_EQ(largest, schedule.peak);
    }
    ASSERT_EQ(schedule.rateAt(schedule.steps - 1), decays ? schedule.final : schedule.peak);
  });
}

TEST(Schedule, HasTheShapesOfTheBooks) {
  RateSchedule linear{ScheduleKind::Linear, 1, 0, 11, 1, 0};
  EXPECT_DOUBLE_EQ(linear.rateAt(5), 0.5);
  RateSchedule cosine{ScheduleKind::Cosine, 1, 0.1, 13, 0, 0};
  EXPECT_DOUBLE_EQ(cosine.rateAt(6), 0.55);
  EXPECT_NEAR(cosine.rateAt(3), 0.1 + 0.9 * (1 + std::sqrt(0.5)) / 2, 1e-12);
  RateSchedule wsd{ScheduleKind::WSD, 1, 0, 10, 2, 4};
  double expected[] = {0.5, 1, 1, 1, 1, 1, 0.75, 0.5, 0.25, 0};
  for (int step = 0; step < 10; ++step)
    EXPECT_DOUBLE_EQ(wsd.rateAt(step), expected[step]);
  RateSchedule golden{ScheduleKind::Constant, 0.01, 0, 6, 6, 0}; // test/golden/README.md
  for (int step = 0; step < 6; ++step)
    EXPECT_DOUBLE_EQ(golden.rateAt(step), 0.01 * (step + 1) / 6);
}

TEST(Schedule, RefusesTheImpossible) {
  auto check = [](RateSchedule schedule) { return llvm::toString(schedule.check()); };
  EXPECT_EQ(check({ScheduleKind::Linear, 0, 0, 1, 0, 0}),
            "rate: expected a positive number, found 0");
  EXPECT_NE(check({ScheduleKind::Linear, NAN, 0, 1, 0, 0}), "");
  EXPECT_NE(check({ScheduleKind::Linear, 1, 2, 1, 0, 0}), "");
  EXPECT_EQ(check({ScheduleKind::Linear, 1, 0, 0, 0, 0}),
            "steps: expected a positive number, found 0");
  EXPECT_EQ(check({ScheduleKind::Linear, 1, 0, 5, 6, 0}),
            "warmup: expected 0 to 5, the number of steps, found 6");
  EXPECT_EQ(check({ScheduleKind::WSD, 1, 0, 5, 3, 3}),
            "decay-steps: expected 0 to 2, the steps after the warm-up, found 3");
}

} // namespace
