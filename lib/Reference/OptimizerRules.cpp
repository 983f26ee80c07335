//===- OptimizerRules.cpp - Rules of clipping and AdamW ------------------===//
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

static void globalNorm(GlobalNormOp, Operands in, Results out) {
  double squares = 0;
  for (const Tensor *gradient : in)
    for (double value : gradient->data)
      squares += value * value;
  out[0].data[0] = std::sqrt(squares);
}

// 1e-6 is that of PyTorch's clip_grad_norm_.
static void clipFactor(ClipFactorOp op, Operands in, Results out) {
  out[0].data[0] = std::min(1.0, op.getMaxNorm().convertToDouble() / (in[0]->data[0] + 1e-6));
}

static void adamW(AdamWOp op, Operands in, Results out) {
  const Tensor &param = *in[0], &first = *in[1], &second = *in[2], &gradient = *in[3];
  double steps = in[4]->data[0], rate = in[5]->data[0], clip = in[6]->data[0];
  double beta1 = op.getBeta1().convertToDouble(), beta2 = op.getBeta2().convertToDouble();
  double epsilon = op.getEpsilon().convertToDouble();
  double decay = op.getWeightDecay().convertToDouble(), toward = op.getToward().convertToDouble();
  double correction1 = 1 - std::pow(beta1, steps), correction2 = 1 - std::pow(beta2, steps);
  for (int64_t i = 0; i < param.size(); ++i) {
    double p = param.data[i], g = clip * gradient.data[i];
    double m = beta1 * first.data[i] + (1 - beta1) * g;
    double v = beta2 * second.data[i] + (1 - beta2) * g * g;
    double mHat = m / correction1, vHat = v / correction2;
    out[0].data[i] = p - rate * decay * (p - toward) - rate * mHat / (std::sqrt(vHat) + epsilon);
    out[1].data[i] = m;
    out[2].data[i] = v;
  }
}

void vernier::reference::populateOptimizerRules(RuleTable &rules) {
  rules.add<GlobalNormOp>(globalNorm);
  rules.add<ClipFactorOp>(clipFactor);
  rules.add<AdamWOp>(adamW);
}
