//===- VectorBuilder.cpp - Emits loops over f32 vectors --------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;

VectorBuilder::VectorBuilder(Location loc, OpBuilder &builder, const CPUTarget &target)
    : CodeBuilder(loc, builder), target(target),
      vectorType(VectorType::get(target.getLanes(), builder.getF32Type())) {}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value VectorBuilder::plus(Value lhs, Value rhs) { return createOrFold<arith::AddIOp>(lhs, rhs); }

Value VectorBuilder::plus(Value lhs, int64_t rhs) { return plus(lhs, constant(rhs)); }

Value VectorBuilder::minus(Value lhs, Value rhs) { return createOrFold<arith::SubIOp>(lhs, rhs); }

Value VectorBuilder::times(Value lhs, int64_t rhs) {
  return createOrFold<arith::MulIOp>(lhs, constant(rhs));
}

Value VectorBuilder::divide(Value lhs, int64_t rhs) {
  return createOrFold<arith::DivUIOp>(lhs, constant(rhs));
}

Value VectorBuilder::remainder(Value lhs, int64_t rhs) {
  return createOrFold<arith::RemUIOp>(lhs, constant(rhs));
}

Value VectorBuilder::smaller(Value lhs, Value rhs) {
  return createOrFold<arith::MinSIOp>(lhs, rhs);
}

Value VectorBuilder::larger(Value lhs, Value rhs) { return createOrFold<arith::MaxSIOp>(lhs, rhs); }

Value VectorBuilder::clamp(Value value, Value high) {
  return smaller(larger(value, constant(0)), high);
}

Value VectorBuilder::roundDown(Value value, int64_t multiple) {
  return times(divide(value, multiple), multiple);
}

Value VectorBuilder::roundUp(Value value, int64_t multiple) {
  return roundDown(plus(value, multiple - 1), multiple);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value VectorBuilder::at(Value base, Value index) { return address(getF32Type(), base, index); }

Value VectorBuilder::at(Value base, int64_t index) {
  return index ? at(base, constant(index)) : base;
}

Value VectorBuilder::loadVector(Value from, int64_t valid) {
  return load(vectorType, from, constant(0), valid);
}

void VectorBuilder::storeVector(Value value, Value to, int64_t valid) {
  store(value, to, constant(0), valid);
}

Value VectorBuilder::loadScalar(Value from) { return load(getF32Type(), from, constant(0)); }

void VectorBuilder::storeScalar(Value value, Value to) { store(value, to, constant(0)); }

Value VectorBuilder::loadBroadcast(Value from) {
  return mlir::vector::BroadcastOp::create(*this, vectorType, loadScalar(from));
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value VectorBuilder::vector(double value) { return splat(vectorType, value); }

Value VectorBuilder::addf(Value lhs, Value rhs) { return arith::AddFOp::create(*this, lhs, rhs); }

Value VectorBuilder::subf(Value lhs, Value rhs) { return arith::SubFOp::create(*this, lhs, rhs); }

Value VectorBuilder::mulf(Value lhs, Value rhs) { return arith::MulFOp::create(*this, lhs, rhs); }

Value VectorBuilder::fma(Value a, Value b, Value c) {
  if (target.hasFMA)
    return math::FmaOp::create(*this, a, b, c);
  return addf(mulf(a, b), c);
}

// One instruction on x86, unlike arith.maximumf.
Value VectorBuilder::maximum(Value lhs, Value rhs) {
  Value larger = arith::CmpFOp::create(*this, arith::CmpFPredicate::OGT, lhs, rhs);
  return arith::SelectOp::create(*this, larger, lhs, rhs);
}

// Coefficients of r^6, r^5, ... r of the polynomial 1 + r q(r) that is closest
// to 2^r on [-1/2, 1/2] in relative error (2.6e-9; Remez).
static constexpr double kExp2[] = {0.00015594657452311367, 0.0013406636426225305,
                                   0.009617692790925503,   0.055503103882074356,
                                   0.24022652208805084,    0.6931472420692444};

// 1.5 * 2^23: adding it rounds to an integer, which is then in the low bits.
static constexpr double kRounder = 12582912.0;

Value VectorBuilder::exp2(Value x) {
  // The exponent -127 stands for zero. A NaN stays one.
  x = maximum(vector(-127.0), x);
  Value shifted = addf(x, vector(kRounder));
  Value r = subf(x, subf(shifted, vector(kRounder)));
  Value p = vector(kExp2[0]);
  for (double coefficient : llvm::drop_begin(kExp2))
    p = fma(p, r, vector(coefficient));
  p = fma(p, r, vector(1.0));
  Type integers = vectorType.clone(getI32Type());
  Value n = arith::BitcastOp::create(*this, integers, shifted);
  Value exponent = arith::ShLIOp::create(*this, n, splat(integers, int64_t(23)));
  exponent = arith::AddIOp::create(*this, exponent, splat(integers, int64_t(0x3f800000)));
  return mulf(p, arith::BitcastOp::create(*this, vectorType, exponent));
}

// x = 2^e m with m in [sqrt(1/2), sqrt(2)); with s = (m - 1) / (m + 1),
// log(m) = 2 (s + s^3/3 + s^5/5 + ...), whose tail after s^9 is below 3e-10 s.
Value VectorBuilder::log2(Value x) {
  Type integers = vectorType.clone(getI32Type());
  Value bits = arith::BitcastOp::create(*this, integers, x);
  Value sqrtHalf = splat(integers, int64_t(0x3f3504f3));
  Value e = arith::ShRSIOp::create(*this, arith::SubIOp::create(*this, bits, sqrtHalf),
                                   splat(integers, int64_t(23)));
  Value scaled = arith::SubIOp::create(
      *this, bits, arith::ShLIOp::create(*this, e, splat(integers, int64_t(23))));
  Value m = arith::BitcastOp::create(*this, vectorType, scaled);
  Value s = arith::DivFOp::create(*this, subf(m, vector(1.0)), addf(m, vector(1.0)));
  Value square = mulf(s, s);
  const double scale = 2.0 / M_LN2;
  Value p = vector(scale / 9);
  for (double divisor : {7.0, 5.0, 3.0, 1.0})
    p = fma(p, square, vector(scale / divisor));
  return fma(p, s, arith::SIToFPOp::create(*this, vectorType, e));
}

static Value shuffle(VectorBuilder &b, Value first, Value second, ArrayRef<int64_t> lanes) {
  return mlir::vector::ShuffleOp::create(b, first, second, lanes);
}

Value VectorBuilder::sumLanes(Value value) {
  for (int64_t half = getLanes() / 2; half; half /= 2) {
    SmallVector<int64_t> low(half), high(half);
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), half);
    value = addf(shuffle(*this, value, value, low), shuffle(*this, value, value, high));
  }
  return mlir::vector::ExtractOp::create(*this, value, ArrayRef<int64_t>{0});
}

