//===- FloatMath.h - Arithmetic on f32 numbers and vectors ------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_CPU_FLOATMATH_H
#define VERNIER_LIB_CPU_FLOATMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/ArrayRef.h"

namespace vernier::cpu {

/// Emits arithmetic of one type: f32 or a vector of them. Without fast-math
/// flags, since roundings are part of the algorithms.
class FloatMath {
public:
  FloatMath(mlir::ImplicitLocOpBuilder &b, mlir::Type type);

  mlir::Value constant(double value);
  mlir::Value integer(int64_t value);

  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z); ///< x y + z
  /// c[0] + c[1] x + c[2] x^2 + ...
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> c);

  /// One instruction each on x86; a NaN in x stays.
  mlir::Value atMost(mlir::Value x, double limit);
  mlir::Value atLeast(mlir::Value x, double limit);
  mlir::Value absolute(mlir::Value x);
  /// |x| with the sign of `sign`, for an x that is not negative.
  mlir::Value withSign(mlir::Value x, mlir::Value sign);
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x, double y);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);

  mlir::Value toBits(mlir::Value x);
  mlir::Value fromBits(mlir::Value x);

  /// e^x, as `vernier-expand-math` says.
  mlir::Value exp(mlir::Value x);

private:
  mlir::ImplicitLocOpBuilder &b;
  mlir::Type type, bits;
};

} // namespace vernier::cpu

#endif // VERNIER_LIB_CPU_FLOATMATH_H
