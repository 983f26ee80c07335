//===- ReferenceEngine.cpp - Trains by the evaluator ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Compiler/ReferenceEngine.h"
#include "mlir/Pass/PassManager.h"
#include "vernier/Training/Passes.h"
#include "vernier/Training/Phases.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace vernier;
using llvm::Error;
using llvm::Expected;
using reference::Tensor;
using runtime::makeError;

//===----------------------------------------------------------------------===//
// Creation and state
//===----------------------------------------------------------------------===//

ReferenceEngine::ReferenceEngine(OwningOpRef<ModuleOp> newModule,
                                 std::vector<runtime::Parameter> newParameters,
                                 reference::Precision precision)
    : module(std::move(newModule)), parameters(std::move(newParameters)),
      isRounding(precision == reference::Precision::Rounded),
      evaluator(*module, noParams, precision), steps(parameters.size(), std::vector<int64_t>(1)) {
  for (const runtime::Parameter &parameter : parameters)
    for (SlotRole role : {SlotRole::Param, SlotRole::FirstMoment, SlotRole::SecondMoment})
      state[{role, parameter.name}] = Tensor(parameter.shape);
}

std::unique_ptr<ReferenceEngine> ReferenceEngine::create(ModuleOp model,
                                                         std::vector<runtime::Parameter> parameters,
                                                         const OptimizerOptions &options,
                                                         reference::Precision precision,
                                                         std::vector<runtime::ScaleVector> scales) {
  OwningOpRef<ModuleOp> module = model.clone();
  TrainingGraphOptions pipeline;
  pipeline.beta1 = options.beta1;
  pipeline.beta2 = options.beta2;
  pipeline.epsilon = options.epsilon;
  pipeline.weightDecay = options.weightDecay;
  pipeline.clipNorm = options.clipNorm;
  PassManager passes(module->getContext());
  buildTrainingGraphPipeline(passes, pipeline);
  if (failed(passes.run(*module)))
    return nullptr;
  std::unique_ptr<ReferenceEngine> engine(
      new ReferenceEngine(std::move(module), std::move(parameters), precision));
  engine->scales = std::move(scales);
  return engine;
}

runtime::StateArray ReferenceEngine::getState(runtime::Role role, size_t parameter) {
  if (role == runtime::Role::Steps)
    return MutableArrayRef<int64_t>(steps[parameter]);
  SlotRole slot = role == runtime::Role::FirstMoment    ? SlotRole::FirstMoment
                  : role == runtime::Role::SecondMoment ? SlotRole::SecondMoment
                                                        : SlotRole::Param;
  return MutableArrayRef<double>(state[{slot, parameters[parameter].name}].data);
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

static std::pair<SlotRole, std::string> toKey(SlotAttr slot) {
  return {slot.getRole(), slot.getName() ? slot.getName().getValue().str() : ""};
}

Expected<ReferenceEngine::Values> ReferenceEngine::runPhase(StringRef name, const Values &inputs) {
  auto function = module->lookupSymbol<func::FuncOp>(name);
  if (!function)
    return makeError("the training graph has no phase '{0}'", name);
  std::vector<Tensor> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    Slot slot = toKey(getArgumentSlot(function, i));
    auto given = inputs.find(slot);
    bool isInput = given != inputs.end();
    if (!isInput)
      given = state.find(slot);
    if (!isInput && given == state.end())
      return makeError("phase '{0}' takes a {1} '{2}' that nothing has made", name,
                       stringifySlotRole(slot.first), slot.second);
    arguments.push_back(given->second);
  }
  FailureOr<std::vector<Tensor>> results = evaluator.call(name, arguments);
  if (failed(results))
    return makeError("the reference evaluator failed in phase '{0}'", name);
  Values outputs;
  for (auto [i, result] : llvm::enumerate(*results))
    outputs[toKey(getResultSlot(function, i))] = std::move(result);
  return outputs;
}

Error ReferenceEngine::prepare() {
  if (prepared || !module->lookupSymbol("prepare"))
    return Error::success();
  Expected<Values> values = runPhase("prepare");
  if (!values)
    return values.takeError();
  for (auto &[slot, value] : *values)
    state[slot] = std::move(value);
  prepared = true;
  return Error::success();
}

static Tensor toTensor(llvm::ArrayRef<int32_t> ids, Type type) {
  return Tensor(cast<RankedTensorType>(type).getShape().vec(),
                std::vector<double>(ids.begin(), ids.end()));
}

/// The type of token ids; targets have the same.
static Type getIdsType(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("evaluate").getArgumentTypes()[0];
}

static std::map<std::pair<SlotRole, std::string>, Tensor>
makeInputs(ModuleOp module, const runtime::Batch &batch, int64_t divisor) {
  Type type = getIdsType(module);
  return {{{SlotRole::Ids, ""}, toTensor(batch.ids, type)},
          {{SlotRole::Targets, ""}, toTensor(batch.targets, type)},
          {{SlotRole::Divisor, ""}, Tensor({}, {double(divisor)})}};
}

