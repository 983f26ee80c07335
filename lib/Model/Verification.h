//===- Verification.h - Checks that several operations share ------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each check reports what the operation has beside what it needs, with the
// names that operands and results have in the documentation.

#ifndef VERNIER_LIB_MODEL_VERIFICATION_H
#define VERNIER_LIB_MODEL_VERIFICATION_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace vernier {

/// A value of the operation under check, by the name of its documentation.
struct Named {
  llvm::StringRef name;
  mlir::Value value;

  mlir::RankedTensorType type() const {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  llvm::ArrayRef<int64_t> shape() const { return type().getShape(); }
  int64_t rank() const { return type().getRank(); }
};

/// "8x256x384", or "scalar".
std::string printShape(llvm::ArrayRef<int64_t> shape);

llvm::LogicalResult checkRank(mlir::Operation *op, Named value, int64_t rank);

/// At least one dimension.
llvm::LogicalResult checkNotScalar(mlir::Operation *op, Named value);

llvm::LogicalResult checkShape(mlir::Operation *op, Named value, llvm::ArrayRef<int64_t> expected);

llvm::LogicalResult checkSameShape(mlir::Operation *op, Named first, Named second);

/// The shape of `value` without its last dimension is `expected`'s.
llvm::LogicalResult checkLeading(mlir::Operation *op, Named value, llvm::ArrayRef<int64_t> leading);

/// `number`, called `what`, is greater than zero and finite.
llvm::LogicalResult checkPositive(mlir::Operation *op, llvm::StringRef what, llvm::APFloat number);

/// So too where compiled code has it, in f32, where a subnormal may be taken for 0.
llvm::LogicalResult checkPositiveInF32(mlir::Operation *op, llvm::StringRef what,
                                       llvm::APFloat number);

} // namespace vernier

#endif // VERNIER_LIB_MODEL_VERIFICATION_H
