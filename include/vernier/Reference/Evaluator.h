//===- Evaluator.h - The reference evaluator -------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_REFERENCE_EVALUATOR_H
#define VERNIER_REFERENCE_EVALUATOR_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace vernier::reference {

/// A value: row-major entries in f64 (integers and counts too: all that occur
/// are exact). A tensor of rank 0 has one entry.
struct Tensor {
  std::vector<int64_t> shape;
  std::vector<double> data;
};

/// Exact: f64 throughout. Rounded: each result is rounded to its type.
enum class Precision { Exact, Rounded };

/// Runs functions of a module op by op, on the host. Made for reading: the
/// lowerings are tested against it and share no code with it.
class Evaluator {
public:
  /// `params` are the values of `vernier.param` symbols, by name. Both must
  /// outlive the evaluator.
  Evaluator(mlir::ModuleOp module, const llvm::StringMap<Tensor> &params, Precision precision);

  /// The results of a function. An op without a rule, or arguments that do not
  /// fit, give a diagnostic and failure.
  mlir::FailureOr<std::vector<Tensor>> call(llvm::StringRef function,
                                            llvm::ArrayRef<Tensor> arguments);

private:
  mlir::ModuleOp module;
  const llvm::StringMap<Tensor> &params;
  Precision precision;
};

} // namespace vernier::reference

#endif // VERNIER_REFERENCE_EVALUATOR_H
