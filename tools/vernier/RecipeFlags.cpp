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

/// The help says which keys a resumed run may have others of.
static std::string describe(const RecipeKey &key) {
  switch (key.onResume) {
  case runtime::OnResume::Fixed:
    return key.help.str();
  case runtime::OnResume::Free:
  case runtime::OnResume::Place:
  case runtime::OnResume::Steps:
    return (key.help + " [may change on --resume]").str();
  case runtime::OnResume::Split:
    return (key.help + " [may change on --resume with the graph's batch]").str();
  }
  llvm_unreachable("unknown kind of key");
}

RecipeFlags::RecipeFlags(cl::SubCommand &command) {
  for (const RecipeKey &key : runtime::getRecipeKeys()) {
    auto values = std::make_unique<cl::list<std::string>>(
        key.name, cl::sub(command), cl::desc(key.help), cl::value_desc(key.valueName));
    help.push_back(std::make_unique<std::string>(describe(key)));
    values->setDescription(*help.back());
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

std::vector<const char *> RecipeFlags::repeatForEachFile(llvm::ArrayRef<const char *> arguments) {
  std::vector<const char *> result;
  const char *flag = nullptr; // of a list, which the next file belongs to
  bool hasValue = true;       // whether that flag has one already
  for (const char *argument : arguments) {
    StringRef text(argument);
    if (text.starts_with("-")) {
      StringRef name = text.ltrim('-');
      bool isList = any_of(runtime::getRecipeKeys(), [&](const RecipeKey &key) {
        return key.isList() && name.split('=').first == key.name;
      });
      hasValue = name.contains('=');
      flag = isList && !hasValue ? argument : nullptr;
    } else if (flag && hasValue && !text.ends_with(".mlir")) {
      result.push_back(flag);
    } else {
      hasValue = true;
    }
    result.push_back(argument);
  }
  return result;
}
