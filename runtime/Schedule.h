//===- Schedule.h - Learning rates --------------------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_SCHEDULE_H
#define VERNIER_RUNTIME_SCHEDULE_H

#include "runtime/Status.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace vernier::runtime {

enum class ScheduleKind { Constant, Linear, Cosine, WSD };

/// "constant", "linear", "cosine", "wsd".
llvm::StringRef nameOf(ScheduleKind kind);
std::optional<ScheduleKind> parseScheduleKind(llvm::StringRef name);

/// The learning rate of each step, counted from 0. The first `warmup` steps
/// have peak * (s + 1) / warmup: never zero, and the last of them has the peak.
/// Then, so that step `steps` - 1 has exactly `final`:
///   constant: the peak (`final` has no meaning);
///   linear, cosine: from the last step with the peak down to `final`;
///   wsd (warm-up, stable, decay): the peak, and linearly down to `final` in
///   the last `decay` steps.
/// Warm-up and decay that fill the whole run are fine.
struct RateSchedule {
  ScheduleKind kind = ScheduleKind::Constant;
  double peak = 0, final = 0;
  int64_t steps = 0, warmup = 0, decay = 0;

  /// Rates must be finite, 0 < peak, 0 <= final <= peak; counts not negative
  /// and fit into the steps.
  Error check() const;
  double rateAt(int64_t step) const;
};

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_SCHEDULE_H
