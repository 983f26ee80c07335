//===- Rounding.h - Rounding of f64 to a narrower format -------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_REFERENCE_ROUNDING_H
#define VERNIER_REFERENCE_ROUNDING_H

#include "mlir/IR/Types.h"
#include "vernier/Reference/Tensor.h"

namespace vernier::reference {

/// The nearest value that the floating-point type has, ties to even; subnormal
/// numbers are kept, and what is beyond the largest one becomes infinite.
/// Integers and f64 stay as they are.
double roundTo(mlir::Type elementType, double value);

/// Rounds every entry.
void roundTo(mlir::Type elementType, Tensor &tensor);

} // namespace vernier::reference

#endif // VERNIER_REFERENCE_ROUNDING_H
