//===- ModelInterface.cpp - What a model graph takes and has --------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Compiler/ModelInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/Weights.h"
#include "vernier/Model/ParameterTable.h"
#include "vernier/Model/Vernier.h"
#include "vernier/Scale/AppliedScales.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace vernier;

static runtime::Initializer convertInitializer(Attribute attribute) {
  using Kind = runtime::Initializer::Kind;
  if (auto constant = dyn_cast<ConstantInitAttr>(attribute))
    return {Kind::Constant, constant.getValue().getValueAsDouble(), 0};
  if (auto normal = dyn_cast<NormalInitAttr>(attribute))
    return {Kind::Normal, normal.getMean().getValueAsDouble(), normal.getStd().getValueAsDouble()};
  auto residual = cast<ResidualNormalInitAttr>(attribute);
  double std = residual.getStd().getValueAsDouble() / std::sqrt(2.0 * residual.getLayers());
  return {Kind::Normal, 0, std};
}

static runtime::Parameter convertParameter(ParamOp op, const ParameterExplanation &explanation) {
  runtime::Parameter parameter;
  parameter.name = op.getSymName().str();
  parameter.shape = op.getTensorType().getShape().vec();
  parameter.kind = stringifyParamKind(op.getKind()).str();
  parameter.site = explanation.site;
  parameter.optimizer = stringifyOptimizerGroup(op.getOptimizer()).str();
  parameter.decays = op.getDecay() != DecayGroup::None;
  parameter.decayToward = op.getDecayToward().convertToDouble();
  parameter.reason = explanation.why;
  parameter.initializer = convertInitializer(op.getInitializer());
  for (StoredAttr stored : op.getStored().getAsRange<StoredAttr>())
    parameter.stored.push_back({stored.getName().str(), stored.getBegin(), stored.getEnd()});
  return parameter;
}

static runtime::ScaleVector convertScale(const AppliedScale &applied,
                                         ArrayRef<runtime::Parameter> parameters) {
  runtime::ScaleVector vector;
  vector.name = applied.label;
  vector.site = applied.site;
  vector.branches = applied.branches;
  vector.layer = applied.layer.value_or(-1);
  if (applied.form)
    vector.form = stringifyScaleForm(*applied.form).str();
  if (applied.magnitude)
    vector.magnitude =
        llvm::find_if(parameters, [&](auto &p) { return p.name == *applied.magnitude; }) -
        parameters.begin();
  return vector;
}

/// The sizes of @loss(%ids: tensor<BxTxi32>, %targets: tensor<BxTxi32>).
static LogicalResult readShape(ModuleOp model, func::FuncOp loss, ModelInterface &result) {
  if (loss.getNumArguments() != 2)
    return loss.emitError("expected arguments ids and targets, found ")
           << loss.getNumArguments() << " arguments";
  for (Type type : loss.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getRank() != 2 || !tensor.hasStaticShape() ||
        !tensor.getElementType().isInteger(32))
      return loss.emitError("expected ids and targets of type tensor<BxTxi32>, found ") << type;
    result.batch = tensor.getDimSize(0);
    result.sequence = tensor.getDimSize(1);
  }
  if (loss.getArgumentTypes()[0] != loss.getArgumentTypes()[1])
    return loss.emitError("expected ids and targets of one type, found ")
           << loss.getArgumentTypes()[0] << " and " << loss.getArgumentTypes()[1];
  return success();
}

static LogicalResult readVocabulary(func::FuncOp loss, ModelInterface &result) {
  result.vocabulary = std::numeric_limits<int64_t>::max();
  bool hasLoss = false;
  WalkResult walk = loss.walk([&](Operation *op) {
    if (auto embedding = dyn_cast<EmbeddingOp>(op)) {
      auto table = cast<RankedTensorType>(embedding.getTable().getType());
      result.vocabulary = std::min(result.vocabulary, table.getDimSize(0));
    }
    if (auto entropy = dyn_cast<CrossEntropyOp>(op)) {
      auto logits = cast<RankedTensorType>(entropy.getLogits().getType());
      result.vocabulary = std::min(result.vocabulary, logits.getShape().back());
      int32_t ignored = entropy.getIgnoreIndex();
      if (hasLoss && ignored != result.ignoreIndex) {
        op->emitError("ignores targets of ") << ignored << ", another loss " << result.ignoreIndex;
        return WalkResult::interrupt();
      }
      result.ignoreIndex = ignored;
      hasLoss = true;
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  if (!hasLoss)
    return loss.emitError("the graph has no loss: expected a vernier.cross_entropy in it");
  return success();
}

/// Whether the parameters can be saved: each stored tensor is one parameter, or
/// rows of several that follow each other.
static LogicalResult checkStored(ModuleOp model, ArrayRef<runtime::Parameter> parameters) {
  std::vector<runtime::ParameterValue> values;
  for (const runtime::Parameter &parameter : parameters)
    values.push_back({&parameter, runtime::StoredType::F32, {}});
  if (auto tensors = runtime::packWeights(values); !tensors)
    return model.emitError(llvm::toString(tensors.takeError()));
  return success();
}

FailureOr<ModelInterface> vernier::getModelInterface(ModuleOp model) {
  ModelInterface result;
  auto loss = model.lookupSymbol<func::FuncOp>("loss");
  if (!loss)
    return model.emitError("the graph has no loss: expected a function @loss(ids, targets)");
  if (failed(readShape(model, loss, result)) || failed(readVocabulary(loss, result)))
    return failure();
  std::vector<ParameterExplanation> explanations = explainParameters(model);
  for (auto [op, explanation] : llvm::zip_equal(model.getOps<ParamOp>(), explanations))
    result.parameters.push_back(convertParameter(op, explanation));
  for (const AppliedScale &applied : findAppliedScales(model))
    result.scaleVectors.push_back(convertScale(applied, result.parameters));
  if (failed(checkStored(model, result.parameters)))
    return failure();
  return result;
}
