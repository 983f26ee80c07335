//===- BuildUpdate.cpp - The phases that turn gradients into new parameters -===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Training/Differentiation.h"
#include "vernier/Training/Passes.h"
#include "vernier/Training/Phases.h"
#include <limits>

namespace vernier {
#define GEN_PASS_DEF_BUILDUPDATE
#include "vernier/Training/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

struct BuildUpdate : vernier::impl::BuildUpdateBase<BuildUpdate> {
  using BuildUpdateBase::BuildUpdateBase;
  void runOnOperation() override;

private:
  LogicalResult checkOptions();
  LogicalResult buildGradients(func::FuncOp prepare, func::FuncOp forward);
  LogicalResult buildUpdate(func::FuncOp prepare, func::FuncOp forward);
  LogicalResult buildGroupNorms(func::FuncOp prepare, func::FuncOp forward);
  Value buildClipFactor(OpBuilder &builder, Location loc, Value norm);
  AdamWOp buildAdamW(PhaseBuilder &phase, ParamOp param, Value gradient, Value steps, Value rate,
                     Value clip);
};

/// State of the optimizer, in the order in which phases take it.
constexpr SlotRole stateRoles[] = {SlotRole::Param, SlotRole::FirstMoment, SlotRole::SecondMoment,
                                   SlotRole::Steps};

} // namespace

static RankedTensorType getCountType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 64));
}

static void addStateArguments(PhaseBuilder &phase, ArrayRef<ParamOp> params, SlotRole role) {
  for (ParamOp param : params) {
    Type type = role == SlotRole::Steps ? getCountType(param.getContext()) : param.getType();
    phase.addArgument(type, role, param.getSymName(), param.getLoc());
  }
}

static void addGradientArguments(PhaseBuilder &phase, func::FuncOp forward) {
  for (BlockArgument argument : forward.getArguments()) {
    SlotAttr slot = getArgumentSlot(forward, argument.getArgNumber());
    if (slot.getRole() == SlotRole::Param || slot.getRole() == SlotRole::Prepared)
      phase.addArgument(argument.getType(), SlotRole::Gradient, slot.getName().getValue(),
                        argument.getLoc());
  }
}

// From the gradients at the frontier, which are arguments of `phase`, to those
// of `params`: a parameter has one of its own there, one through `prepare`, or
// both.
static FailureOr<SmallVector<Value>> buildParamGradients(PhaseBuilder &phase, func::FuncOp prepare,
                                                         ArrayRef<ParamOp> params) {
  SmallVector<Value> values;
  SmallVector<Seed> seeds;
  for (ParamOp param : params) {
    values.push_back(phase.getArgument(phase.getSlot(SlotRole::Param, param.getSymName())));
    if (Value own = phase.getArgument(phase.getSlot(SlotRole::Gradient, param.getSymName())))
      seeds.push_back({values.back(), own});
  }
  SmallVector<Operation *> ops = phase.cloneBodyOf(prepare);
  Operation *terminator = prepare.getBody().front().getTerminator();
  for (auto [index, result] : llvm::enumerate(terminator->getOperands())) {
    StringRef name = getResultSlot(prepare, index).getName();
    seeds.push_back(
        {phase.lookup(result), phase.getArgument(phase.getSlot(SlotRole::Gradient, name))});
  }
  OpBuilder &builder = phase.getBuilder();
  auto gradients = differentiate(ops, values, seeds, builder, prepare.getLoc(), "what is prepared");
  if (failed(gradients))
    return failure();
  for (auto [value, gradient] : llvm::zip_equal(values, *gradients))
    if (!gradient)
      gradient = createZero(builder, value.getLoc(), value.getType());
  return gradients;
}

// The beginning of a phase that takes parameters and gradients at the frontier,
// and nothing else: gives the gradients of `params`.
static FailureOr<SmallVector<Value>> startFromGradients(PhaseBuilder &phase, func::FuncOp prepare,
                                                        func::FuncOp forward,
                                                        ArrayRef<ParamOp> params) {
  addStateArguments(phase, params, SlotRole::Param);
  addGradientArguments(phase, forward);
  return buildParamGradients(phase, prepare, params);
}

LogicalResult BuildUpdate::buildGradients(func::FuncOp prepare, func::FuncOp forward) {
  SmallVector<ParamOp> params(getOperation().getOps<ParamOp>());
  PhaseBuilder phase(getOperation(), "gradients", prepare.getLoc());
  auto gradients = startFromGradients(phase, prepare, forward, params);
  if (failed(gradients))
    return failure();
  for (auto [param, gradient] : llvm::zip_equal(params, *gradients))
    phase.addResult(gradient, SlotRole::ParamGradient, param.getSymName());
  phase.finish();
  return success();
}

// The norms of groups of gradients, where there is a function that computes
// them. Not results of `update`: a step whose norms nobody asks for has no launches
// for them, and the same kernels and places as ever.
LogicalResult BuildUpdate::buildGroupNorms(func::FuncOp prepare, func::FuncOp forward) {
  auto norms = getOperation().lookupSymbol<func::FuncOp>(groupNormsFunctionName);
  if (!norms)
    return success();
  SmallVector<ParamOp> params(getOperation().getOps<ParamOp>());
  PhaseBuilder phase(getOperation(), "gradient_norms", prepare.getLoc());
  auto gradients = startFromGradients(phase, prepare, forward, params);
  if (failed(gradients))
    return failure();
  for (auto [param, gradient] : llvm::zip_equal(params, *gradients))
    phase.define(phase.getSlot(SlotRole::ParamGradient, param.getSymName()), gradient);
  phase.cloneBodyOf(norms);
  Operation *terminator = norms.getBody().front().getTerminator();
  for (auto [index, result] : llvm::enumerate(terminator->getOperands()))
    phase.addResult(phase.lookup(result), getResultSlot(norms, index));
  phase.finish();
  return success();
}

