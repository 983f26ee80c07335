//===- Selection.cpp - Which places a scale pass works on -------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Scale/Selection.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace vernier;

static constexpr StringLiteral siteWords[] = {"attention-input", "ffn-input", "final",        "qk",
                                              "sublayer-output", "embedding", "branch-output"};
static constexpr StringLiteral branchWords[] = {"q",  "k",    "v",      "o",   "gate",
                                                "up", "down", "router", "head"};

static LogicalResult checkWords(Location loc, StringRef what, ArrayRef<std::string> words,
                                ArrayRef<StringLiteral> known) {
  for (StringRef word : words)
    if (!llvm::is_contained(known, word))
      return emitError(loc) << "there is no " << what << " '" << word << "'; expected one of "
                            << llvm::join(known, ", ");
  return success();
}

FailureOr<Selection> Selection::parse(Location loc, const SelectionOptions &options) {
  if (failed(checkWords(loc, "site", options.sites, siteWords)) ||
      failed(checkWords(loc, "branch", options.branches, branchWords)))
    return failure();
  Selection selection;
  selection.options = options;
  for (StringRef range : options.layers) {
    auto [first, last] = range.contains('-') ? range.split('-') : std::pair(range, range);
    int64_t begin = 0, end = 0;
    if (first.getAsInteger(10, begin) || last.getAsInteger(10, end) || begin > end)
      return emitError(loc) << "'" << range
                            << "' is no range of layers; expected a number, or first-last";
    selection.layers.emplace_back(begin, end);
  }
  return selection;
}

bool Selection::hasSite(StringRef site) const {
  return options.sites.empty() || llvm::is_contained(options.sites, site);
}

bool Selection::hasBranch(LinearRole role) const {
  return options.branches.empty() || llvm::is_contained(options.branches, stringify(role));
}

bool Selection::hasLayer(std::optional<int64_t> layer) const {
  return layers.empty() || (layer && llvm::any_of(layers, [&](auto range) {
                              return range.first <= *layer && *layer <= range.second;
                            }));
}
