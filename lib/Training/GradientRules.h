//===- GradientRules.h - Base of the gradient rules ---------- -*- C++ -*--===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_TRAINING_GRADIENTRULES_H
#define VERNIER_LIB_TRAINING_GRADIENTRULES_H

#include "vernier/Training/Differentiation.h"
#include "llvm/ADT/STLExtras.h"

namespace vernier {

/// Whether the gradient of a value is wanted.
using Wanted = llvm::function_ref<bool(mlir::Value)>;

/// A rule in terms of the concrete op. `Rule` has `build`, and, where the
/// defaults (nothing is saved, all results have gradients) do not fit,
/// `getSaved` (which values) and `hasGradient` (for which results).
template <typename Rule, typename Op>
struct GradientRule : DifferentiableOpInterface::ExternalModel<Rule, Op> {
  bool hasResultGradient(mlir::Operation *op, unsigned index) const {
    if constexpr (llvm::is_detected<HasGradient, Rule>::value)
      return rule().hasGradient(llvm::cast<Op>(op), index);
    return true;
  }
  llvm::SmallVector<mlir::Value> getSavedValues(mlir::Operation *op, Wanted wanted) const {
    if constexpr (llvm::is_detected<GetSaved, Rule>::value)
      return rule().getSaved(llvm::cast<Op>(op), wanted);
    return {};
  }
  void buildAdjoint(mlir::Operation *op, mlir::OpBuilder &builder, Cotangents &cotangents) const {
    rule().build(llvm::cast<Op>(op), builder, cotangents);
  }

private:
  template <typename R> using HasGradient = decltype(&R::hasGradient);
  template <typename R> using GetSaved = decltype(&R::getSaved);

  const Rule &rule() const { return static_cast<const Rule &>(*this); }
};

/// `value` as the float type `type`, by arith.extf or arith.truncf if it is another.
mlir::Value convert(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                    mlir::Type type);

void registerModelRules(mlir::DialectRegistry &registry);
void registerUpstreamRules(mlir::DialectRegistry &registry);

} // namespace vernier

#endif // VERNIER_LIB_TRAINING_GRADIENTRULES_H
