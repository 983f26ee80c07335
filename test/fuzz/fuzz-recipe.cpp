//===- fuzz-recipe.cpp - Recipes ------------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "runtime/Recipe.h"

using namespace vernier;
using namespace vernier::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz::InputFile input;
  Recipe recipe, again;
  if (Error error = readRecipe(input.write(fuzz::toText(data, size)), recipe)) {
    fuzz::expectMessage(std::move(error));
    return 0;
  }
  if (Error error = recipe.resolve()) {
    fuzz::expectMessage(std::move(error));
    return 0;
  }
  // What was read and resolved is written so that it reads back as the same.
  std::string text = recipe.toYaml();
  if (Error error = readRecipe(input.write(text), again)) {
    fuzz::expectMessage(std::move(error));
    std::abort();
  }
  if (again.toYaml() != text)
    std::abort();
  for (int64_t step : {int64_t(0), recipe.warmup, recipe.steps - 1})
    if (step < recipe.steps && !(recipe.getSchedule().rateAt(step) >= 0))
      std::abort();
  return 0;
}
