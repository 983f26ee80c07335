//===- Compare.h - Whether two modules compute the same --------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_REFERENCE_COMPARE_H
#define VERNIER_REFERENCE_COMPARE_H

#include "mlir/IR/BuiltinOps.h"
#include "vernier/Reference/Evaluator.h"

namespace vernier::reference {

/// How far apart a result of a function is in two modules: the largest
/// difference of entries over the largest entry.
struct ResultDifference {
  std::string function;
  size_t result = 0;
  double difference = 0;
};

/// Evaluates each public function of `before` and that of the same name in
/// `after`, both in f64 on the same random values. So a rewrite, a decomposition
/// or a fusion is checked without generating code. Functions with other
/// arguments or results than before, or none of that name, are errors.
mlir::FailureOr<std::vector<ResultDifference>> compareModules(mlir::ModuleOp before,
                                                              mlir::ModuleOp after,
                                                              const RuleTable &rules,
                                                              uint64_t seed = 1);

/// The largest entry of |a - b| over the largest of |a|; infinite where only one
/// is a number, or the shapes differ.
double relativeDifference(const Tensor &a, const Tensor &b);

} // namespace vernier::reference

#endif // VERNIER_REFERENCE_COMPARE_H
