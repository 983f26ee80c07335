//===- LossRules.cpp - Rules of the loss and its adjoint -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Model/Vernier.h"
#include "vernier/Reference/Rules.h"
#include <cmath>

using namespace mlir;
using namespace vernier;
using namespace vernier::reference;

// The attribute's accessor is unsigned, and the usual value is -100.
template <typename OpT> static double ignoredTarget(OpT op) {
  return static_cast<int32_t>(op.getIgnoreIndex());
}

static void countValid(CountValidOp op, Operands in, Results out) {
  for (double target : in[0]->data)
    if (target != ignoredTarget(op))
      out[0].data[0] += 1;
}

static double logSumExp(const double *row, int64_t size) {
  double maximum = *std::max_element(row, row + size), sum = 0;
  for (int64_t j = 0; j < size; ++j)
    sum += std::exp(row[j] - maximum);
  return maximum + std::log(sum);
}

// Fails where a target is neither ignored nor a column of the logits.
template <typename OpT>
static LogicalResult checkTargets(OpT op, const Tensor &targets, int64_t vocabulary) {
  for (auto [position, target] : llvm::enumerate(targets.data))
    if (target != ignoredTarget(op) && (target < 0 || target >= vocabulary))
      return op.emitOpError() << "target " << static_cast<int64_t>(target) << " at position "
                              << position << " is outside the vocabulary of " << vocabulary;
  return success();
}

static LogicalResult crossEntropy(CrossEntropyOp op, Operands in, Results out) {
  const Tensor &logits = *in[0], &targets = *in[1];
  double divisor = in[2]->data[0], sum = 0;
  if (failed(checkTargets(op, targets, logits.width())))
    return failure();
  for (int64_t r = 0; r < logits.rows(); ++r) {
    out[1].data[r] = logSumExp(logits.row(r), logits.width());
    if (targets.data[r] != ignoredTarget(op))
      sum += out[1].data[r] - logits.row(r)[static_cast<int64_t>(targets.data[r])];
  }
  out[0].data[0] = divisor == 0 ? 0 : sum / divisor;
  return success();
}

static LogicalResult crossEntropyGrad(CrossEntropyGradOp op, Operands in, Results out) {
  const Tensor &logits = *in[1], &targets = *in[2], &logSumExp = *in[3];
  double lossGrad = in[0]->data[0], divisor = in[4]->data[0];
  if (failed(checkTargets(op, targets, logits.width())))
    return failure();
  for (int64_t r = 0; r < logits.rows(); ++r) {
    if (targets.data[r] == ignoredTarget(op) || divisor == 0)
      continue;
    for (int64_t j = 0; j < logits.width(); ++j) {
      double probability = std::exp(logits.row(r)[j] - logSumExp.data[r]);
      double isTarget = j == targets.data[r] ? 1 : 0;
      out[0].row(r)[j] = lossGrad / divisor * (probability - isTarget);
    }
  }
  return success();
}

void vernier::reference::populateLossRules(RuleTable &rules) {
  rules.add<CountValidOp>(countValid);
  rules.add<CrossEntropyOp>(crossEntropy);
  rules.add<CrossEntropyGradOp>(crossEntropyGrad);
}
