//===- Reductions.cpp - The sum or maximum of a row ----------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;

VectorType Reduction::getFlagType() const {
  return VectorType::get(lanes,
                         IntegerType::get(op->getContext(), op.getType().getIntOrFloatBitWidth()));
}

Value Reduction::getIdentity(CodeBuilder &b) const {
  Type type = VectorType::get(lanes, op.getType());
  return b.splat(type, isMaximum() ? -std::numeric_limits<double>::infinity() : 0.0);
}

void Reduction::start(CodeBuilder &b, SmallVectorImpl<Value> &carried) const {
  carried.append(slots, getIdentity(b));
  if (isMaximum())
    carried.push_back(b.splat(getFlagType(), int64_t(0)));
}

// The comparison and selection are one instruction (the second operand where
// one is a NaN), which `arith.maximumf` is not.
Value Reduction::combine(CodeBuilder &b, Value lhs, Value rhs) const {
  if (!isMaximum())
    return arith::AddFOp::create(b, lhs, rhs, arith::FastMathFlags::contract);
  Value greater = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, lhs, rhs);
  return arith::SelectOp::create(b, greater, lhs, rhs);
}

void Reduction::add(CodeBuilder &b, Value vector, int64_t slot, int64_t valid,
                    MutableArrayRef<Value> carried) const {
  if (valid >= 0)
    vector = arith::SelectOp::create(b, b.mask(lanes, valid), vector, getIdentity(b));
  Value &accumulator = carried[first + slot];
  accumulator = combine(b, vector, accumulator);
  if (!isMaximum())
    return;
  Value &flags = carried[first + slots];
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, vector, vector);
  flags = arith::SelectOp::create(b, isNaN, b.splat(getFlagType(), int64_t(-1)), flags);
}

// Folds a vector in halves; `lanes` is a power of two.
static Value foldLanes(CodeBuilder &b, Value vector, int64_t lanes,
                       llvm::function_ref<Value(Value, Value)> combine) {
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    SmallVector<int64_t> low(half), high(half);
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), half);
    vector = combine(vector::ShuffleOp::create(b, vector, vector, low),
                     vector::ShuffleOp::create(b, vector, vector, high));
  }
  return vector::ExtractOp::create(b, vector, ArrayRef<int64_t>{0});
}

Value Reduction::finish(CodeBuilder &b, ValueRange carried) const {
  auto fold = [&](Value lhs, Value rhs) { return combine(b, lhs, rhs); };
  SmallVector<Value> sums(carried.slice(first, slots));
  for (int64_t half = slots / 2; half > 0; half /= 2)
    for (int64_t i = 0; i < half; ++i)
      sums[i] = fold(sums[i], sums[i + half]);
  Value result = foldLanes(b, sums[0], lanes, fold);
  if (!isMaximum())
    return result;
  Value flag = foldLanes(b, carried[first + slots], lanes,
                         [&](Value lhs, Value rhs) { return arith::OrIOp::create(b, lhs, rhs); });
  Value hasNaN =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, flag, b.splat(flag.getType(), int64_t(0)));
  Value nan = b.splat(result.getType(), std::numeric_limits<double>::quiet_NaN());
  return arith::SelectOp::create(b, hasNaN, nan, result);
}
