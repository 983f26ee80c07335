//===- ReuseExponentials.cpp - One exponential of a row for two --------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "vernier/Program/Patterns.h"
#include "vernier/Program/Program.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

// s, if value = splat s.
static Value getSpread(Value value) {
  auto splat = value.getDefiningOp<tensor::SplatOp>();
  return splat ? splat.getInput() : Value();
}

// (x, s), if row = exp(x - splat s).
static std::pair<Value, Value> getShiftedExp(Value row) {
  auto exp = row ? row.getDefiningOp<math::ExpOp>() : math::ExpOp();
  auto shifted = exp ? exp.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  if (!shifted)
    return {};
  return {shifted.getLhs(), getSpread(shifted.getRhs())};
}

namespace {

// exp(x - (m + log s)) = exp(x - m) / s, where s is the sum of exp(x - m): once
// cross entropy and its adjoint are one kernel, the second exponential of the
// logits is the first times a number.
struct DivideBySum : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    auto [row, logSumExp] = getShiftedExp(op.getResult());
    auto sum = logSumExp ? logSumExp.getDefiningOp<arith::AddFOp>() : arith::AddFOp();
    auto log = sum ? sum.getRhs().getDefiningOp<math::LogOp>() : math::LogOp();
    auto total = log ? log.getOperand().getDefiningOp<ReduceOp>() : ReduceOp();
    if (!total || total.getKind() != ReduceKind::Add)
      return rewriter.notifyMatchFailure(op, "not shifted by a log-sum-exp");
    auto [summedRow, shift] = getShiftedExp(total.getRow());
    if (summedRow != row || shift != sum.getLhs())
      return rewriter.notifyMatchFailure(op, "the log-sum-exp of something else");
    Value one = arith::ConstantOp::create(rewriter, op.getLoc(),
                                          cast<TypedAttr>(rewriter.getOneAttr(total.getType())));
    Value inverse = arith::DivFOp::create(rewriter, op.getLoc(), one, total);
    Value spread = tensor::SplatOp::create(rewriter, op.getLoc(), inverse,
                                           cast<RankedTensorType>(op.getType()));
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, total.getRow(), spread);
    return success();
  }
};

} // namespace

void program::populateReuseExponentialsPatterns(RewritePatternSet &patterns) {
  patterns.add<DivideBySum>(patterns.getContext());
}
