//===- StateFunction.h - How state follows rewrites -----------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_SCALE_STATEFUNCTION_H
#define VERNIER_SCALE_STATEFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "vernier/Model/Vernier.h"

namespace vernier {

/// A private function of a module from state before rewrites to state after
/// them: arguments and results have a `#vernier.slot`. Made if there is none of
/// that name; gone again at the end if it returns nothing.
class StateFunction {
public:
  StateFunction(mlir::ModuleOp module, llvm::StringRef name);
  ~StateFunction();
  StateFunction(const StateFunction &) = delete;

  SlotAttr slotOf(SlotRole role, llvm::StringRef param);

  /// The argument with that slot, added if there is none.
  mlir::Value getArgument(SlotAttr slot, mlir::Type type, mlir::Location loc);
  /// Null if there is no such result.
  mlir::Value findResult(SlotAttr slot);
  void setResult(SlotAttr slot, mlir::Value value);
  void dropResult(SlotAttr slot);

  /// Builds at the end of the function.
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() { return function.getLoc(); }
  /// The slot of an argument of this function.
  SlotAttr getSlot(mlir::BlockArgument argument);

private:
  mlir::Operation *getReturn() { return function.getBody().front().getTerminator(); }
  std::optional<unsigned> findNumber(SlotAttr slot);

  mlir::OpBuilder builder;
  mlir::func::FuncOp function;
};

} // namespace vernier

#endif // VERNIER_SCALE_STATEFUNCTION_H
