//===- Recipe.cpp - How a model is trained --------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Recipe.h"
#include "runtime/Text.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace vernier::runtime;

RateSchedule Recipe::getSchedule() const {
  return {schedule, rate, finalRate, steps, warmup, decaySteps};
}

/// What a key alone cannot say.
static Error checkTogether(const Recipe &recipe) {
  if (Error error = recipe.getSchedule().check())
    return error;
  if (recipe.data.empty())
    return makeError("data: expected at least one file");
  if (!recipe.val.empty() && recipe.validationFraction > 0)
    return makeError("validation-fraction: expected 0 beside val, found {0}",
                     formatNumber(recipe.validationFraction));
  if (recipe.withOptimizer && recipe.weights.empty())
    return makeError("with-optimizer: expected weights to take the optimizer's state from");
  for (auto [name, beta] : {std::pair("beta1", recipe.beta1), std::pair("beta2", recipe.beta2)})
    if (beta >= 1)
      return makeError("{0}: expected a number below 1, found {1}", name, formatNumber(beta));
  if (!llvm::is_contained({"auto", "weights", "activations"}, recipe.scaleSide))
    return makeError("scale-side: expected auto, weights or activations, found '{0}'",
                     recipe.scaleSide);
  if (recipe.epsilon < 1e-30) // the update divides by it in f32 where a gradient is zero
    return makeError("epsilon: expected at least 1e-30, found {0}", formatNumber(recipe.epsilon));
  return Error::success();
}

Error Recipe::resolve() {
  if (steps == 0)
    return makeError("steps: expected the number of steps of the run");
  if (finalRate < 0)
    finalRate = schedule == ScheduleKind::Constant ? rate : rate / 10;
  if (warmup < 0)
    warmup = steps / 20;
  if (decaySteps < 0)
    decaySteps = schedule == ScheduleKind::WSD
                     ? std::min(std::max<int64_t>(1, steps / 5), steps - warmup)
                     : 0;
  if (validateEvery == 0)
    validateEvery = std::max<int64_t>(1, steps / 10);
  if (statisticsEvery < 0)
    statisticsEvery = logEvery > 0 ? logEvery : std::max<int64_t>(1, steps / 100);
  return checkTogether(*this);
}
