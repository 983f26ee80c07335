//===- DecayOverride.h - Exceptions from a decay policy --------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_SCALE_DECAYOVERRIDE_H
#define VERNIER_LIB_SCALE_DECAYOVERRIDE_H

#include "vernier/Model/Vernier.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"
#include <memory>

namespace vernier {

/// Where a parameter is used, in the words of the passes' options.
struct ParamFacts {
  llvm::StringSet<> sites, branches;
  unsigned inputScales = 0, outputScales = 0; ///< that its vector is in
};

/// "SELECTOR:VALUE=decay" or "SELECTOR:VALUE=none", with a selector of kind,
/// site, branch, or name (a regular expression, found anywhere in the name).
class DecayOverride {
public:
  static mlir::FailureOr<DecayOverride> parse(mlir::Location loc, llvm::StringRef text);

  /// A direction never decays, so nothing that would make it does match it.
  bool matches(ParamOp param, const ParamFacts &facts);
  bool hasMatched() const { return matched; }
  DecayGroup getGroup() const { return group; }
  const std::string &getText() const { return text; }

private:
  std::string text, selector, value;
  DecayGroup group = DecayGroup::None;
  std::shared_ptr<llvm::Regex> regex; ///< of a name
  bool matched = false;
};

} // namespace vernier

#endif // VERNIER_LIB_SCALE_DECAYOVERRIDE_H
