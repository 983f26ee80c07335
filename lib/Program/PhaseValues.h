//===- PhaseValues.h - Which values of a phase share a buffer -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_PROGRAM_PHASEVALUES_H
#define VERNIER_LIB_PROGRAM_PHASEVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "vernier/Program/Program.h"

namespace vernier::program {

using mlir::Value;

/// `vernier.slot` of an argument or result; null if it has none.
SlotAttr getArgumentSlot(mlir::func::FuncOp phase, unsigned index);
SlotAttr getResultSlot(mlir::func::FuncOp phase, unsigned index);

/// Whether a value of this role keeps its place from phase to phase.
bool isState(SlotAttr slot);

/// Whether any argument or result of the function has a slot.
bool isPhase(mlir::func::FuncOp function);

/// The operand in whose place the op's only result must lie: a product's
/// `init`, the table of a scatter-add. Null if there is none.
mlir::OpOperand *getOverwritten(mlir::Operation *op);

/// The first of the values that lie in one place with `value`, each
/// overwriting the one before, with views stripped.
Value getFirstInPlace(Value value);

/// All readers of a value and of its views; views themselves are not among
/// them.
llvm::SmallVector<mlir::OpOperand *> getReads(Value value);

} // namespace vernier::program

#endif // VERNIER_LIB_PROGRAM_PHASEVALUES_H
