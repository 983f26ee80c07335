//===- ParameterValues.h - How values follow rewrites ---------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_SCALE_PARAMETERVALUES_H
#define VERNIER_SCALE_PARAMETERVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "vernier/Model/Vernier.h"

namespace vernier {

/// The function of a rewritten graph from the parameters that the graph was
/// made with to those that it has now.
inline constexpr llvm::StringLiteral valuesFunctionName = "vernier.values";

/// Builds that function along with the rewrites. It takes old values and
/// returns new ones, each with `#vernier.slot<param, "name">`. A parameter of
/// the graph that is not among the results has kept its name and value; one
/// that is among the results and in the graph no more is never left. So the
/// function of several rewrites is one, from the first graph to the last.
class ParameterValues {
public:
  explicit ParameterValues(mlir::ModuleOp module);
  /// Erases the function again where no value is computed by it.
  ~ParameterValues();

  /// The value of a parameter of the graph as it is now.
  mlir::Value get(ParamOp param);
  /// Gives a parameter, new or not, a value.
  void set(ParamOp param, mlir::Value value);
  /// Forgets a parameter that is erased.
  void drop(llvm::StringRef param);

  /// Builds the computations, at the end of the function.
  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() { return function.getLoc(); }

private:
  SlotAttr slotOf(llvm::StringRef param);
  std::optional<unsigned> findResult(llvm::StringRef param);
  mlir::Operation *getReturn();

  mlir::OpBuilder builder;
  mlir::func::FuncOp function;
};

} // namespace vernier

#endif // VERNIER_SCALE_PARAMETERVALUES_H
