//===- BuildStatistics.cpp - What a run says about its parameters ---------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Scale/AppliedScales.h"
#include "vernier/Training/Passes.h"
#include "vernier/Training/Phases.h"
#include "llvm/ADT/MapVector.h"

namespace vernier {
#define GEN_PASS_DEF_BUILDSTATISTICS
#include "vernier/Training/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

// In the order of the module, as all phases take parameters.
static IRMapping addParameters(PhaseBuilder &phase, ModuleOp module,
                               ArrayRef<AppliedScale> scales) {
  llvm::StringMap<SmallVector<GetParamOp>> reads;
  for (const AppliedScale &scale : scales)
    for (Operation *op : scale.vector.getOps())
      if (auto read = dyn_cast<GetParamOp>(op))
        reads[read.getParam()].push_back(read);
  IRMapping mapping;
  for (ParamOp param : module.getOps<ParamOp>()) {
    auto found = reads.find(param.getSymName());
    if (found == reads.end())
      continue;
    Value argument =
        phase.addArgument(param.getType(), SlotRole::Param, param.getSymName(), param.getLoc());
    for (GetParamOp read : found->getValue())
      mapping.map(read.getResult(), argument);
  }
  return mapping;
}

static Value addOffset(OpBuilder &builder, Location loc, Value vector, double offset) {
  if (offset == 0)
    return vector;
  auto type = cast<RankedTensorType>(vector.getType());
  auto entries =
      DenseElementsAttr::get(type, builder.getFloatAttr(type.getElementType(), offset).getValue());
  Value constant = arith::ConstantOp::create(builder, loc, entries);
  return AddOp::create(builder, loc, type, vector, constant);
}

// Computes each vector as the model does, from parameters alone.
static void buildScales(ModuleOp module) {
  std::vector<AppliedScale> scales = findAppliedScales(module);
  PhaseBuilder phase(module, "scales", module.getLoc());
  IRMapping mapping = addParameters(phase, module, scales);
  OpBuilder &builder = phase.getBuilder();
  for (const AppliedScale &scale : scales) {
    for (Operation *op : scale.vector.getOps())
      if (!isa<GetParamOp>(op))
        builder.clone(*op, mapping);
    Value vector =
        addOffset(builder, scale.value.getLoc(), mapping.lookup(scale.value), scale.offset);
    phase.addResult(vector, SlotRole::ScaleVector, scale.label);
  }
  phase.finish();
}

// From the gradients of all parameters, whatever they come through, to norms:
// the part of a phase that needs no adjoints.
static void buildGroupNorms(ModuleOp module) {
  PhaseBuilder phase(module, groupNormsFunctionName, module.getLoc());
  phase.getFunction().setPrivate();
  llvm::MapVector<StringRef, SmallVector<Value>> gradients;
  std::vector<std::string> groups = findParameterGroups(module);
  for (auto [param, group] : llvm::zip_equal(module.getOps<ParamOp>(), groups))
    gradients[group].push_back(phase.addArgument(param.getType(), SlotRole::ParamGradient,
                                                 param.getSymName(), param.getLoc()));
  OpBuilder &builder = phase.getBuilder();
  auto f64 = RankedTensorType::get({}, builder.getF64Type());
  for (auto &[group, values] : gradients)
    phase.addResult(GlobalNormOp::create(builder, module.getLoc(), f64, values),
                    SlotRole::GroupNorm, group);
  phase.finish();
}

namespace {

struct BuildStatistics : vernier::impl::BuildStatisticsBase<BuildStatistics> {
  void runOnOperation() override {
    if (getOperation().lookupSymbol("scales"))
      return markAllAnalysesPreserved(); // made before the graph was changed further
    buildScales(getOperation());
    buildGroupNorms(getOperation());
  }
};

} // namespace