// Swaps the off-diagonal halves of squares of size 2 * half, for each half.
SmallVector<Value> VectorBuilder::transpose(ValueRange rows) {
  SmallVector<Value> result(rows);
  int64_t lanes = getLanes();
  for (int64_t half = lanes / 2; half; half /= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool right = lane & half;
      upper.push_back(right ? lanes + lane - half : lane);
      lower.push_back(right ? lanes + lane : lane + half);
    }
    for (int64_t row = 0; row < lanes; ++row) {
      if (row & half)
        continue;
      Value first = result[row], second = result[row + half];
      result[row] = shuffle(*this, first, second, upper);
      result[row + half] = shuffle(*this, first, second, lower);
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void VectorBuilder::loop(Value begin, Value end, int64_t step, function_ref<void(Value)> body) {
  loop(begin, end, step, {}, [&](Value index, ValueRange) -> SmallVector<Value> {
    body(index);
    return {};
  });
}

SmallVector<Value> VectorBuilder::loop(Value begin, Value end, int64_t step, ValueRange carried,
                                       function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(*this, begin, end, constant(step), carried);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(*this, next);
  return SmallVector<Value>(loop.getResults());
}

void VectorBuilder::sweepRow(int64_t length, function_ref<void(Value, int64_t)> body) {
  int64_t full = length / getLanes() * getLanes();
  if (full == getLanes())
    body(constant(0), -1);
  else if (full)
    loop(constant(0), constant(full), getLanes(), [&](Value column) { body(column, -1); });
  if (full < length)
    body(constant(full), length - full);
}

Value VectorBuilder::sumRow(int64_t length, function_ref<Value(Value, int64_t, Value)> body) {
  int64_t full = length / getLanes() * getLanes();
  Value sum = vector(0.0);
  if (full)
    sum = loop(constant(0), constant(full), getLanes(), sum,
               [&](Value column, ValueRange carried) -> SmallVector<Value> {
                 return {body(column, -1, carried[0])};
               })[0];
  if (full < length)
    sum = body(constant(full), length - full, sum);
  return sumLanes(sum);
}
