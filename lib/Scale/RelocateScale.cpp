//===- RelocateScale.cpp - Scale vectors before, behind, around linear maps --===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightFolding.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "vernier/Scale/Passes.h"

namespace vernier {
#define GEN_PASS_DEF_RELOCATESCALE
#include "vernier/Scale/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

/// One linear map and the scales around it.
class Branch {
public:
  Branch(ModelEditor &editor, LinearOp linear)
      : editor(editor), linear(linear), info(editor.getRoles().getLinear(linear)) {}

  // Each puts the scales where the name says. Returns why that is not possible;
  // empty if done.
  std::string toOutput();
  std::string toInput();
  std::string toDual();
  std::string toDualNorm(bool perHead, double epsilon);

private:
  ScaleOp getInput() { return linear.getInput().getDefiningOp<ScaleOp>(); }
  ScaleOp getOutput();
  bool isNormed();
  double findEpsilon();
  void addInput();
  void addOutput(Value behind) {
    insertScaleAfter(editor, behind, nameAtBranch(linear, info, "output_scale"), 1.0);
  }

  ModelEditor &editor;
  LinearOp linear;
  LinearInfo info;
};

struct RelocateScale : vernier::impl::RelocateScaleBase<RelocateScale> {
  using RelocateScaleBase::RelocateScaleBase;
  void runOnOperation() override;

private:
  LogicalResult checkOptions();
  std::string relocate(Branch branch, bool hasHeads);
};

} // namespace

/// The only user of a value, if it reads it as its data.
static Operation *findOnlyUser(Value value) {
  return value.hasOneUse() && value.use_begin()->getOperandNumber() == 0 ? *value.user_begin()
                                                                         : nullptr;
}

ScaleOp Branch::getOutput() { return dyn_cast_if_present<ScaleOp>(findOnlyUser(linear)); }

/// Whether a norm works on the result, per head or not.
bool Branch::isNormed() {
  Operation *user = findOnlyUser(linear);
  while (isa_and_nonnull<ScaleOp, tensor::ExpandShapeOp>(user))
    user = findOnlyUser(user->getResult(0));
  return isa_and_nonnull<RMSNormOp, LayerNormOp>(user);
}

/// That of the norm before the linear map.
double Branch::findEpsilon() {
  Operation *op = linear.getInput().getDefiningOp();
  while (isa_and_nonnull<ScaleOp>(op))
    op = op->getOperand(0).getDefiningOp();
  if (auto norm = dyn_cast_if_present<RMSNormOp>(op))
    return norm.getEpsilon().convertToDouble();
  if (auto norm = dyn_cast_if_present<LayerNormOp>(op))
    return norm.getEpsilon().convertToDouble();
  return 1e-5;
}

void Branch::addInput() {
  auto type = cast<RankedTensorType>(linear.getInput().getType());
  ParamOp param = editor.addScale(nameAtBranch(linear, info, "input_scale"), type.getShape().back(),
                                  1.0, editor.findParamBefore(linear), linear.getLoc());
  Value vector = editor.read(param, linear);
  OpBuilder builder(linear);
  auto scale =
      ScaleOp::create(builder, linear.getLoc(), type, linear.getInput(), vector, APFloat(0.0));
  linear.getInputMutable().assign(scale.getResult());
}

std::string Branch::toOutput() {
  ScaleOp input = getInput();
  if (!input && getOutput())
    return "stands at the output already";
  if (input) {
    int64_t branches = findFedLinears(input.getResult()).size();
    if (std::string obstacle = foldIntoWeight(editor, input, linear); !obstacle.empty())
      return obstacle;
    std::optional<ScaleVector> vector = ScaleVector::find(input);
    if (branches > 1 && editor.findSharing(*vector).empty())
      editor.keepShare(*vector, branches - 1, branches);
  }
  if (!getOutput())
    addOutput(linear.getResult());
  return "";
}

std::string Branch::toInput() {
  ScaleOp output = getOutput();
  if (!output && isNormed())
    return "a norm stands behind the linear map";
  if (!output && getInput())
    return "stands at the input already";
  if (output) {
    if (std::string obstacle = foldIntoWeights(editor, output); !obstacle.empty())
      return obstacle;
  }
  if (!getInput())
    addInput();
  return "";
}

