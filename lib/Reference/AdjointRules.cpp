//===- AdjointRules.cpp - Rules of the adjoints of layers ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Reference/Formulas.h"
#include "vernier/Reference/Rules.h"
#include <cmath>

using namespace mlir;
using namespace vernier;
using namespace vernier::reference;

// dx[r, i] = sum_o dy[r, o] w[o, i]
static void linearInputGrad(LinearInputGradOp, Operands in, Results out) {
  const Tensor &dy = *in[0], &w = *in[1];
  for (int64_t r = 0; r < dy.rows(); ++r)
    for (int64_t o = 0; o < w.rows(); ++o)
      addScaled(dy.row(r)[o], w.row(o), out[0].row(r), w.width());
}

// dw[o, i] = sum_r dy[r, o] x[r, i]
static void linearWeightGrad(LinearWeightGradOp, Operands in, Results out) {
  const Tensor &dy = *in[0], &x = *in[1];
  for (int64_t r = 0; r < dy.rows(); ++r)
    for (int64_t o = 0; o < dy.width(); ++o)
      addScaled(dy.row(r)[o], x.row(r), out[0].row(o), x.width());
}

static void columnSum(ColumnSumOp, Operands in, Results out) {
  for (int64_t r = 0; r < in[0]->rows(); ++r)
    addScaled(1, in[0]->row(r), out[0].data.data(), in[0]->width());
}

static void rowSum(RowSumOp, Operands in, Results out) {
  for (int64_t r = 0; r < in[0]->rows(); ++r)
    for (int64_t j = 0; j < in[0]->width(); ++j)
      out[0].data[r] += in[0]->row(r)[j];
}

static LogicalResult embeddingGrad(EmbeddingGradOp op, Operands in, Results out) {
  out[0] = *in[2];
  return scatterAddRows(op, *in[0], *in[1], out[0]);
}

// dx = r (dy - mean(dy) - n mean(dy n)) with the normalized row n = r (x - m).
// Without centering (rms_norm) m and the second term are 0.
static void normGrad(const Tensor &dy, const Tensor &x, double epsilon, bool centered,
                     Tensor &result) {
  int64_t d = x.width();
  for (int64_t row = 0; row < x.rows(); ++row) {
    const double *xs = x.row(row), *dys = dy.row(row);
    double mean = 0, meanGrad = 0, variance = 0, projection = 0;
    for (int64_t j = 0; centered && j < d; ++j) {
      mean += xs[j] / d;
      meanGrad += dys[j] / d;
    }
    for (int64_t j = 0; j < d; ++j)
      variance += (xs[j] - mean) * (xs[j] - mean) / d;
    double r = 1 / std::sqrt(variance + epsilon);
    for (int64_t j = 0; j < d; ++j)
      projection += dys[j] * r * (xs[j] - mean) / d;
    for (int64_t j = 0; j < d; ++j)
      result.row(row)[j] = r * (dys[j] - meanGrad - r * (xs[j] - mean) * projection);
  }
}

static void gluGrad(GluGradOp op, Operands in, Results out) {
  const Tensor &dy = *in[0], &gate = *in[1], &up = *in[2];
  for (int64_t i = 0; i < dy.size(); ++i) {
    ActivationValue a = activation(op.getActivation(), gate.data[i]);
    out[0].data[i] = dy.data[i] * up.data[i] * a.derivative;
    out[1].data[i] = dy.data[i] * a.value;
  }
}

void vernier::reference::populateAdjointRules(RuleTable &rules) {
  rules.add<LinearInputGradOp>(linearInputGrad);
  rules.add<LinearWeightGradOp>(linearWeightGrad);
  rules.add<ColumnSumOp>(columnSum);
  rules.add<RowSumOp>(rowSum);
  rules.add<EmbeddingGradOp>(embeddingGrad);
  rules.add<RMSNormGradOp>([](RMSNormGradOp op, Operands in, Results out) {
    normGrad(*in[0], *in[1], op.getEpsilon().convertToDouble(), /*centered=*/false, out[0]);
  });
  rules.add<LayerNormGradOp>([](LayerNormGradOp op, Operands in, Results out) {
    normGrad(*in[0], *in[1], op.getEpsilon().convertToDouble(), /*centered=*/true, out[0]);
  });
  rules.add<GluGradOp>(gluGrad);
}
