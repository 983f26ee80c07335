//===- Activations.cpp - Activations and their derivatives ---------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Reference/Formulas.h"
#include <cmath>

using namespace vernier;
using namespace vernier::reference;

// x s and s (1 + x (1 - s)) with the logistic function s.
static ActivationValue silu(double x) {
  double s = 1 / (1 + std::exp(-x));
  return {x * s, s * (1 + x * (1 - s))};
}

// x Phi(x) and Phi(x) + x phi(x), of the standard normal distribution.
static ActivationValue gelu(double x) {
  double distribution = 0.5 * std::erfc(-x / std::sqrt(2.0));
  double density = std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
  return {x * distribution, distribution + x * density};
}

// x (1 + tanh u) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3): Hendrycks and
// Gimpel, arXiv 1606.08415, section 2.
static ActivationValue geluTanh(double x) {
  double c = std::sqrt(2 / M_PI), a = 0.044715;
  double t = std::tanh(c * (x + a * x * x * x));
  return {0.5 * x * (1 + t), 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * a * x * x)};
}

static ActivationValue relu(double x) { return x > 0 ? ActivationValue{x, 1} : ActivationValue{}; }

ActivationValue vernier::reference::activation(Activation kind, double x) {
  switch (kind) {
  case Activation::SiLU:
    return silu(x);
  case Activation::GELU:
    return gelu(x);
  case Activation::GELUTanh:
    return geluTanh(x);
  case Activation::ReLU:
    return relu(x);
  }
  return {};
}
