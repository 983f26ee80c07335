//===- RandomValues.h - Values to evaluate a function with -----*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_REFERENCE_RANDOMVALUES_H
#define VERNIER_REFERENCE_RANDOMVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "vernier/Reference/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include <random>

namespace vernier::reference {

/// Draws values that fit what a graph does with them. The same seed gives the
/// same values.
class RandomValues {
public:
  explicit RandomValues(uint64_t seed) : generator(seed) {}

  /// Independent standard normal entries.
  Tensor normal(llvm::ArrayRef<int64_t> shape);

  /// A value for each argument. Floats are standard normal (positive where they
  /// are second moments of AdamW); token ids lie in the table that they choose
  /// rows of; of the targets a quarter is ignored; a count is a small positive
  /// number, and other integers are 0 or 1.
  std::vector<Tensor> arguments(mlir::func::FuncOp function);

  /// A value for each parameter, normal with a deviation of 1, or for matrices
  /// of 1 / sqrt(columns), so that layers neither swell nor fade.
  llvm::StringMap<Tensor> params(mlir::ModuleOp module);

private:
  Tensor argument(mlir::Value argument);
  Tensor integers(llvm::ArrayRef<int64_t> shape, int64_t begin, int64_t end);
  Tensor targets(llvm::ArrayRef<int64_t> shape, int64_t vocabulary, int32_t ignoreIndex);

  std::mt19937_64 generator;
};

} // namespace vernier::reference

#endif // VERNIER_REFERENCE_RANDOMVALUES_H
