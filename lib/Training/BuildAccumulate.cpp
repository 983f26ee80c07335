//===- BuildAccumulate.cpp - The phases that run once a micro-batch -------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Training/Differentiation.h"
#include "vernier/Training/Passes.h"
#include "vernier/Training/Phases.h"

namespace vernier {
#define GEN_PASS_DEF_BUILDACCUMULATE
#include "vernier/Training/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

struct BuildAccumulate : vernier::impl::BuildAccumulateBase<BuildAccumulate> {
  void runOnOperation() override {
    auto forward = findPhase(getOperation(), "forward", "vernier-split-loss");
    if (failed(forward) || failed(checkRules(*forward)) ||
        failed(build(*forward, "accumulate_first", /*addsUp=*/false)) ||
        failed(build(*forward, "accumulate", /*addsUp=*/true)))
      signalPassFailure();
  }

private:
  LogicalResult checkRules(func::FuncOp forward);
  LogicalResult build(func::FuncOp forward, StringRef name, bool addsUp);
};

} // namespace

static bool isAtFrontier(SlotAttr slot) {
  return slot.getRole() == SlotRole::Param || slot.getRole() == SlotRole::Prepared;
}

static void addMissingRules(func::FuncOp function, SmallVectorImpl<MissingRule> &missing) {
  Block &body = function.getBody().front();
  auto forward = llvm::map_to_vector(body.without_terminator(), [](Operation &op) { return &op; });
  SmallVector<Value> arguments(body.getArguments());
  SmallVector<Value> results(body.getTerminator()->getOperands());
  llvm::append_range(missing, findMissingRules(forward, arguments, results));
}

// `@prepare` is differentiated later, but what it lacks belongs to the same error.
LogicalResult BuildAccumulate::checkRules(func::FuncOp forward) {
  SmallVector<MissingRule> missing;
  if (auto prepare = getOperation().lookupSymbol<func::FuncOp>("prepare"))
    addMissingRules(prepare, missing);
  addMissingRules(forward, missing);
  return reportMissingRules(missing, forward.getLoc(), "the loss");
}

LogicalResult BuildAccumulate::build(func::FuncOp forward, StringRef name, bool addsUp) {
  PhaseBuilder phase(getOperation(), name, forward.getLoc());
  phase.addArgumentsOf(forward);
  SmallVector<Value> frontier;
  SmallVector<StringRef> names;
  SmallVector<Seed> seeds;
  for (BlockArgument argument : forward.getArguments())
    if (SlotAttr slot = getArgumentSlot(forward, argument.getArgNumber()); isAtFrontier(slot)) {
      frontier.push_back(phase.getArgument(slot));
      names.push_back(slot.getName());
    }
  if (addsUp)
    for (auto [value, valueName] : llvm::zip_equal(frontier, names))
      seeds.push_back({value, phase.addArgument(value.getType(), SlotRole::Gradient, valueName,
                                                value.getLoc())});

  SmallVector<Operation *> ops = phase.cloneBodyOf(forward);
  OpBuilder &builder = phase.getBuilder();
  Value loss = phase.lookup(forward.getBody().front().getTerminator()->getOperand(0));
  Attribute one = DenseElementsAttr::get(cast<ShapedType>(loss.getType()), 1.0f);
  seeds.push_back({loss, arith::ConstantOp::create(builder, loss.getLoc(), cast<TypedAttr>(one))});
  auto gradients = differentiate(ops, frontier, seeds, builder, forward.getLoc(), "the loss");
  if (failed(gradients))
    return failure();

  phase.addResult(loss, SlotRole::Loss);
  for (auto [value, valueName, gradient] : llvm::zip_equal(frontier, names, *gradients))
    phase.addResult(gradient ? gradient : createZero(builder, value.getLoc(), value.getType()),
                    SlotRole::Gradient, valueName);
  phase.finish();
  return success();
}