Expected<double> ReferenceEngine::evaluate(const runtime::Batch &batch, int64_t divisor) {
  if (Error error = prepare())
    return std::move(error);
  Expected<Values> outputs = runPhase("evaluate", makeInputs(*module, batch, divisor));
  if (!outputs)
    return outputs.takeError();
  return (*outputs)[{SlotRole::Loss, ""}].data[0];
}

Expected<std::vector<double>> ReferenceEngine::computeLogits(llvm::ArrayRef<int32_t> ids) {
  if (Error error = prepare())
    return std::move(error);
  Expected<Values> outputs =
      runPhase("logits", {{{SlotRole::Ids, ""}, toTensor(ids, getIdsType(*module))}});
  if (!outputs)
    return outputs.takeError();
  return std::move((*outputs)[{SlotRole::Logits, ""}].data);
}

Expected<double> ReferenceEngine::accumulate(bool first, const runtime::Batch &batch,
                                             int64_t divisor) {
  if (Error error = prepare())
    return std::move(error);
  Expected<Values> outputs =
      runPhase(first ? "accumulate_first" : "accumulate", makeInputs(*module, batch, divisor));
  if (!outputs)
    return outputs.takeError();
  for (auto &[slot, value] : *outputs)
    if (slot.first == SlotRole::Gradient)
      state[slot] = std::move(value);
  return (*outputs)[{SlotRole::Loss, ""}].data[0];
}

Expected<double> ReferenceEngine::computeGradients(const runtime::Batch &batch, int64_t divisor) {
  Expected<double> loss = accumulate(/*first=*/true, batch, divisor);
  if (!loss)
    return loss;
  Expected<Values> outputs = runPhase("gradients");
  if (!outputs)
    return outputs.takeError();
  gradients = std::move(*outputs);
  return loss;
}

llvm::ArrayRef<double> ReferenceEngine::getParameterGradient(size_t parameter) const {
  auto found = gradients.find({SlotRole::ParamGradient, parameters[parameter].name});
  return found == gradients.end() ? llvm::ArrayRef<double>() : llvm::ArrayRef(found->second.data);
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

Expected<std::vector<std::vector<double>>> ReferenceEngine::computeScaleVectors() {
  Expected<Values> outputs = runPhase("scales");
  if (!outputs)
    return outputs.takeError();
  std::vector<std::vector<double>> vectors;
  vectors.reserve(scales.size());
  for (const runtime::ScaleVector &vector : scales)
    vectors.push_back((*outputs)[{SlotRole::ScaleVector, vector.name}].data);
  return vectors;
}

Error ReferenceEngine::computeGroupNorms(runtime::StepResult &result) {
  Expected<Values> outputs = runPhase("gradient_norms");
  if (!outputs)
    return outputs.takeError();
  auto phase = module->lookupSymbol<func::FuncOp>("gradient_norms");
  for (unsigned i = 0; i < phase.getNumResults(); ++i) {
    Slot slot = toKey(getResultSlot(phase, i));
    result.groupNorms.emplace_back(slot.second, (*outputs)[slot].data[0]);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// A training step
//===----------------------------------------------------------------------===//

/// Counts of steps are kept as integers, where checkpoints find them.
void ReferenceEngine::loadSteps() {
  for (auto [parameter, count] : llvm::zip_equal(parameters, steps))
    state[{SlotRole::Steps, parameter.name}] = Tensor({}, {double(count[0])});
}

Expected<runtime::StepResult> ReferenceEngine::step(llvm::ArrayRef<runtime::Batch> microBatches,
                                                    double rate) {
  runtime::StepResult result;
  int64_t divisor = 0;
  for (const runtime::Batch &batch : microBatches)
    divisor += batch.validTargets;
  if (divisor == 0)
    return result;
  for (auto [index, batch] : llvm::enumerate(microBatches)) {
    Expected<double> loss = accumulate(index == 0, batch, divisor);
    if (!loss)
      return loss.takeError();
    result.loss += *loss;
    if (!std::isfinite(*loss)) {
      result.nonFinite = "the loss of micro-batch " + std::to_string(index + 1);
      return result;
    }
  }
  if (wantsGroupNorms)
    if (Error error = computeGroupNorms(result))
      return std::move(error);
  loadSteps();
  Expected<Values> outputs = runPhase("update", {{{SlotRole::Rate, ""}, Tensor({}, {rate})}});
  if (!outputs)
    return outputs.takeError();
  result.gradientNorm = (*outputs)[{SlotRole::GradientNorm, ""}].data[0];
  if (!std::isfinite(result.gradientNorm)) {
    result.nonFinite = "the norm of the gradient";
    return result;
  }
  if (auto clip = outputs->find({SlotRole::ClipFactor, ""}); clip != outputs->end())
    result.clipFactor = clip->second.data[0];
  for (auto &[slot, value] : *outputs)
    if (state.count(slot))
      state[slot] = std::move(value);
  for (auto [parameter, count] : llvm::zip_equal(parameters, steps))
    count[0] = static_cast<int64_t>(state[{SlotRole::Steps, parameter.name}].data[0]);
  prepared = false;
  return result;
}
