//===- DecayOverride.cpp - Exceptions from a decay policy -------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecayOverride.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace vernier;

FailureOr<DecayOverride> DecayOverride::parse(Location loc, StringRef text) {
  DecayOverride result;
  result.text = text.str();
  auto [condition, group] = text.rsplit('=');
  auto [selector, value] = condition.split(':');
  result.selector = selector.str();
  result.value = value.str();
  if (!llvm::is_contained({"kind", "site", "branch", "name"}, selector) || value.empty())
    return emitError(loc)
           << "override '" << text
           << "' is not understood; expected kind:K, site:S, branch:B or name:REGEX, "
              "and =decay or =none";
  std::optional<DecayGroup> symbol = symbolizeDecayGroup(group);
  if (!symbol)
    return emitError(loc) << "override '" << text << "' ends in '" << group
                          << "'; expected =decay or =none";
  result.group = *symbol;
  if (selector == "name") {
    result.regex = std::make_shared<llvm::Regex>(value);
    std::string error;
    if (!result.regex->isValid(error))
      return emitError(loc) << "override '" << text << "' has no regular expression: " << error;
  }
  return result;
}

bool DecayOverride::matches(ParamOp param, const ParamFacts &facts) {
  if (param.getKind() == ParamKind::Direction && group == DecayGroup::Decay)
    return false;
  bool match = false;
  if (selector == "kind")
    match = stringifyParamKind(param.getKind()) == value;
  else if (selector == "site")
    match = facts.sites.contains(value);
  else if (selector == "branch")
    match = facts.branches.contains(value);
  else
    match = regex->match(param.getSymName());
  matched |= match;
  return match;
}
