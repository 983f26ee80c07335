//===- FormKernels.cpp - Operations become row kernels -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "vernier/Program/Passes.h"
#include "vernier/Program/Patterns.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace vernier::program {
#define GEN_PASS_DEF_FORMKERNELS
#include "vernier/Program/Passes.h.inc"
} // namespace vernier::program

void program::populateFormKernelPatterns(RewritePatternSet &patterns) {
  populateFormElementwisePatterns(patterns);
  populateFormGluPatterns(patterns);
  populateFormNormPatterns(patterns);
  populateFormScaleFormPatterns(patterns);
  populateFormLossPatterns(patterns);
  populateFormOptimizerPatterns(patterns);
}

/// An error for an operation that occurs where values follow rewrites, which the
/// reference evaluator computes.
static LogicalResult checkHasKernel(Operation *op) {
  auto grad = dyn_cast<ScaleFromDirectionGradOp>(op);
  if (isa<ScaleToDirectionOp>(op) || (grad && grad.getSquared()))
    return op->emitOpError() << (grad ? "with 'squared' " : "")
                             << "has no kernel: it is evaluated, not compiled";
  return success();
}

namespace {

struct FormKernels : public program::impl::FormKernelsBase<FormKernels> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    WalkResult checked =
        getOperation().walk([](Operation *op) { return WalkResult(checkHasKernel(op)); });
    if (checked.wasInterrupted())
      return signalPassFailure();
    RewritePatternSet form(context);
    populateFormKernelPatterns(form);
    walkAndApplyPatterns(getOperation(), std::move(form));

    // Constants go into the kernels that read them; a kernel is made of those
    // that something else reads (the zero that an embedding's gradient adds to).
    RewritePatternSet simplify(context);
    populateSimplifyRowsPatterns(simplify);
    SmallVector<Operation *> kernels;
    getOperation().walk([&](RowsOp rows) { kernels.push_back(rows); });
    // Not the operations of their bodies: those are many, and simple already.
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(kernels, std::move(simplify), config)))
      return signalPassFailure();
    RewritePatternSet fill(context);
    populateFormConstantPatterns(fill);
    walkAndApplyPatterns(getOperation(), std::move(fill));
  }
};

} // namespace
