//===- CompiledEngine.h - Trains and evaluates a compiled program -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_COMPILEDENGINE_H
#define VERNIER_RUNTIME_COMPILEDENGINE_H

#include "runtime/Executor.h"
#include "runtime/TrainingEngine.h"
#include <map>

namespace vernier::runtime {

/// Runs the phases of a program in the order that a training step, an
/// evaluation or a text being generated needs. A phase that is not compiled in
/// is an error when it is needed.
class CompiledEngine : public TrainingEngine {
public:
  /// `program` and its kernels' code must outlive the engine. Threads are as in
  /// ThreadTeam. Parameters and state are zero at first.
  static Expected<std::unique_ptr<CompiledEngine>> create(const Program &program, int threads = 0);

  llvm::ArrayRef<Parameter> getParameters() const override;

  /// An empty array if the program keeps no such state.
  StateArray getState(Role role, size_t parameter) override;
  void parametersChanged() override { prepared = false; }
  Expected<StepResult> step(llvm::ArrayRef<Batch> microBatches, double rate) override;
  Expected<double> evaluate(const Batch &batch, int64_t divisor) override;

  llvm::ArrayRef<ScaleVector> getScaleVectors() const override { return program.scaleVectors; }
  Expected<std::vector<std::vector<double>>> computeScaleVectors() override;

  /// [batch, sequence, vocabulary], valid until anything else is run.
  Expected<llvm::ArrayRef<float>> computeLogits(llvm::ArrayRef<int32_t> ids);

  /// The loss of a batch over `divisor`, and its gradient for each parameter,
  /// in the order of the parameters; valid until anything else is run.
  Expected<double> computeGradients(const Batch &batch, int64_t divisor);
  llvm::ArrayRef<float> getParameterGradient(size_t parameter) const;

  Executor &getExecutor() { return *executor; }

private:
  explicit CompiledEngine(std::unique_ptr<Executor> executor);
  Error findEarlyWrites();

  Expected<const Phase *> getPhase(const char *name) const;
  Error prepare();
  bool overwritesPrepared(const Phase &phase) const;
  Error writeInputs(const Phase &phase, const Batch &batch, int64_t divisor);
  Expected<double> runForLoss(const char *phase, const Batch &batch, int64_t divisor);
  /// The gradients are still there: the update may overwrite them.
  Error computeGroupNorms(StepResult &result);
  /// Runs the update if the norm is finite. Otherwise says what is not.
  Error update(double rate, StepResult &result);
  std::string findNonFiniteGradient(const Phase &update) const;

  std::unique_ptr<Executor> executor;
  const Program &program;
  /// Where values lie that live from phase to phase.
  std::map<std::pair<Role, std::string>, const Slot *> state;
  bool prepared = false; ///< whether prepared values are there and fit the parameters

  /// Steps of `update` after which the gradient norm is known, and the state
  /// that they change already (counts of steps): it is put back if the update
  /// does not go on.
  size_t stepsUpToNorm = 0;
  std::vector<const Slot *> earlyWrites;
};

/// Targets of the batch that are not `ignoreIndex`.
int64_t countValidTargets(const Batch &batch, int32_t ignoreIndex);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_COMPILEDENGINE_H