// Without clipping any norm is small enough, and the factor 1. The factor depends on the norm all
// the same: no state is overwritten before the norm is known to be finite.
Value BuildUpdate::buildClipFactor(OpBuilder &builder, Location loc, Value norm) {
  auto type = RankedTensorType::get({}, builder.getF32Type());
  double limit = clipNorm > 0 ? clipNorm : std::numeric_limits<double>::max();
  return ClipFactorOp::create(builder, loc, type, norm, builder.getF64FloatAttr(limit));
}

AdamWOp BuildUpdate::buildAdamW(PhaseBuilder &phase, ParamOp param, Value gradient, Value steps,
                                Value rate, Value clip) {
  OpBuilder &builder = phase.getBuilder();
  auto state = [&](SlotRole role) {
    return phase.getArgument(phase.getSlot(role, param.getSymName()));
  };
  auto f64 = [&](double value) { return builder.getF64FloatAttr(value); };
  bool decays = param.getDecay() == DecayGroup::Decay;
  double toward = decays ? param.getDecayToward().convertToDouble() : 0.0;
  Type type = param.getType();
  return AdamWOp::create(builder, param.getLoc(), type, type, type, state(SlotRole::Param),
                         state(SlotRole::FirstMoment), state(SlotRole::SecondMoment), gradient,
                         steps, rate, clip, f64(beta1), f64(beta2), f64(epsilon),
                         f64(decays ? weightDecay : 0.0), f64(toward));
}

LogicalResult BuildUpdate::buildUpdate(func::FuncOp prepare, func::FuncOp forward) {
  SmallVector<ParamOp> params(getOperation().getOps<ParamOp>());
  Location loc = prepare.getLoc();
  PhaseBuilder phase(getOperation(), "update", loc);
  OpBuilder &builder = phase.getBuilder();
  for (SlotRole role : stateRoles)
    addStateArguments(phase, params, role);
  addGradientArguments(phase, forward);
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  Value rate = phase.addArgument(scalar, SlotRole::Rate, "", loc);
  auto gradients = buildParamGradients(phase, prepare, params);
  if (failed(gradients))
    return failure();

  auto f64 = RankedTensorType::get({}, builder.getF64Type());
  Value norm = GlobalNormOp::create(builder, loc, f64, *gradients);
  Value clip = buildClipFactor(builder, loc, norm);
  auto count = DenseElementsAttr::get(getCountType(&getContext()), int64_t(1));
  Value one = arith::ConstantOp::create(builder, loc, count);
  SmallVector<Value> next[std::size(stateRoles)];
  for (auto [param, gradient] : llvm::zip_equal(params, *gradients)) {
    Value before = phase.getArgument(phase.getSlot(SlotRole::Steps, param.getSymName()));
    Value steps = arith::AddIOp::create(builder, param.getLoc(), before, one);
    AdamWOp step = buildAdamW(phase, param, gradient, steps, rate, clip);
    for (unsigned i = 0; i < 3; ++i)
      next[i].push_back(step.getResult(i));
    next[3].push_back(steps);
  }

  phase.addResult(norm, SlotRole::GradientNorm);
  phase.addResult(clip, SlotRole::ClipFactor);
  for (auto [role, values] : llvm::zip_equal(stateRoles, next))
    for (auto [param, value] : llvm::zip_equal(params, values))
      phase.addResult(value, role, param.getSymName());
  phase.finish();
  return success();
}

LogicalResult BuildUpdate::checkOptions() {
  auto check = [&](StringRef name, double value, bool isValid, StringRef expected) {
    if (isValid)
      return success();
    return LogicalResult(emitError(getOperation().getLoc())
                         << "option '" << name << "' must be " << expected << ", but is " << value);
  };
  auto isFraction = [](double beta) { return beta >= 0 && beta < 1; };
  auto isNotNegative = [](double value) { return value >= 0 && std::isfinite(value); };
  return success(
      succeeded(check("beta1", beta1, isFraction(beta1), "at least 0 and below 1")) &&
      succeeded(check("beta2", beta2, isFraction(beta2), "at least 0 and below 1")) &&
      succeeded(check("epsilon", epsilon, isNotNegative(epsilon) && epsilon > 0, "positive")) &&
      succeeded(check("weight-decay", weightDecay, isNotNegative(weightDecay), "at least 0")) &&
      succeeded(check("clip-norm", clipNorm, isNotNegative(clipNorm), "at least 0")));
}

void BuildUpdate::runOnOperation() {
  auto prepare = findPhase(getOperation(), "prepare", "vernier-split-loss");
  auto forward = findPhase(getOperation(), "forward", "vernier-split-loss");
  if (failed(checkOptions()) || failed(prepare) || failed(forward) ||
      failed(buildUpdate(*prepare, *forward)) || failed(buildGradients(*prepare, *forward)) ||
      failed(buildGroupNorms(*prepare, *forward)))
    signalPassFailure();
}
