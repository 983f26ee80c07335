//===- CompiledEngine.cpp - Trains and evaluates a compiled program -------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/CompiledEngine.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

using namespace vernier::runtime;

/// What a step does with state beyond which it is not just a few counters.
static constexpr int64_t mostEarlyBytes = 1 << 20;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static double readScalar(const Executor &executor, const Slot &slot) {
  if (slot.dtype == DType::F64)
    return executor.get<double>(slot)[0];
  return executor.get<float>(slot)[0];
}

static void writeScalar(const Executor &executor, const Slot &slot, double value) {
  if (slot.dtype == DType::F64)
    executor.get<double>(slot)[0] = value;
  else
    executor.get<float>(slot)[0] = float(value);
}

static Expected<const Slot *> getSlot(const Phase &phase, const std::vector<Slot> &slots, Role role,
                                      const char *what) {
  if (const Slot *slot = findSlot(slots, role))
    return slot;
  return makeError("phase '{0}' has no {1}", phase.name, what);
}

static Error writeIndices(const Executor &executor, const Phase &phase, const Slot &slot,
                          const char *what, llvm::ArrayRef<int32_t> values) {
  llvm::MutableArrayRef<int32_t> target = executor.get<int32_t>(slot);
  if (values.size() != target.size())
    return makeError("phase '{0}' takes {1} {2}, the batch has {3}", phase.name, target.size(),
                     what, values.size());
  llvm::copy(values, target.begin());
  return Error::success();
}

