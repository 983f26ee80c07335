//===- GradientRules.h - Base of the gradient rules ---------- -*- C++ -*--===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_TRAINING_GRADIENTRULES_H
#define VERNIER_LIB_TRAINING_GRADIENTRULES_H

#include "vernier/Training/Differentiation.h"

namespace vernier {

/// A rule in terms of the concrete op: `build`, and where they differ from the
/// default `getSaved` (which values) and `hasGradient` (for which results).
template <typename Rule, typename Op>
struct GradientRule : DifferentiableOpInterface::ExternalModel<Rule, Op> {
  bool hasResultGradient(mlir::Operation *op, unsigned index) const {
    return rule().hasGradient(llvm::cast<Op>(op), index);
  }
  llvm::SmallVector<mlir::Value>
  getSavedValues(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> wanted) const {
    return rule().getSaved(llvm::cast<Op>(op), wanted);
  }
  void buildAdjoint(mlir::Operation *op, mlir::OpBuilder &builder, Cotangents &cotangents) const {
    rule().build(llvm::cast<Op>(op), builder, cotangents);
  }

  bool hasGradient(Op, unsigned) const { return true; }
  llvm::SmallVector<mlir::Value> getSaved(Op, llvm::function_ref<bool(mlir::Value)>) const {
    return {};
  }

private:
  const Rule &rule() const { return static_cast<const Rule &>(*this); }
};

/// `value` as the float type `type`, by arith.extf or arith.truncf if it is another.
mlir::Value convert(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                    mlir::Type type);

void registerModelRules(mlir::DialectRegistry &registry);
void registerUpstreamRules(mlir::DialectRegistry &registry);

} // namespace vernier

#endif // VERNIER_LIB_TRAINING_GRADIENTRULES_H
