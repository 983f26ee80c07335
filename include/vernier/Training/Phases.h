//===- Phases.h - Functions whose arguments and results have slots - -*- C++ -*--===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TRAINING_PHASES_H
#define VERNIER_TRAINING_PHASES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "vernier/Model/Vernier.h"

namespace vernier {

/// The attribute of a phase's arguments and results.
inline constexpr llvm::StringLiteral slotAttrName = "vernier.slot";

/// A private function from the gradients of all parameters to norms of groups of
/// them, of which the phase `gradient_norms` is made.
inline constexpr llvm::StringLiteral groupNormsFunctionName = "norms_of_gradients";

/// The slot of an argument or result; null if it has none.
SlotAttr getArgumentSlot(mlir::func::FuncOp function, unsigned index);
SlotAttr getResultSlot(mlir::func::FuncOp function, unsigned index);

/// Builds a phase: a function of one block at the end of a module, whose
/// arguments and results are added one by one with their slots.
class PhaseBuilder {
public:
  PhaseBuilder(mlir::ModuleOp module, llvm::StringRef name, mlir::Location loc);

  mlir::Value addArgument(mlir::Type type, SlotAttr slot, mlir::Location loc);
  mlir::Value addArgument(mlir::Type type, SlotRole role, llvm::StringRef name, mlir::Location loc);
  void addResult(mlir::Value value, SlotAttr slot);
  void addResult(mlir::Value value, SlotRole role, llvm::StringRef name = "");

  /// Lets cloned bodies read `value` where they take `slot`, as if that were an
  /// argument.
  void define(SlotAttr slot, mlir::Value value) { arguments[slot] = value; }

  /// Takes arguments of `source` over, except those with a role in `without`.
  void addArgumentsOf(mlir::func::FuncOp source, llvm::ArrayRef<SlotRole> without = {});
  /// Clones the operations of `source`'s body. Its arguments are mapped to
  /// those of the same slot here; arguments that have none must be unused.
  llvm::SmallVector<mlir::Operation *> cloneBodyOf(mlir::func::FuncOp source);

  /// The value here of a value of a cloned body.
  mlir::Value lookup(mlir::Value value) const { return mapping.lookup(value); }
  /// The argument (or what was defined) of a slot; null if there is none.
  mlir::Value getArgument(SlotAttr slot) const { return arguments.lookup(slot); }
  SlotAttr getSlot(SlotRole role, llvm::StringRef name = "") const;
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::func::FuncOp getFunction() { return function; }

  /// Returns the results, sets type and slots, and erases what is not used.
  void finish();

private:
  mlir::func::FuncOp function;
  mlir::Block *block;
  mlir::OpBuilder builder;
  mlir::IRMapping mapping;
  llvm::DenseMap<SlotAttr, mlir::Value> arguments;
  llvm::SmallVector<SlotAttr> argumentSlots, resultSlots;
  llvm::SmallVector<mlir::Value> results;
};

/// Erases, in time linear in the size of the block, operations without side
/// effects whose results are not used.
void eraseUnusedOps(mlir::Block &block);

/// Finds a function that an earlier pass made; an error at `module` that names
/// that pass if it is not there.
mlir::FailureOr<mlir::func::FuncOp> findPhase(mlir::ModuleOp module, llvm::StringRef name,
                                              llvm::StringRef pass);

} // namespace vernier

#endif // VERNIER_TRAINING_PHASES_H
