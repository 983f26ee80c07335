//===- Differentiation.h - Gradients of straight-line graphs - -*- C++ -*--===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TRAINING_DIFFERENTIATION_H
#define VERNIER_TRAINING_DIFFERENTIATION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace vernier {

/// The gradients known so far while a graph is walked backwards, and the set of
/// values that a gradient is wanted of: those that depend on what is
/// differentiated with respect to. A value whose gradient is zero has none, so
/// that no tensors of zeros arise.
class Cotangents {
public:
  explicit Cotangents(mlir::OpBuilder &builder) : builder(builder) {}

  /// The gradient of `value`, which has its type; null if there is none.
  mlir::Value get(mlir::Value value) const { return gradients.lookup(value); }

  /// Adds to the gradient of `value`, by a `vernier.add` if it has one already.
  /// Drops gradients that are not wanted.
  void add(mlir::Value value, mlir::Value gradient);

  /// Gives the gradient of `value` away, for an adjoint that adds to one
  /// itself and then hands back the sum. Null if there is none.
  mlir::Value take(mlir::Value value);

  bool wants(mlir::Value value) const { return wanted.contains(value); }
  void want(mlir::Value value) { wanted.insert(value); }

private:
  friend class BackwardPass;
  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, mlir::Value> gradients;
  llvm::DenseSet<mlir::Value> wanted;
};

/// A value and its gradient, of the same type.
struct Seed {
  mlir::Value value, gradient;
};

/// Builds, at `builder`'s insertion point, the adjoints of `forward`:
/// operations without regions in an order of execution, all before that point.
///
/// `seeds` are the gradients that come from outside: of results, and also of
/// values in `withRespectTo` that have a gradient already, to which the new one
/// is added. Returns the gradients of `withRespectTo`, null where one is zero.
///
/// Takes time linear in the size of the graph. All operations that lack a rule
/// are reported in one error, as `reportMissingRules` does.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
differentiate(llvm::ArrayRef<mlir::Operation *> forward, llvm::ArrayRef<mlir::Value> withRespectTo,
              llvm::ArrayRef<Seed> seeds, mlir::OpBuilder &builder, mlir::Location loc,
              llvm::StringRef what);

/// An operation that a gradient goes through and that has no rule for it.
struct MissingRule {
  mlir::Location loc;
  std::string message;
};

/// The operations among `forward` without which the gradients of `values` with
/// respect to `withRespectTo` cannot be built, in order.
llvm::SmallVector<MissingRule> findMissingRules(llvm::ArrayRef<mlir::Operation *> forward,
                                                llvm::ArrayRef<mlir::Value> withRespectTo,
                                                llvm::ArrayRef<mlir::Value> values);

/// Fails with one error, "cannot differentiate `what`: ...", at `loc` and a note at each
/// operation; succeeds if there is none.
llvm::LogicalResult reportMissingRules(llvm::ArrayRef<MissingRule> missing, mlir::Location loc,
                                       llvm::StringRef what);

/// Whether a value can have a gradient: tensors of floats, and floats.
bool isDifferentiable(mlir::Type type);

/// A tensor (or scalar) of zeros.
mlir::Value createZero(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

/// Attaches the gradient rules to the operations of the dialects `vernier`,
/// `tensor` and `arith` that have one.
void registerGradientRules(mlir::DialectRegistry &registry);

} // namespace vernier

#include "vernier/Training/DifferentiableOpInterface.h.inc"

#endif // VERNIER_TRAINING_DIFFERENTIATION_H
