//===- CountableShapes.h - Sizes that can be computed with --------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_MODEL_COUNTABLESHAPES_H
#define VERNIER_MODEL_COUNTABLESHAPES_H

#include "mlir/IR/OpDefinition.h"

namespace vernier {

/// Entries of a tensor: so many that bytes, and sums over tensors, fit into 64
/// bits, and more than any machine holds.
constexpr int64_t mostEntries = int64_t(1) << 48;

/// Reports a type of more entries than `mostEntries`, as that of `what`.
llvm::LogicalResult verifyCountable(mlir::Operation *op, mlir::Type type, const llvm::Twine &what);

/// Operands and results have at most `mostEntries` entries.
template <typename ConcreteType>
class CountableShapes : public mlir::OpTrait::TraitBase<ConcreteType, CountableShapes> { // NOLINT
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
      if (failed(verifyCountable(op, type, "operand " + llvm::Twine(index))))
        return llvm::failure();
    for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
      if (failed(verifyCountable(op, type, "result " + llvm::Twine(index))))
        return llvm::failure();
    return llvm::success();
  }
};

} // namespace vernier

#endif // VERNIER_MODEL_COUNTABLESHAPES_H
