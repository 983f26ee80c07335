//===- BuildEvaluate.cpp - The phases that only compute forward -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Training/Passes.h"
#include "vernier/Training/Phases.h"

namespace vernier {
#define GEN_PASS_DEF_BUILDEVALUATE
#include "vernier/Training/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

static void buildEvaluate(ModuleOp module, func::FuncOp forward) {
  PhaseBuilder phase(module, "evaluate", forward.getLoc());
  phase.addArgumentsOf(forward);
  phase.cloneBodyOf(forward);
  phase.addResult(phase.lookup(forward.getBody().front().getTerminator()->getOperand(0)),
                  SlotRole::Loss);
  phase.finish();
}

static void buildLogits(ModuleOp module, func::FuncOp forward, CrossEntropyOp loss) {
  PhaseBuilder phase(module, "logits", forward.getLoc());
  phase.addArgumentsOf(forward, {SlotRole::Targets, SlotRole::Divisor});
  phase.cloneBodyOf(forward);
  phase.addResult(phase.lookup(loss.getLogits()), SlotRole::Logits);
  phase.finish();
}

namespace {

struct BuildEvaluate : vernier::impl::BuildEvaluateBase<BuildEvaluate> {
  void runOnOperation() override {
    auto forward = findPhase(getOperation(), "forward", "vernier-split-loss");
    if (failed(forward))
      return signalPassFailure();
    SmallVector<CrossEntropyOp> losses(forward->getBody().front().getOps<CrossEntropyOp>());
    if (losses.size() != 1) {
      emitError(forward->getLoc())
          << "the logits are those of the only 'vernier.cross_entropy', but the "
             "loss has "
          << losses.size();
      return signalPassFailure();
    }
    buildEvaluate(getOperation(), *forward);
    buildLogits(getOperation(), *forward, losses.front());
  }
};

} // namespace