std::string Branch::toDual() {
  if (getInput() && getOutput())
    return "stands at both sides already";
  if (!getInput())
    addInput();
  if (!getOutput())
    addOutput(linear.getResult());
  return "";
}

std::string Branch::toDualNorm(bool perHead, double epsilon) {
  if (isNormed())
    return "its result is normalized already";
  Value normed = linear.getResult();
  if (perHead) {
    auto heads = dyn_cast_if_present<tensor::ExpandShapeOp>(findOnlyUser(linear));
    if (!heads)
      return "its result is not divided into heads directly";
    normed = heads.getResult();
  }
  bool hasOutput = !perHead && getOutput();
  if (!getInput())
    addInput();
  OpBuilder builder(linear.getContext());
  builder.setInsertionPointAfterValue(normed);
  auto norm = RMSNormOp::create(builder, linear.getLoc(), normed.getType(), normed,
                                APFloat(epsilon > 0 ? epsilon : findEpsilon()));
  normed.replaceAllUsesExcept(norm.getResult(), norm);
  if (!hasOutput)
    addOutput(norm.getResult());
  return "";
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool isAttentionBranch(LinearRole role) {
  return role == LinearRole::Query || role == LinearRole::Key || role == LinearRole::Value;
}

/// The site of the norm that such a branch is behind.
static NormSite siteOf(LinearRole role) {
  if (isAttentionBranch(role))
    return NormSite::AttentionInput;
  if (role == LinearRole::Gate || role == LinearRole::Up)
    return NormSite::FFNInput;
  return role == LinearRole::Head ? NormSite::Final : NormSite::Other;
}

std::string RelocateScale::relocate(Branch branch, bool hasHeads) {
  if (to == "output")
    return branch.toOutput();
  if (to == "input")
    return branch.toInput();
  if (to == "dual")
    return branch.toDual();
  return branch.toDualNorm(hasHeads && normAxis == "head", epsilon);
}

LogicalResult RelocateScale::checkOptions() {
  Location loc = getOperation().getLoc();
  if (!llvm::is_contained({"input", "output", "dual", "dual-norm"}, to))
    return emitError(loc) << "there is no place '" << to
                          << "' for a scale; expected input, output, dual or dual-norm";
  if (!llvm::is_contained({"vector", "head"}, normAxis))
    return emitError(loc) << "there is no norm-axis '" << normAxis << "'; expected vector or head";
  if (!(epsilon >= 0 && std::isfinite(epsilon)))
    return emitError(loc) << "option 'epsilon' must be positive, or 0 for that of the norm before, "
                             "but is "
                          << epsilon;
  return success();
}

void RelocateScale::runOnOperation() {
  ModuleOp module = getOperation();
  SelectionOptions options{sites, branches, layers};
  if (options.branches.empty())
    options.branches = {"q", "k", "v", "gate", "up"};
  auto selection = Selection::parse(module.getLoc(), options);
  if (failed(selection) || failed(checkOptions()))
    return signalPassFailure();
  ModelEditor editor(module, *this);
  for (LinearOp linear : editor.collect<LinearOp>()) {
    LinearInfo info = editor.getRoles().getLinear(linear);
    if (!selection->hasBranch(info.role) || !selection->hasLayer(info.layer) ||
        !selection->hasSite(stringify(siteOf(info.role))))
      continue;
    StringRef name = stringify(info.role);
    std::string obstacle = relocate(Branch(editor, linear), isAttentionBranch(info.role));
    if (!obstacle.empty()) {
      editor.declined(linear, "scale of " + name + " not relocated: " + obstacle);
      continue;
    }
    ++numRelocated;
    if (to == "dual-norm")
      editor.changesFunction();
    editor.done(linear, "scale of " + name + " relocated to " + to +
                            (to == "dual-norm" ? ", which changes the function" : ""));
  }
  editor.finish();
  if (editor.getNumDone() == 0)
    markAllAnalysesPreserved();
}
