//===- Evaluator.h - The reference evaluator -------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_REFERENCE_EVALUATOR_H
#define VERNIER_REFERENCE_EVALUATOR_H

#include "mlir/IR/BuiltinOps.h"
#include "vernier/Reference/Rules.h"
#include "vernier/Reference/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace vernier::reference {

/// Exact: f64 throughout. Rounded: each result is rounded to its type.
enum class Precision { Exact, Rounded };

/// Runs functions of a module op by op, on the host. Made for reading: the
/// lowerings are tested against it and share no code with it.
class Evaluator {
public:
  /// `params` are the values of `vernier.param` symbols, by name. `params` and
  /// `rules` must outlive the evaluator.
  Evaluator(mlir::ModuleOp module, const llvm::StringMap<Tensor> &params, Precision precision,
            const RuleTable &rules = getGraphRules());

  /// The results of a function. An op without a rule, or arguments that do not
  /// fit, give a diagnostic and failure.
  mlir::FailureOr<std::vector<Tensor>> call(llvm::StringRef function,
                                            llvm::ArrayRef<Tensor> arguments);

  /// What the terminator of a block returns, given the block's arguments: for
  /// rules of operations with a region.
  mlir::FailureOr<std::vector<Tensor>> run(mlir::Block &block, std::vector<Tensor> arguments);

  /// Null if there is no such parameter.
  const Tensor *findParam(llvm::StringRef name) const;

private:
  mlir::LogicalResult checkArguments(mlir::Operation *function, llvm::ArrayRef<mlir::Type> types,
                                     llvm::ArrayRef<Tensor> arguments);

  mlir::LogicalResult apply(mlir::Operation &op, Operands operands,
                            llvm::SmallVectorImpl<Tensor> &results);

  mlir::ModuleOp module;
  const llvm::StringMap<Tensor> &params;
  Precision precision;
  const RuleTable &rules;
  int depth = 0; ///< of nested calls and regions
};

/// Whether values of a type can be held: numbers, and tensors of static shape.
bool isEvaluated(mlir::Type type);

/// The shape of a tensor, or of a number (empty), that is evaluated.
llvm::ArrayRef<int64_t> shapeOf(mlir::Type type);

} // namespace vernier::reference

#endif // VERNIER_REFERENCE_EVALUATOR_H
