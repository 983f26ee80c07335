//===- TrainingOps.cpp - Verifiers of the training operations ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionVerification.h"
#include "Verification.h"
#include "vernier/Model/Vernier.h"
#include <cmath>

using namespace mlir;
using namespace vernier;

//===----------------------------------------------------------------------===//
// Adjoints
//===----------------------------------------------------------------------===//

LogicalResult LinearInputGradOp::verify() {
  Named grad{"output gradient", getOutputGrad()}, weight{"weight", getWeight()};
  if (failed(checkNotScalar(*this, grad)) || failed(checkRank(*this, weight, 2)))
    return failure();
  if (weight.shape()[0] != grad.shape().back())
    return emitOpError() << "weight has shape " << printShape(weight.shape())
                         << ", but the last dimension of the output gradient is "
                         << grad.shape().back();
  SmallVector<int64_t> expected(grad.shape());
  expected.back() = weight.shape()[1];
  return checkShape(*this, {"result", getResult()}, expected);
}

LogicalResult LinearWeightGradOp::verify() {
  Named grad{"output gradient", getOutputGrad()}, input{"input", getInput()};
  if (failed(checkNotScalar(*this, grad)) ||
      failed(checkLeading(*this, input, grad.shape().drop_back())))
    return failure();
  return checkShape(*this, {"result", getResult()}, {grad.shape().back(), input.shape().back()});
}

LogicalResult ColumnSumOp::verify() {
  Named input{"input", getInput()};
  if (failed(checkNotScalar(*this, input)))
    return failure();
  return checkShape(*this, {"result", getResult()}, input.shape().back());
}

LogicalResult RowSumOp::verify() {
  Named input{"input", getInput()};
  if (failed(checkNotScalar(*this, input)))
    return failure();
  return checkShape(*this, {"result", getResult()}, input.shape().drop_back());
}

LogicalResult EmbeddingGradOp::verify() {
  Named grad{"output gradient", getOutputGrad()}, into{"into", getInto()};
  if (failed(checkRank(*this, into, 2)) ||
      failed(checkSameShape(*this, into, {"result", getResult()})))
    return failure();
  SmallVector<int64_t> expected(getIds().getType().getShape());
  expected.push_back(into.shape()[1]);
  return checkShape(*this, grad, expected);
}

template <typename OpT> static LogicalResult verifyNormGrad(OpT op) {
  Named input{"input", op.getInput()};
  if (failed(checkNotScalar(op, input)) ||
      failed(checkSameShape(op, input, {"output gradient", op.getOutputGrad()})) ||
      failed(checkSameShape(op, input, {"result", op.getResult()})))
    return failure();
  return checkPositiveInF32(op, "epsilon", op.getEpsilon());
}

LogicalResult RMSNormGradOp::verify() { return verifyNormGrad(*this); }
LogicalResult LayerNormGradOp::verify() { return verifyNormGrad(*this); }

LogicalResult AttentionGradOp::verify() {
  Named query{"query", getQuery()}, key{"key", getKey()};
  if (failed(verifyAttention(*this, {"output", getOutput()})) ||
      failed(checkSameShape(*this, query, {"output gradient", getOutputGrad()})) ||
      failed(checkSameShape(*this, query, {"query gradient", getQueryGrad()})) ||
      failed(checkSameShape(*this, key, {"key gradient", getKeyGrad()})))
    return failure();
  return checkSameShape(*this, key, {"value gradient", getValueGrad()});
}

LogicalResult GluGradOp::verify() {
  Named gate{"gate", getGate()};
  for (Named other : {Named{"up", getUp()}, Named{"output gradient", getOutputGrad()},
                      Named{"gate gradient", getGateGrad()}, Named{"up gradient", getUpGrad()}})
    if (failed(checkSameShape(*this, gate, other)))
      return failure();
  return success();
}

LogicalResult ScaleFromDirectionGradOp::verify() {
  Named direction{"direction", getDirection()}, magnitude{"magnitude", getMagnitude()};
  if (failed(checkRank(*this, direction, 1)) || failed(checkShape(*this, magnitude, {1})))
    return failure();
  if (failed(checkSameShape(*this, direction, {"output gradient", getOutputGrad()})) ||
      failed(checkSameShape(*this, direction, {"direction gradient", getDirectionGrad()})))
    return failure();
  return checkSameShape(*this, magnitude, {"magnitude gradient", getMagnitudeGrad()});
}

LogicalResult CrossEntropyGradOp::verify() {
  Named logits{"logits", getLogits()}, targets{"targets", getTargets()};
  if (failed(checkLeading(*this, logits, targets.shape())) ||
      failed(checkSameShape(*this, targets, {"log_sum_exp", getLogSumExp()})))
    return failure();
  return checkSameShape(*this, logits, {"result", getResult()});
}

//===----------------------------------------------------------------------===//
// Optimizer
//===----------------------------------------------------------------------===//

LogicalResult GlobalNormOp::verify() {
  if (getGradients().empty())
    return emitOpError() << "has no gradients";
  return success();
}

LogicalResult ClipFactorOp::verify() {
  // In f64, as the norm is: its largest number clips nothing.
  return checkPositive(*this, "max", getMaxNorm());
}

LogicalResult AdamWOp::verify() {
  Named param{"parameter", getParam()};
  for (Named other :
       {Named{"first moment", getFirstMoment()}, Named{"second moment", getSecondMoment()},
        Named{"gradient", getGradient()}, Named{"new parameter", getNewParam()},
        Named{"new first moment", getNewFirstMoment()},
        Named{"new second moment", getNewSecondMoment()}})
    if (failed(checkSameShape(*this, param, other)))
      return failure();
  for (const auto &[name, beta] : {std::pair<StringRef, APFloat>{"beta1", getBeta1()},
                                   std::pair<StringRef, APFloat>{"beta2", getBeta2()}})
    if (!(beta.convertToDouble() >= 0 && beta.convertToDouble() < 1))
      return emitOpError() << name << " is " << beta.convertToDouble()
                           << ", but must be at least 0 and below 1";
  if (double decay = getWeightDecay().convertToDouble(); !(decay >= 0 && std::isfinite(decay)))
    return emitOpError() << "weight_decay is " << decay << ", but must be finite and not negative";
  if (!getToward().isFinite())
    return emitOpError() << "toward is " << getToward().convertToDouble() << ", but must be finite";
  return checkPositiveInF32(*this, "epsilon", getEpsilon());
}
