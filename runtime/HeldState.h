//===- HeldState.h - Parameters and optimizer state in memory -----*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_HELDSTATE_H
#define VERNIER_RUNTIME_HELDSTATE_H

#include "runtime/TrainingEngine.h"

namespace vernier::runtime {

/// The state of an engine without what trains: for those who read a checkpoint,
/// or make one, and do not run the model. To train or evaluate is an error.
/// `T` is float or double, which is also how it is saved.
template <typename T> class HeldState final : public TrainingEngine {
public:
  /// Everything is zero.
  explicit HeldState(std::vector<Parameter> table)
      : parameters(std::move(table)), steps(parameters.size(), std::vector<int64_t>(1)) {
    for (auto &arrays : floats)
      for (const Parameter &parameter : parameters)
        arrays.emplace_back(*countElements(parameter.shape));
  }

  llvm::ArrayRef<Parameter> getParameters() const override { return parameters; }

  StateArray getState(Role role, size_t parameter) override {
    if (role == Role::Steps)
      return llvm::MutableArrayRef<int64_t>(steps[parameter]);
    return getFloats(role, parameter);
  }

  /// Param, FirstMoment or SecondMoment.
  llvm::MutableArrayRef<T> getFloats(Role role, size_t parameter) {
    return floats[role == Role::Param ? 0 : role == Role::FirstMoment ? 1 : 2][parameter];
  }
  int64_t &getSteps(size_t parameter) { return steps[parameter][0]; }

  void parametersChanged() override {}
  Expected<StepResult> step(llvm::ArrayRef<Batch>, double) override {
    return makeError("there is no program to train with");
  }
  Expected<double> evaluate(const Batch &, int64_t) override {
    return makeError("there is no program to evaluate with");
  }

private:
  std::vector<Parameter> parameters;
  std::vector<std::vector<T>> floats[3];
  std::vector<std::vector<int64_t>> steps;
};

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_HELDSTATE_H
