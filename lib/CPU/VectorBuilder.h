//===- VectorBuilder.h - Emits loops over f32 vectors ---------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_CPU_VECTORBUILDER_H
#define VERNIER_LIB_CPU_VECTORBUILDER_H

#include "vernier/CPU/Kernels.h"

namespace vernier::cpu {

/// A CodeBuilder for one target: its vectors of f32, loops with bounds of type
/// i64, and arithmetic that folds constants.
class VectorBuilder : public CodeBuilder {
public:
  VectorBuilder(mlir::Location loc, mlir::OpBuilder &builder, const CPUTarget &target);

  const CPUTarget &getTarget() const { return target; }
  int64_t getLanes() const { return target.getLanes(); }
  mlir::VectorType getVectorType() const { return vectorType; }

  //===--- Integers of type i64 -------------------------------------------===//

  mlir::Value plus(mlir::Value lhs, mlir::Value rhs);
  mlir::Value plus(mlir::Value lhs, int64_t rhs);
  mlir::Value minus(mlir::Value lhs, mlir::Value rhs);
  mlir::Value times(mlir::Value lhs, int64_t rhs);
  mlir::Value divide(mlir::Value lhs, int64_t rhs);    ///< of numbers not negative
  mlir::Value remainder(mlir::Value lhs, int64_t rhs); ///< likewise
  mlir::Value smaller(mlir::Value lhs, mlir::Value rhs);
  mlir::Value larger(mlir::Value lhs, mlir::Value rhs);
  /// `value`, but not below 0 nor above `high`.
  mlir::Value clamp(mlir::Value value, mlir::Value high);
  mlir::Value roundDown(mlir::Value value, int64_t multiple);
  mlir::Value roundUp(mlir::Value value, int64_t multiple);

  //===--- Memory ----------------------------------------------------------===//

  /// The address `index` f32 after `base`.
  mlir::Value at(mlir::Value base, mlir::Value index);
  mlir::Value at(mlir::Value base, int64_t index);
  /// A vector; of one at a row's end only the first `valid` lanes.
  mlir::Value loadVector(mlir::Value from, int64_t valid = -1);
  void storeVector(mlir::Value value, mlir::Value to, int64_t valid = -1);
  mlir::Value loadScalar(mlir::Value from);
  void storeScalar(mlir::Value value, mlir::Value to);
  /// The f32 at an address, in every lane.
  mlir::Value loadBroadcast(mlir::Value from);

  //===--- Vectors ----------------------------------------------------------===//

  mlir::Value vector(double value); ///< in every lane
  mlir::Value addf(mlir::Value lhs, mlir::Value rhs);
  mlir::Value subf(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mulf(mlir::Value lhs, mlir::Value rhs);
  /// `a * b + c`, rounded once where the target can.
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  /// The larger one; `rhs` if either is not a number.
  mlir::Value maximum(mlir::Value lhs, mlir::Value rhs);
  /// 2^x to 1 ulp, for x below 128. Exactly 1 at 0, and exactly 0 below -126.5:
  /// entries that a softmax masks by a large negative number vanish.
  mlir::Value exp2(mlir::Value x);
  /// The logarithm to base 2 of positive normal numbers, to 2 ulp (absolute
  /// error 1e-7 near 1).
  mlir::Value log2(mlir::Value x);
  /// The sum of a vector's lanes, as a tree.
  mlir::Value sumLanes(mlir::Value value);
  /// Transposes a square of as many vectors as each has lanes.
  llvm::SmallVector<mlir::Value> transpose(mlir::ValueRange rows);

  //===--- Loops -------------------------------------------------------------===//

  /// `for index in [begin, end) step`.
  void loop(mlir::Value begin, mlir::Value end, int64_t step,
            llvm::function_ref<void(mlir::Value index)> body);
  /// The same with values carried from one iteration to the next; returns the
  /// last ones.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value begin, mlir::Value end, int64_t step, mlir::ValueRange carried,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value index,
                                                         mlir::ValueRange carried)>
           body);
  /// Visits the vectors of a row of `length` entries: `valid` is negative for
  /// full ones, and the count of entries of the last one if that is not full.
  void sweepRow(int64_t length, llvm::function_ref<void(mlir::Value column, int64_t valid)> body);
  /// Adds up a row: `body` returns `sum` plus a vector of it. The result is a
  /// number.
  mlir::Value
  sumRow(int64_t length,
         llvm::function_ref<mlir::Value(mlir::Value column, int64_t valid, mlir::Value sum)> body);

private:
  const CPUTarget &target;
  mlir::VectorType vectorType;
};

} // namespace vernier::cpu

#endif // VERNIER_LIB_CPU_VECTORBUILDER_H