int64_t vernier::runtime::countValidTargets(const Batch &batch, int32_t ignoreIndex) {
  return llvm::count_if(batch.targets, [&](int32_t target) { return target != ignoreIndex; });
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

CompiledEngine::CompiledEngine(std::unique_ptr<Executor> newExecutor)
    : executor(std::move(newExecutor)), program(executor->getProgram()) {
  for (const Phase &phase : program.phases)
    for (const std::vector<Slot> *slots : {&phase.inputs, &phase.outputs})
      for (const Slot &slot : *slots)
        if (slot.role < Role::Ids)
          state.try_emplace({slot.role, slot.name}, &slot);
}

/// Finds where the update may still be given up.
Error CompiledEngine::findEarlyWrites() {
  const Phase *update = program.findPhase("update");
  if (!update)
    return Error::success();
  Expected<const Slot *> norm =
      getSlot(*update, update->outputs, Role::GradientNorm, "gradient norm");
  if (!norm)
    return norm.takeError();
  stepsUpToNorm = findStepsUpTo(program, *update, **norm);
  if (stepsUpToNorm == 0)
    return makeError("phase 'update': no step writes the gradient norm");
  int64_t bytes = 0;
  for (const Slot *slot : findOutputsWrittenBefore(program, *update, stepsUpToNorm))
    if (slot->role < Role::Ids) {
      earlyWrites.push_back(slot);
      bytes += executor->getBytes(*slot).size();
    }
  if (bytes > mostEarlyBytes)
    return makeError("phase 'update' changes {0} bytes of state ('{1}' first) before the gradient "
                     "norm is known; a step could not be given up",
                     bytes, earlyWrites.front()->name);
  return Error::success();
}

Expected<std::unique_ptr<CompiledEngine>> CompiledEngine::create(const Program &program,
                                                                 int threads) {
  Expected<std::unique_ptr<Executor>> executor = Executor::create(program, threads);
  if (!executor)
    return executor.takeError();
  std::unique_ptr<CompiledEngine> engine(new CompiledEngine(std::move(*executor)));
  if (Error error = engine->findEarlyWrites())
    return std::move(error);
  return std::move(engine);
}

llvm::ArrayRef<Parameter> CompiledEngine::getParameters() const { return program.parameters; }

StateArray CompiledEngine::getState(Role role, size_t parameter) {
  auto found = state.find({role, program.parameters[parameter].name});
  if (found == state.end())
    return llvm::MutableArrayRef<float>();
  const Slot &slot = *found->second;
  switch (slot.dtype) {
  case DType::F64:
    return executor->get<double>(slot);
  case DType::I64:
    return executor->get<int64_t>(slot);
  default:
    return executor->get<float>(slot);
  }
}

//===----------------------------------------------------------------------===//
// Running phases
//===----------------------------------------------------------------------===//

Expected<const Phase *> CompiledEngine::getPhase(const char *name) const {
  if (const Phase *phase = program.findPhase(name))
    return phase;
  return makeError("the program was compiled without phase '{0}'", name);
}

/// Makes what depends on parameters only, if they changed.
Error CompiledEngine::prepare() {
  const Phase *phase = program.findPhase("prepare");
  if (prepared || !phase)
    return Error::success();
  if (Error error = executor->run(*phase))
    return error;
  prepared = true;
  return Error::success();
}

/// Whether a phase makes gradients where prepared values lie, as it does in
/// programs for one micro-batch.
bool CompiledEngine::overwritesPrepared(const Phase &phase) const {
  return llvm::any_of(phase.outputs, [&](const Slot &output) {
    auto value = state.find({Role::Prepared, output.name});
    return output.role == Role::Gradient && value != state.end() &&
           value->second->offset == output.offset;
  });
}

Error CompiledEngine::writeInputs(const Phase &phase, const Batch &batch, int64_t divisor) {
  Expected<const Slot *> ids = getSlot(phase, phase.inputs, Role::Ids, "token ids");
  if (!ids)
    return ids.takeError();
  if (Error error = writeIndices(*executor, phase, **ids, "token ids", batch.ids))
    return error;
  if (const Slot *targets = findSlot(phase.inputs, Role::Targets))
    if (Error error = writeIndices(*executor, phase, *targets, "targets", batch.targets))
      return error;
  if (const Slot *slot = findSlot(phase.inputs, Role::Divisor))
    executor->get<int64_t>(*slot)[0] = divisor;
  return Error::success();
}

Expected<double> CompiledEngine::runForLoss(const char *name, const Batch &batch, int64_t divisor) {
  Expected<const Phase *> phase = getPhase(name);
  if (!phase)
    return phase.takeError();
  Expected<const Slot *> loss = getSlot(**phase, (*phase)->outputs, Role::Loss, "loss");
  if (!loss)
    return loss.takeError();
  if (Error error = prepare())
    return std::move(error);
  if (Error error = writeInputs(**phase, batch, divisor))
    return std::move(error);
  Error error = executor->run(**phase);
  prepared = prepared && !overwritesPrepared(**phase);
  if (error)
    return std::move(error);
  return readScalar(*executor, **loss);
}

Expected<double> CompiledEngine::evaluate(const Batch &batch, int64_t divisor) {
  return runForLoss("evaluate", batch, divisor);
}

Expected<llvm::ArrayRef<float>> CompiledEngine::computeLogits(llvm::ArrayRef<int32_t> ids) {
  Expected<const Phase *> phase = getPhase("logits");
  if (!phase)
    return phase.takeError();
  Expected<const Slot *> logits = getSlot(**phase, (*phase)->outputs, Role::Logits, "logits");
  if (!logits)
    return logits.takeError();
  if (Error error = prepare())
    return std::move(error);
  Batch batch;
  batch.ids.assign(ids.begin(), ids.end());
  if (Error error = writeInputs(**phase, batch, 0))
    return std::move(error);
  if (Error error = executor->run(**phase))
    return std::move(error);
  return executor->get<float>(**logits);
}

Expected<double> CompiledEngine::computeGradients(const Batch &batch, int64_t divisor) {
  Expected<const Phase *> phase = getPhase("gradients");
  if (!phase)
    return phase.takeError();
  Expected<double> loss = runForLoss("accumulate_first", batch, divisor);
  if (!loss)
    return loss;
  if (Error error = executor->run(**phase))
    return std::move(error);
  return loss;
}

llvm::ArrayRef<float> CompiledEngine::getParameterGradient(size_t parameter) const {
  const Phase *phase = program.findPhase("gradients");
  const Slot *slot =
      phase ? findSlot(phase->outputs, Role::ParamGradient, program.parameters[parameter].name)
            : nullptr;
  return slot ? executor->get<float>(*slot) : llvm::MutableArrayRef<float>();
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

Expected<std::vector<std::vector<double>>> CompiledEngine::computeScaleVectors() {
  Expected<const Phase *> phase = getPhase("scales");
  if (!phase)
    return phase.takeError();
  if (Error error = executor->run(**phase))
    return std::move(error);
  std::vector<std::vector<double>> vectors;
  for (const ScaleVector &vector : program.scaleVectors) {
    const Slot *slot = findSlot((*phase)->outputs, Role::ScaleVector, vector.name);
    if (!slot)
      return makeError("phase 'scales' does not compute '{0}'", vector.name);
    llvm::ArrayRef<float> entries = executor->get<float>(*slot);
    vectors.emplace_back(entries.begin(), entries.end());
  }
  return vectors;
}

Error CompiledEngine::computeGroupNorms(StepResult &result) {
  Expected<const Phase *> phase = getPhase("gradient_norms");
  if (!phase)
    return phase.takeError();
  if (Error error = executor->run(**phase))
    return error;
  for (const Slot &slot : (*phase)->outputs)
    result.groupNorms.emplace_back(slot.name, readScalar(*executor, slot));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// A training step
//===----------------------------------------------------------------------===//

Expected<StepResult> CompiledEngine::step(llvm::ArrayRef<Batch> microBatches, double rate) {
  StepResult result;
  int64_t divisor = 0;
  for (const Batch &batch : microBatches)
    divisor += countValidTargets(batch, program.ignoreIndex);
  if (divisor == 0)
    return result;
  for (auto [index, batch] : llvm::enumerate(microBatches)) {
    Expected<double> loss =
        runForLoss(index == 0 ? "accumulate_first" : "accumulate", batch, divisor);
    if (!loss)
      return loss.takeError();
    result.loss += *loss;
    if (!std::isfinite(*loss)) {
      result.nonFinite = llvm::formatv("the loss of micro-batch {0}", index + 1).str();
      return result;
    }
  }
  if (wantsGroupNorms)
    if (Error error = computeGroupNorms(result))
      return std::move(error);
  if (Error error = update(rate, result))
    return std::move(error);
  return result;
}

/// The first gradient with an entry that is infinite or not a number.
std::string CompiledEngine::findNonFiniteGradient(const Phase &update) const {
  for (const Slot &slot : update.inputs)
    if (slot.role == Role::Gradient)
      if (!llvm::all_of(executor->get<float>(slot), [](float x) { return std::isfinite(x); }))
        return llvm::formatv("the gradient of '{0}'", slot.name).str();
  return "the norm of the gradient (each entry is finite)";
}

Error CompiledEngine::update(double rate, StepResult &result) {
  Expected<const Phase *> phase = getPhase("update");
  if (!phase)
    return phase.takeError();
  const Phase &update = **phase;
  if (const Slot *slot = findSlot(update.inputs, Role::Rate))
    writeScalar(*executor, *slot, rate);
  std::vector<std::vector<char>> saved;
  saved.reserve(earlyWrites.size());
  for (const Slot *slot : earlyWrites)
    saved.emplace_back(executor->getBytes(*slot).begin(), executor->getBytes(*slot).end());

  if (Error error = executor->run(update, 0, stepsUpToNorm))
    return error;
  result.gradientNorm = readScalar(*executor, *findSlot(update.outputs, Role::GradientNorm));
  if (!std::isfinite(result.gradientNorm)) {
    result.nonFinite = findNonFiniteGradient(update);
    for (auto [slot, bytes] : llvm::zip(earlyWrites, saved))
      llvm::copy(bytes, executor->getBytes(*slot).begin());
    return Error::success();
  }
  if (Error error = executor->run(update, stepsUpToNorm, update.steps.size()))
    return error;
  prepared = false;
  if (const Slot *slot = findSlot(update.outputs, Role::ClipFactor))
    result.clipFactor = readScalar(*executor, *slot);
  return Error::success();
}
