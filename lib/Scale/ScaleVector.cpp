//===- ScaleVector.cpp - A scale operation and its parameters ---------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Scale/ScaleVector.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace vernier;

SmallVector<LinearOp> vernier::findFedLinears(Value value) {
  SmallVector<LinearOp> fed;
  for (OpOperand &use : value.getUses()) {
    auto linear = dyn_cast<LinearOp>(use.getOwner());
    if (!linear || use.getOperandNumber() != 0)
      return {};
    fed.push_back(linear);
  }
  llvm::sort(fed, [](LinearOp a, LinearOp b) { return a->isBeforeInBlock(b); });
  return fed;
}

/// What made the data of a scale, looking through scales and changes of shape.
static Operation *findScaled(ScaleOp scale) {
  Operation *op = scale.getInput().getDefiningOp();
  while (isa_and_nonnull<ScaleOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

/// The linear map whose result an output norm works on, if it is one.
static LinearOp findNormedLinear(Operation *norm) {
  Operation *op = norm->getOperand(0).getDefiningOp();
  while (isa_and_nonnull<ScaleOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return dyn_cast_if_present<LinearOp>(op);
}

ScalePlace vernier::locate(ScaleOp scale, const RoleAnalysis &roles) {
  ScalePlace place;
  place.site = stringify(NormSite::Other).str();
  Operation *scaled = findScaled(scale);
  LinearOp onBranch = dyn_cast_if_present<LinearOp>(scaled);
  if (isa_and_nonnull<RMSNormOp, LayerNormOp>(scaled)) {
    NormInfo norm = roles.getNorm(scaled);
    place.site = stringify(norm.site).str();
    place.layer = norm.layer;
    place.isBehindInputNorm = norm.role == NormRole::Input;
    onBranch = findNormedLinear(scaled);
  } else if (onBranch) {
    place.site = "branch-output";
    place.layer = roles.getLinear(onBranch).layer;
  }
  place.branches = findFedLinears(scale.getResult());
  place.feedsBranches = !place.branches.empty();
  if (!place.feedsBranches && onBranch)
    place.branches = {onBranch};
  return place;
}

bool vernier::isSelected(const ScalePlace &place, const Selection &selection,
                         const RoleAnalysis &roles) {
  if (!selection.hasSite(place.site) || !selection.hasLayer(place.layer))
    return false;
  return !selection.namesBranches() || llvm::any_of(place.branches, [&](LinearOp branch) {
    return selection.hasBranch(roles.getLinear(branch).role);
  });
}

std::string vernier::listUnselected(const ScalePlace &place, const Selection &selection,
                                    const RoleAnalysis &roles) {
  SmallVector<LinearOp> others;
  for (LinearOp branch : place.branches)
    if (!selection.hasBranch(roles.getLinear(branch).role))
      others.push_back(branch);
  return listBranches(others, roles);
}

std::string vernier::listBranches(ArrayRef<LinearOp> branches, const RoleAnalysis &roles) {
  return llvm::join(
      llvm::map_range(
          branches, [&](LinearOp branch) { return stringify(roles.getLinear(branch).role).str(); }),
      ", ");
}

/// Adds what `value` is computed by; false if that is not parameters alone.
static bool collect(Value value, llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op || !isPure(op) || op->getNumRegions() != 0)
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand, ops))
      return false;
  ops.insert(op);
  return true;
}

std::optional<ScaleVector> ScaleVector::find(ScaleOp scale) {
  llvm::SetVector<Operation *> ops;
  if (!collect(scale.getScale(), ops))
    return std::nullopt;
  ScaleVector vector;
  vector.ops.assign(ops.begin(), ops.end());
  return vector;
}

SmallVector<StringRef> ScaleVector::getParams() const {
  SmallVector<StringRef> names;
  for (Operation *op : ops)
    if (auto read = dyn_cast<GetParamOp>(op))
      names.push_back(read.getParam());
  return names;
}
