//===- ScaleFormRules.cpp - Rules of reparameterized scales --------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Model/Vernier.h"
#include "vernier/Reference/Evaluator.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace vernier;
using namespace vernier::reference;

using Vector = std::vector<double>;

static double dot(const Vector &a, const Vector &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

static double mean(const Vector &a) {
  return std::accumulate(a.begin(), a.end(), 0.0) / static_cast<double>(a.size());
}

static double rootMeanSquare(const Vector &a) {
  return std::sqrt(dot(a, a) / static_cast<double>(a.size()));
}

/// The vector that a direction a and a magnitude b stand for.
static Vector compose(ScaleForm form, const Vector &a, double b) {
  Vector result(a.size());
  double center = form == ScaleForm::Exponential ? mean(a) : 0, length = rootMeanSquare(a);
  for (size_t j = 0; j < a.size(); ++j)
    result[j] = form == ScaleForm::Exponential ? std::exp(b + a[j] - center) : b * a[j] / length;
  return result;
}

static void fromDirection(ScaleFromDirectionOp op, Operands in, Results out) {
  out[0].data = compose(op.getForm(), in[0]->data, in[1]->data[0]);
}

static void toDirection(ScaleToDirectionOp op, Operands in, Results out) {
  Vector direction = in[0]->data;
  double &magnitude = out[1].data[0];
  if (op.getForm() == ScaleForm::Exponential) {
    for (double &entry : direction)
      entry = std::log(entry);
    magnitude = mean(direction);
    for (double &entry : direction)
      entry -= magnitude;
  } else {
    magnitude = rootMeanSquare(direction);
    if (magnitude == 0)
      magnitude = NAN; // has no direction
  }
  out[0].data = std::move(direction);
}

// The gradients as sums over the squared entries of the Jacobian J of gamma:
// J_jk = b / rms(a) (delta_jk - u_j u_k / d) for a_k and u_j for b, or
// gamma_j (delta_jk - 1 / d) for a_k and gamma_j for b.
static void fromDirectionGradSquared(ScaleFromDirectionGradOp op, Operands in, Results out) {
  const Vector &dy = in[0]->data, &a = in[1]->data;
  double b = in[2]->data[0], count = static_cast<double>(a.size());
  bool exponential = op.getForm() == ScaleForm::Exponential;
  Vector column = compose(op.getForm(), a, exponential ? b : 1); // of b
  double length = b / rootMeanSquare(a);
  for (size_t j = 0; j < a.size(); ++j) {
    out[1].data[0] += dy[j] * column[j] * column[j];
    for (size_t k = 0; k < a.size(); ++k) {
      double same = j == k ? 1 : 0;
      double entry = exponential ? column[j] * (same - 1 / count)
                                 : length * (same - column[j] * column[k] / count);
      out[0].data[k] += dy[j] * entry * entry;
    }
  }
}

static void fromDirectionGrad(ScaleFromDirectionGradOp op, Operands in, Results out) {
  if (op.getSquared())
    return fromDirectionGradSquared(op, in, out);
  const Vector &dy = in[0]->data, &a = in[1]->data;
  double b = in[2]->data[0], count = static_cast<double>(a.size());
  Vector &da = out[0].data;
  double &db = out[1].data[0];
  if (op.getForm() == ScaleForm::Exponential) {
    Vector gamma = compose(ScaleForm::Exponential, a, b);
    db = dot(dy, gamma);
    for (size_t j = 0; j < a.size(); ++j)
      da[j] = dy[j] * gamma[j] - db / count;
    return;
  }
  Vector unit = compose(ScaleForm::Original, a, 1);
  db = dot(dy, unit);
  for (size_t j = 0; j < a.size(); ++j)
    da[j] = b / rootMeanSquare(a) * (dy[j] - unit[j] * db / count);
}

void vernier::reference::populateScaleFormRules(RuleTable &rules) {
  rules.add<ScaleFromDirectionOp>(fromDirection);
  rules.add<ScaleToDirectionOp>(toDirection);
  rules.add<ScaleFromDirectionGradOp>(fromDirectionGrad);
}
