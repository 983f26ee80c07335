//===- ExpandPower.cpp - Integer powers by multiplication ---------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "vernier/CPU/Passes.h"

using namespace mlir;
using namespace vernier;

// One step of binary exponentiation, x^n p with n > 0:
// x^n p = (x^2)^(n / 2) (p x if n is odd, else p).
static void buildStep(OpBuilder &builder, Location loc, ValueRange state) {
  ImplicitLocOpBuilder b(loc, builder);
  Value x = state[0], n = state[1], product = state[2];
  Value one = arith::ConstantOp::create(b, b.getIntegerAttr(n.getType(), 1));
  Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(n.getType(), 0));
  Value isOdd =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, arith::AndIOp::create(b, n, one), zero);
  Value next = arith::SelectOp::create(b, isOdd, arith::MulFOp::create(b, product, x), product);
  Value half = arith::ShRUIOp::create(b, n, one);
  scf::YieldOp::create(b, ValueRange{arith::MulFOp::create(b, x, x), half, next});
}

static void buildCondition(OpBuilder &builder, Location loc, ValueRange state) {
  ImplicitLocOpBuilder b(loc, builder);
  Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(state[1].getType(), 0));
  Value more = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, state[1], zero);
  scf::ConditionOp::create(b, more, state);
}

namespace {
struct ExpandPower : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op, PatternRewriter &rewriter) const override {
    Type type = op.getType(), integer = op.getRhs().getType();
    if (!isa<FloatType>(type))
      return rewriter.notifyMatchFailure(op, "expected a number, not a vector");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(integer, 0));
    Value one = arith::ConstantOp::create(b, b.getFloatAttr(type, 1.0));
    Value isNegative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, op.getRhs(), zero);
    Value opposite = arith::SubIOp::create(b, zero, op.getRhs());
    Value count = arith::SelectOp::create(b, isNegative, opposite, op.getRhs());
    auto loop =
        scf::WhileOp::create(b, TypeRange{type, integer, type}, ValueRange{op.getLhs(), count, one},
                             buildCondition, buildStep);
    Value power = loop.getResult(2);
    Value inverse = arith::DivFOp::create(b, one, power);
    rewriter.replaceOp(op, arith::SelectOp::create(b, isNegative, inverse, power));
    return success();
  }
};
} // namespace

void cpu::populateExpandPowerPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandPower>(patterns.getContext());
}
