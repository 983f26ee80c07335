//===- WeightFolding.cpp - Scale vectors into weights -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightFolding.h"

using namespace mlir;
using namespace vernier;

namespace {

/// A scale vector as it is multiplied into parameters.
struct Factor {
  Value vector;   ///< in @vernier.values
  APFloat offset; ///< added to it
  double start;   ///< of all entries, offset included
};

} // namespace

/// An operation other than `branch` that reads a parameter.
static Operation *findOtherUser(ModelEditor &editor, StringRef param, LinearOp branch) {
  for (GetParamOp read : editor.collect<GetParamOp>())
    if (read.getParam() == param)
      for (Operation *user : read->getUsers())
        if (user != branch)
          return user;
  return branch;
}

/// Why an operand of a linear map cannot be multiplied; empty if it can.
static std::string findObstacle(ModelEditor &editor, LinearOp branch, Value operand,
                                StringRef what) {
  auto read = operand.getDefiningOp<GetParamOp>();
  if (!read)
    return ("the " + what + " is not a parameter").str();
  StringRef param = read.getParam();
  if (unsigned uses = editor.countUses(param); uses > 1)
    return ("'" + param + "' has " + llvm::Twine(uses) + " uses, " +
            findOtherUser(editor, param, branch)->getName().getStringRef() + " among them")
        .str();
  return "";
}

static std::string findObstacle(ModelEditor &editor, LinearOp branch, bool withBias) {
  std::string obstacle = findObstacle(editor, branch, branch.getWeight(), "weight");
  if (withBias && branch.getBias() && obstacle.empty())
    return findObstacle(editor, branch, branch.getBias(), "bias");
  return obstacle;
}

static std::optional<Factor> findFactor(ModelEditor &editor, ScaleOp scale, std::string &obstacle) {
  std::optional<ScaleVector> vector = ScaleVector::find(scale);
  if (!vector) {
    obstacle = "its vector is not a parameter";
    return std::nullopt;
  }
  std::optional<double> start = getStartValue(scale, [&](StringRef p) { return editor.lookup(p); });
  if (!start) {
    obstacle = "'" + vector->getParams().front().str() + "' does not start with one value";
    return std::nullopt;
  }
  return Factor{editor.computeValue(*vector), scale.getOffset(), *start};
}

/// Entries that are `factor` times what the initializer gives.
static Attribute scaleStart(Attribute initializer, double factor) {
  auto times = [&](FloatAttr value, double by) {
    return FloatAttr::get(value.getType(), value.getValueAsDouble() * by);
  };
  MLIRContext *context = initializer.getContext();
  if (auto constant = dyn_cast<ConstantInitAttr>(initializer))
    return ConstantInitAttr::get(context, times(constant.getValue(), factor));
  double size = std::abs(factor);
  if (auto normal = dyn_cast<NormalInitAttr>(initializer))
    return NormalInitAttr::get(context, times(normal.getMean(), factor),
                               times(normal.getStd(), size));
  auto residual = cast<ResidualNormalInitAttr>(initializer);
  return ResidualNormalInitAttr::get(context, times(residual.getStd(), size), residual.getLayers());
}

static void setValue(ModelEditor &editor, ParamOp param, Value value, double factor) {
  editor.getValues().set(param, value);
  param.setInitializerAttr(scaleStart(param.getInitializer(), factor));
}

static void multiplyColumns(ModelEditor &editor, ParamOp param, const Factor &factor) {
  ParameterValues &values = editor.getValues();
  Value scaled = ScaleOp::create(values.getBuilder(), values.getLoc(), param.getTensorType(),
                                 values.get(param), factor.vector, factor.offset);
  setValue(editor, param, scaled, factor.start);
}

static void multiplyRows(ModelEditor &editor, ParamOp param, const Factor &factor) {
  ParameterValues &values = editor.getValues();
  Value scaled = ScaleRowsOp::create(values.getBuilder(), values.getLoc(), param.getTensorType(),
                                     values.get(param), factor.vector, factor.offset);
  setValue(editor, param, scaled, factor.start);
}

static ParamOp paramOf(ModelEditor &editor, Value read) {
  return editor.lookup(read.getDefiningOp<GetParamOp>().getParam());
}

std::string vernier::foldIntoWeight(ModelEditor &editor, ScaleOp scale, LinearOp branch) {
  std::string obstacle = findObstacle(editor, branch, /*withBias=*/false);
  if (!obstacle.empty())
    return obstacle;
  std::optional<Factor> factor = findFactor(editor, scale, obstacle);
  if (!factor)
    return obstacle;
  multiplyColumns(editor, paramOf(editor, branch.getWeight()), *factor);
  branch.getInputMutable().assign(scale.getInput());
  return "";
}

static std::string foldIntoInputs(ModelEditor &editor, ScaleOp scale, ArrayRef<LinearOp> branches) {
  for (LinearOp branch : branches)
    if (std::string obstacle = findObstacle(editor, branch, false); !obstacle.empty())
      return obstacle;
  for (LinearOp branch : branches)
    if (std::string obstacle = foldIntoWeight(editor, scale, branch); !obstacle.empty())
      return obstacle; // of the vector: the same for each, so at the first
  return "";
}

static std::string foldIntoOutput(ModelEditor &editor, ScaleOp scale, LinearOp branch) {
  if (!branch->hasOneUse())
    return "the linear map's result has other uses";
  std::string obstacle = findObstacle(editor, branch, /*withBias=*/true);
  if (!obstacle.empty())
    return obstacle;
  std::optional<Factor> factor = findFactor(editor, scale, obstacle);
  if (!factor)
    return obstacle;
  multiplyRows(editor, paramOf(editor, branch.getWeight()), *factor);
  if (branch.getBias())
    multiplyColumns(editor, paramOf(editor, branch.getBias()), *factor);
  scale.replaceAllUsesWith(branch.getResult());
  return "";
}

/// What there is where a linear map would have to be.
static std::string describeNeighbours(ScaleOp scale) {
  Operation *before = scale.getInput().getDefiningOp();
  std::string text = before ? before->getName().getStringRef().str() : "an argument";
  text += " stands before it";
  for (OpOperand &use : scale->getUses())
    if (!isa<LinearOp>(use.getOwner()) || use.getOperandNumber() != 0)
      return text + ", " + use.getOwner()->getName().getStringRef().str() + " behind it";
  return text;
}

std::string vernier::foldIntoWeights(ModelEditor &editor, ScaleOp scale) {
  std::string obstacle;
  SmallVector<LinearOp> fed = findFedLinears(scale.getResult());
  if (!fed.empty()) {
    obstacle = foldIntoInputs(editor, scale, fed);
    if (obstacle.empty())
      return "";
  }
  if (auto branch = scale.getInput().getDefiningOp<LinearOp>())
    return foldIntoOutput(editor, scale, branch);
  if (!obstacle.empty())
    return obstacle;
  return "no linear map stands directly before or behind it: " + describeNeighbours(scale);
}
