//===- FloatMath.cpp - Arithmetic on f32 numbers and vectors ------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;

static Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

static Value splat(ImplicitLocOpBuilder &b, Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, Attribute(element)));
  return arith::ConstantOp::create(b, element);
}

FloatMath::FloatMath(ImplicitLocOpBuilder &b, Type type)
    : b(b), type(type), bits(withElement(type, b.getI32Type())) {}

Value FloatMath::constant(double value) { return splat(b, type, b.getF32FloatAttr(value)); }
Value FloatMath::integer(int64_t value) { return splat(b, bits, b.getI32IntegerAttr(value)); }

Value FloatMath::add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
Value FloatMath::sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
Value FloatMath::mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
Value FloatMath::div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
Value FloatMath::fma(Value x, Value y, Value z) { return math::FmaOp::create(b, x, y, z); }

Value FloatMath::polynomial(Value x, ArrayRef<double> c) {
  Value sum = constant(c.back());
  for (double coefficient : llvm::reverse(c.drop_back()))
    sum = fma(sum, x, constant(coefficient));
  return sum;
}

Value FloatMath::compare(arith::CmpFPredicate predicate, Value x, double y) {
  return arith::CmpFOp::create(b, predicate, x, constant(y));
}

Value FloatMath::select(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(b, condition, yes, no);
}

Value FloatMath::atMost(Value x, double limit) {
  return select(compare(arith::CmpFPredicate::OGT, x, limit), constant(limit), x);
}

Value FloatMath::atLeast(Value x, double limit) {
  return select(compare(arith::CmpFPredicate::OLT, x, limit), constant(limit), x);
}

Value FloatMath::absolute(Value x) { return math::AbsFOp::create(b, x); }

Value FloatMath::withSign(Value x, Value sign) {
  Value signBit = arith::AndIOp::create(b, toBits(sign), integer(INT32_MIN));
  return fromBits(arith::OrIOp::create(b, toBits(x), signBit));
}

Value FloatMath::toBits(Value x) { return arith::BitcastOp::create(b, bits, x); }
Value FloatMath::fromBits(Value x) { return arith::BitcastOp::create(b, type, x); }

// e^x = 2^n e^r with n the integer nearest to x / ln(2), |r| <= ln(2) / 2.
// Adding 1.5 2^23 leaves n in the low bits of a float's mantissa; 126 more
// makes them the exponent field of 2^(n - 1), and the polynomial gives 2 e^r.
// So n = 128 does not overflow too early, and n = -126 makes the factor 0.
Value FloatMath::exp(Value x) {
  // The first factor of n has 9 bits, so that its product with n is exact.
  constexpr double kLn2High = 0x1.63p-1, kLn2Low = -0x1.bd0106p-13;
  constexpr double kLog2e = 0x1.715476p+0, kMagic = 12582912 + 126;
  x = atLeast(atMost(x, 89.0), -87.5);
  Value t = fma(x, constant(kLog2e), constant(kMagic));
  Value n = sub(t, constant(kMagic));
  Value r = fma(n, constant(-kLn2High), x);
  r = fma(n, constant(-kLn2Low), r);
  constexpr double kTwice[] = {2.0,
                               2.0,
                               2 * 0x1.fffffcp-2,
                               2 * 0x1.55548cp-3,
                               2 * 0x1.555858p-5,
                               2 * 0x1.123de0p-7,
                               2 * 0x1.6ac74cp-10};
  Value power = arith::ShLIOp::create(b, toBits(t), integer(23));
  return mul(polynomial(r, kTwice), fromBits(power));
}
