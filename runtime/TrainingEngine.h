//===- TrainingEngine.h - What a training run drives --------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_TRAININGENGINE_H
#define VERNIER_RUNTIME_TRAININGENGINE_H

#include "runtime/DataSource.h"
#include "runtime/Safetensors.h"
#include <variant>
#include <vector>

namespace vernier::runtime {

/// An array of the training state, where it lies.
using StateArray = std::variant<llvm::MutableArrayRef<float>, llvm::MutableArrayRef<double>,
                                llvm::MutableArrayRef<int64_t>>;

/// What an optimizer step did.
struct StepResult {
  double loss = 0;         ///< mean over the valid targets of the step, nats
  double gradientNorm = 0; ///< global, before clipping
  double clipFactor = 1;
  /// What is infinite or not a number, and where ("the loss of micro-batch 2").
  /// If this is not empty, nothing was updated.
  std::string nonFinite;
  /// Norms of the gradients, before clipping, of groups of parameters by their
  /// names ("matrix/q"), if they were asked for.
  std::vector<std::pair<std::string, double>> groupNorms;
};

/// Trains one model: the compiled program, or the reference evaluator. The
/// engine owns parameters and optimizer state; it knows nothing of files,
/// schedules or logs.
class TrainingEngine {
public:
  virtual ~TrainingEngine();

  virtual llvm::ArrayRef<Parameter> getParameters() const = 0;

  /// The array of the parameter of that index: Param, FirstMoment and
  /// SecondMoment have its shape, Steps one entry (i64). Valid until the next
  /// step.
  virtual StateArray getState(Role role, size_t parameter) = 0;

  /// To be called after writing to parameters: what was prepared from them is
  /// stale.
  virtual void parametersChanged() = 0;

  /// An optimizer step over micro-batches of the model's batch size, which
  /// together have at least one valid target.
  virtual Expected<StepResult> step(llvm::ArrayRef<Batch> microBatches, double rate) = 0;

  /// The summed loss of a batch's valid targets, over `divisor`.
  virtual Expected<double> evaluate(const Batch &batch, int64_t divisor) = 0;

  /// "compiled", "reference": engines of other names compute other bits.
  virtual llvm::StringRef getName() const { return "compiled"; }

  /// Whether steps fill in StepResult::groupNorms. At first they do not.
  void setGroupNorms(bool on) { wantsGroupNorms = on; }

  /// The scale vectors of the model; none, if the engine knows of none.
  virtual llvm::ArrayRef<ScaleVector> getScaleVectors() const { return {}; }

  /// Their entries, as the model applies them now, in the same order.
  virtual Expected<std::vector<std::vector<double>>> computeScaleVectors() {
    return std::vector<std::vector<double>>();
  }

protected:
  bool wantsGroupNorms = false;
};

/// The bytes and the element type of a state array.
llvm::ArrayRef<char> bytesOf(const StateArray &array);
StoredType typeOf(const StateArray &array);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_TRAININGENGINE_H
