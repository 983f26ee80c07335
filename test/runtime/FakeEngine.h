//===- FakeEngine.h - A tiny thing that trains --------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_RUNTIME_FAKEENGINE_H
#define VERNIER_TEST_RUNTIME_FAKEENGINE_H

#include "runtime/TrainingEngine.h"
#include <cmath>
#include <functional>

/// An engine whose every result depends on everything that a checkpoint must
/// keep: weights, both moments, step counts, the rows it saw and their order.
class FakeEngine : public vernier::runtime::TrainingEngine {
public:
  FakeEngine() {
    parameters.resize(2);
    parameters[0].name = "layer.weight";
    parameters[0].shape = {2, 3};
    parameters[1].name = "layer.bias";
    parameters[1].shape = {3};
    for (Arrays &arrays : state)
      for (const auto &parameter : parameters)
        arrays.push_back(std::vector<float>(*vernier::runtime::countElements(parameter.shape)));
    steps.assign(2, {0});
    scales.resize(1);
    scales[0] = {"layer", "ffn-input", "gate, up", 3, "original", 0};
  }

  llvm::ArrayRef<vernier::runtime::Parameter> getParameters() const override { return parameters; }

  vernier::runtime::StateArray getState(vernier::runtime::Role role, size_t index) override {
    using vernier::runtime::Role;
    if (role == Role::Steps)
      return llvm::MutableArrayRef<int64_t>(steps[index]);
    int row = role == Role::Param ? 0 : role == Role::FirstMoment ? 1 : 2;
    return llvm::MutableArrayRef<float>(state[row][index]);
  }

  void parametersChanged() override { ++changes; }

  llvm::Expected<vernier::runtime::StepResult> step(llvm::ArrayRef<vernier::runtime::Batch> batches,
                                                    double rate) override {
    vernier::runtime::StepResult result;
    double seen = 0;
    for (const auto &batch : batches)
      for (int32_t id : batch.ids) {
        rows.push_back(id);
        seen = seen * 1.1 + id;
      }
    result.loss = std::sin(seen) + state[0][0][0];
    result.gradientNorm = std::cos(seen) + 2;
    if (wantsGroupNorms)
      result.groupNorms = {{"matrix/q", result.gradientNorm}};
    if (beforeUpdate)
      beforeUpdate(result);
    if (!result.nonFinite.empty())
      return result;
    rates.push_back(rate);
    for (size_t p = 0; p < parameters.size(); ++p) {
      ++steps[p][0];
      for (size_t i = 0; i < state[0][p].size(); ++i) {
        float gradient = std::sin(seen + i + p);
        state[1][p][i] = 0.9f * state[1][p][i] + gradient;
        state[2][p][i] = 0.95f * state[2][p][i] + gradient * gradient;
        state[0][p][i] -= rate * state[1][p][i] / (1 + state[2][p][i]) / steps[p][0];
      }
    }
    return result;
  }

  llvm::Expected<double> evaluate(const vernier::runtime::Batch &batch, int64_t divisor) override {
    evaluated += batch.validTargets;
    return double(batch.validTargets) / double(divisor) * validationLoss;
  }

  llvm::ArrayRef<vernier::runtime::ScaleVector> getScaleVectors() const override { return scales; }

  /// The bias, doubled, is a vector of which the weight's first entry is the
  /// magnitude.
  llvm::Expected<std::vector<std::vector<double>>> computeScaleVectors() override {
    std::vector<double> doubled;
    for (float entry : state[0][1])
      doubled.push_back(2 * entry);
    return std::vector<std::vector<double>>{doubled};
  }

  using Arrays = std::vector<std::vector<float>>;
  std::vector<vernier::runtime::Parameter> parameters;
  std::vector<vernier::runtime::ScaleVector> scales;
  Arrays state[3];
  std::vector<std::vector<int64_t>> steps;
  std::vector<int> rows;     // ids it has seen
  std::vector<double> rates; // of the steps
  int64_t evaluated = 0;
  double validationLoss = 3;
  int changes = 0;
  std::function<void(vernier::runtime::StepResult &)> beforeUpdate;
};

#endif // VERNIER_TEST_RUNTIME_FAKEENGINE_H
