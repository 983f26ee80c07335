//===- ReferenceEngine.h - Trains by the evaluator ----------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_COMPILER_REFERENCEENGINE_H
#define VERNIER_COMPILER_REFERENCEENGINE_H

#include "runtime/TrainingEngine.h"
#include "vernier/Compiler/Compile.h"
#include "vernier/Model/Vernier.h"
#include "vernier/Reference/Evaluator.h"
#include <map>

namespace vernier {

/// Trains and evaluates a model graph by the reference evaluator: slow, and what
/// the compiled program is tested against. Runs the same phases.
class ReferenceEngine : public runtime::TrainingEngine {
public:
  /// Makes the training graph of a model graph, which is not changed. Errors
  /// are diagnostics; null then. The context must outlive the engine.
  static std::unique_ptr<ReferenceEngine>
  create(mlir::ModuleOp model, std::vector<runtime::Parameter> parameters,
         const OptimizerOptions &options,
         reference::Precision precision = reference::Precision::Exact,
         std::vector<runtime::ScaleVector> scales = {});

  llvm::ArrayRef<runtime::Parameter> getParameters() const override { return parameters; }
  runtime::StateArray getState(runtime::Role role, size_t parameter) override;
  void parametersChanged() override { prepared = false; }
  llvm::Expected<runtime::StepResult> step(llvm::ArrayRef<runtime::Batch> microBatches,
                                           double rate) override;
  llvm::Expected<double> evaluate(const runtime::Batch &batch, int64_t divisor) override;
  llvm::StringRef getName() const override {
    return isRounding ? "rounding reference" : "reference";
  }
  llvm::ArrayRef<runtime::ScaleVector> getScaleVectors() const override { return scales; }
  llvm::Expected<std::vector<std::vector<double>>> computeScaleVectors() override;

  /// [batch, sequence, vocabulary].
  llvm::Expected<std::vector<double>> computeLogits(llvm::ArrayRef<int32_t> ids);

  /// The loss of a batch over `divisor`, and its gradient for each parameter.
  llvm::Expected<double> computeGradients(const runtime::Batch &batch, int64_t divisor);
  llvm::ArrayRef<double> getParameterGradient(size_t parameter) const;

private:
  using Slot = std::pair<SlotRole, std::string>;
  using Values = std::map<Slot, reference::Tensor>;

  ReferenceEngine(mlir::OwningOpRef<mlir::ModuleOp> module,
                  std::vector<runtime::Parameter> parameters, reference::Precision precision);
  /// The outputs of a phase, whose inputs are those given here or in `state`.
  llvm::Expected<Values> runPhase(llvm::StringRef name, const Values &inputs = {});
  llvm::Error prepare();
  /// Puts the gradients at the frontier into `state`.
  llvm::Expected<double> accumulate(bool first, const runtime::Batch &batch, int64_t divisor);
  llvm::Error computeGroupNorms(runtime::StepResult &result);
  void loadSteps();

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<runtime::Parameter> parameters;
  std::vector<runtime::ScaleVector> scales;
  bool isRounding;                             // each result to f32
  llvm::StringMap<reference::Tensor> noParams; // phases take them as arguments
  reference::Evaluator evaluator;
  Values state, gradients;
  std::vector<std::vector<int64_t>> steps;
  bool prepared = false;
};

} // namespace vernier

#endif // VERNIER_COMPILER_REFERENCEENGINE_H
