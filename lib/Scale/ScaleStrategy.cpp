//===- ScaleStrategy.cpp - The paper's improvements, alone and together -----===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassManager.h"
#include "vernier/Scale/Passes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace vernier {
#define GEN_PASS_DEF_SCALESTRATEGY
#include "vernier/Scale/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

struct ScaleStrategy : vernier::impl::ScaleStrategyBase<ScaleStrategy> {
  using ScaleStrategyBase::ScaleStrategyBase;
  void runOnOperation() override;

private:
  FailureOr<llvm::StringSet<>> parsePreset();
  void buildPipeline(OpPassManager &pm, const llvm::StringSet<> &parts);
};

} // namespace

/// An error if two parts of a preset contradict each other.
static LogicalResult checkTogether(Location loc, const llvm::StringSet<> &parts) {
  for (auto [one, other] : {std::pair("dp", "dnp"), std::pair("or", "er")})
    if (parts.contains(one) && parts.contains(other))
      return emitError(loc) << "'" << one << "' and '" << other << "' exclude each other";
  if (parts.contains("baseline") && parts.size() > 1)
    return emitError(loc) << "'baseline' changes nothing and goes with nothing else";
  return success();
}

FailureOr<llvm::StringSet<>> ScaleStrategy::parsePreset() {
  Location loc = getOperation().getLoc();
  llvm::StringSet<> parts;
  SmallVector<StringRef> words;
  StringRef(preset).split(words, '+');
  for (StringRef word : words) {
    if (word == "unified")
      for (StringRef part : {"hg", "dnp", "or", "iwd"})
        parts.insert(part);
    else if (llvm::is_contained({"baseline", "hg", "dp", "dnp", "or", "er", "iwd"}, word))
      parts.insert(word);
    else
      return emitError(loc) << "there is no strategy '" << word
                            << "'; expected baseline, hg, dp, dnp, or, er, iwd or unified, or "
                               "several joined by +";
  }
  if (failed(checkTogether(loc, parts)))
    return failure();
  return parts;
}

// A vector is split before it is placed and placed before it is
// reparameterized, so that each step finds all the vectors there will be; groups
// are decided when all parameters are there.
void ScaleStrategy::buildPipeline(OpPassManager &pm, const llvm::StringSet<> &parts) {
  if (parts.contains("hg"))
    pm.addPass(createSplitScale());
  if (parts.contains("dp") || parts.contains("dnp")) {
    RelocateScaleOptions options;
    options.to = parts.contains("dp") ? "dual" : "dual-norm";
    options.normAxis = normAxis;
    pm.addPass(createRelocateScale(options));
  }
  if (parts.contains("or") || parts.contains("er")) {
    ReparameterizeScaleOptions options;
    options.form = parts.contains("or") ? "original" : "exponential";
    pm.addPass(createReparameterizeScale(options));
  }
  if (parts.contains("iwd"))
    pm.addPass(createTagDecay());
}

void ScaleStrategy::runOnOperation() {
  FailureOr<llvm::StringSet<>> parts = parsePreset();
  if (failed(parts))
    return signalPassFailure();
  OpPassManager pm(ModuleOp::getOperationName());
  buildPipeline(pm, *parts);
  if (failed(runPipeline(pm, getOperation())))
    signalPassFailure();
}
