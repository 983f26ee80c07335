//===- Tensor.cpp - Values and how they are rounded ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Reference/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "vernier/Reference/Rounding.h"
#include <cmath>

using namespace vernier::reference;

static int64_t product(const std::vector<int64_t> &shape) {
  int64_t size = 1;
  for (int64_t dimension : shape)
    size *= dimension;
  return size;
}

Tensor::Tensor(std::vector<int64_t> dimensions)
    : shape(std::move(dimensions)), data(product(shape), 0.0) {}

// A binary format with `precision` significant bits, the hidden one included,
// whose normal numbers have exponents from `minExponent` to `maxExponent`.
static double roundToFormat(double value, int precision, int minExponent, int maxExponent) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent = std::max(std::ilogb(value), minExponent);
  // The distance between neighbours at this exponent. Scaling by a power of two
  // is exact, and nearbyint takes ties to even.
  int spacing = exponent - (precision - 1);
  double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -spacing)), spacing);
  bool overflows = std::ilogb(rounded) > maxExponent;
  return overflows ? std::copysign(HUGE_VAL, value) : rounded;
}

double vernier::reference::roundTo(mlir::Type elementType, double value) {
  if (elementType.isF32())
    return roundToFormat(value, 24, -126, 127);
  if (elementType.isBF16())
    return roundToFormat(value, 8, -126, 127);
  return value;
}

void vernier::reference::roundTo(mlir::Type elementType, Tensor &tensor) {
  if (!elementType.isF32() && !elementType.isBF16())
    return;
  for (double &value : tensor.data)
    value = roundTo(elementType, value);
}
