//===- Schedule.cpp - Learning rates --------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Schedule.h"
#include "runtime/Text.h"
#include <algorithm>
#include <cmath>

using namespace vernier::runtime;

static constexpr const char *kindNames[] = {"constant", "linear", "cosine", "wsd"};

llvm::StringRef vernier::runtime::nameOf(ScheduleKind kind) {
  return kindNames[static_cast<int>(kind)];
}

std::optional<ScheduleKind> vernier::runtime::parseScheduleKind(llvm::StringRef name) {
  for (int i = 0; i < static_cast<int>(std::size(kindNames)); ++i)
    if (name == kindNames[i])
      return static_cast<ScheduleKind>(i);
  return std::nullopt;
}

Error RateSchedule::check() const {
  if (!(peak > 0) || !std::isfinite(peak))
    return makeError("rate: expected a positive number, found {0}", formatNumber(peak));
  if (!(final >= 0 && final <= peak))
    return makeError("final-rate: expected a number from 0 to the rate {0}, found {1}",
                     formatNumber(peak), formatNumber(final));
  if (steps <= 0)
    return makeError("steps: expected a positive number, found {0}", steps);
  if (warmup < 0 || warmup > steps)
    return makeError("warmup: expected 0 to {0}, the number of steps, found {1}", steps, warmup);
  if (kind == ScheduleKind::Constant && final != peak)
    return makeError("final-rate: the constant schedule stays at {0}, found {1}",
                     formatNumber(peak), formatNumber(final));
  if (kind != ScheduleKind::WSD && decay != 0)
    return makeError("decay-steps: only schedule wsd has them, found {0} with {1}", decay,
                     nameOf(kind));
  if (kind == ScheduleKind::WSD && (decay < 0 || decay > steps - warmup))
    return makeError("decay-steps: expected 0 to {0}, the steps after the warm-up, found {1}",
                     steps - warmup, decay);
  return Error::success();
}

double RateSchedule::rateAt(int64_t step) const {
  if (step < warmup)
    return peak * (step + 1) / warmup;
  int64_t lastPeak =
      kind == ScheduleKind::WSD ? steps - decay - 1 : std::max<int64_t>(warmup, 1) - 1;
  if (kind == ScheduleKind::Constant || step <= lastPeak)
    return peak;
  if (step >= steps - 1)
    return final;
  double progress = double(step - lastPeak) / double(steps - 1 - lastPeak);
  if (kind == ScheduleKind::Cosine)
    progress = (1 - std::cos(M_PI * progress)) / 2;
  return peak + (final - peak) * progress;
}
