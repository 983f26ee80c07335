//===- RecipeFlags.cpp - A recipe from flags ------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecipeFlags.h"

using namespace llvm;
using namespace vernier;
using runtime::RecipeKey;

static bool isSwitch(const RecipeKey &key) {
  return std::holds_alternative<bool runtime::Recipe::*>(key.field);
}

RecipeFlags::RecipeFlags(cl::SubCommand &command) {
  for (const RecipeKey &key : runtime::getRecipeKeys()) {
    auto values = std::make_unique<cl::list<std::string>>(
        key.name, cl::sub(command), cl::desc(key.help), cl::value_desc(key.valueName));
    values->setValueExpectedFlag(isSwitch(key) ? cl::ValueOptional : cl::ValueRequired);
    flags.push_back({&key, std::move(values)});
  }
}

Error RecipeFlags::apply(runtime::Recipe &recipe) const {
  for (const Flag &flag : flags) {
    if (flag.values->empty())
      continue;
    std::vector<std::string> values(flag.values->begin(), flag.values->end());
    if (isSwitch(*flag.key) && values.back().empty())
      values.back() = "true";
    if (!flag.key->isList())
      values = {values.back()}; // as usual, the last one counts
    if (Error error = flag.key->set(recipe, values))
      return runtime::makeError("--{0}", toString(std::move(error)));
  }
  return Error::success();
}
