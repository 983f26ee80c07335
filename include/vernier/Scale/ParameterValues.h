//===- ParameterValues.h - How values follow rewrites ---------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_SCALE_PARAMETERVALUES_H
#define VERNIER_SCALE_PARAMETERVALUES_H

#include "mlir/IR/IRMapping.h"
#include "vernier/Scale/StateFunction.h"

namespace vernier {

/// The function of a rewritten graph from the parameters that the graph was
/// made with to those that it has now.
inline constexpr llvm::StringLiteral valuesFunctionName = "vernier.values";

/// The same for AdamW's state: from moments and step counts (and, where
/// derivatives need them, parameters) before to moments and step counts after.
inline constexpr llvm::StringLiteral momentsFunctionName = "vernier.moments";

/// Erases both: for a graph whose values were mapped by them, and which is then
/// one that no rewrite led to.
void dropStateFunctions(mlir::ModuleOp module);

/// AdamW's state of one parameter, as values of @vernier.moments.
struct ParameterMoments {
  mlir::Value first, second; ///< in the parameter's shape
  mlir::Value steps;         ///< tensor<i64>
};

/// Builds those functions along with the rewrites. The first takes old values and
/// returns new ones, each with `#vernier.slot<param, "name">`. A parameter of
/// the graph that is not among the results has kept its name and value; one
/// that is among the results and in the graph no more is never left. So the
/// function of several rewrites is one, from the first graph to the last.
///
/// The second has the slots param, first_moment, second_moment and steps. Moments
/// that are not among its results are unchanged if the parameter's value is, and
/// zero, with a step count of zero, if it is not.
class ParameterValues {
public:
  /// The functions are gone again at the end where they compute nothing.
  explicit ParameterValues(mlir::ModuleOp module);

  /// The value of a parameter of the graph as it is now.
  mlir::Value get(ParamOp param);
  /// Gives a parameter, new or not, a value. Its moments are zero then, until
  /// `setMoments` gives it some.
  void set(ParamOp param, mlir::Value value);
  /// Forgets a parameter that is erased.
  void drop(llvm::StringRef param);

  /// AdamW's state of a parameter of the graph as it is now.
  ParameterMoments getMoments(ParamOp param);
  void setMoments(ParamOp param, const ParameterMoments &moments);
  /// What a parameter has whose gradients are `share` / `of` those that `moments`
  /// have seen: the first moment by that factor, the second by its square.
  ParameterMoments takeShare(const ParameterMoments &moments, int64_t share, int64_t of);
  /// A value of the first function, computed in the second.
  mlir::Value inMoments(mlir::Value value);

  /// Builds the computations, at the end of the function.
  mlir::OpBuilder &getBuilder() { return values.getBuilder(); }
  mlir::OpBuilder &getMomentsBuilder() { return moments.getBuilder(); }
  mlir::Location getLoc() { return values.getLoc(); }

private:
  ParameterMoments makeZeros(ParamOp param);
  void dropMoments(llvm::StringRef param);

  StateFunction values, moments;
  mlir::IRMapping copied; ///< from values to moments
};

} // namespace vernier

#endif // VERNIER_SCALE_PARAMETERVALUES_H
