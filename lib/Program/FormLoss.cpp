//===- FormLoss.cpp - Cross entropy becomes row kernels ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowsBuilder.h"
#include "vernier/Program/Patterns.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

// Whether a row's target counts.
static Value isValid(RowsBuilder &rows, Value target, int32_t ignoreIndex) {
  Value ignored = rows.integer(target.getType(), ignoreIndex);
  return arith::CmpIOp::create(rows.b, arith::CmpIPredicate::ne, target, ignored);
}

static Value select(RowsBuilder &rows, Value condition, Value yes, Value no) {
  return arith::SelectOp::create(rows.b, condition, yes, no);
}

// numerator / divisor in f64, and 0 where the divisor is 0.
static Value divideByCount(RowsBuilder &rows, Value numerator, Value divisor) {
  Value zero = rows.integer(divisor.getType(), 0);
  Value none = arith::CmpIOp::create(rows.b, arith::CmpIPredicate::eq, divisor, zero);
  Value count = arith::SIToFPOp::create(rows.b, rows.b.getF64Type(), divisor);
  Value quotient = rows.div(numerator, count);
  return select(rows, none, rows.constant(quotient.getType(), 0.0), quotient);
}

namespace {

// One kernel makes each row's log-sum-exp and adds up the losses, in f64 since
// they are numbers and not rows; a second one divides.
struct FormCrossEntropy : OpRewritePattern<CrossEntropyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CrossEntropyOp op, PatternRewriter &rewriter) const override {
    RowsBuilder rows(rewriter, op.getLoc(), getRowSpace(op.getLogits().getType()), "cross_entropy");
    Value raw = rows.read(op.getLogits(), rows.identity());
    Value target = rows.numberOfRow(op.getTargets());
    Value logits = rows.extend(raw);
    Value max = rows.reduce(ReduceKind::Max, logits);
    Value total = rows.sum(rows.exp(rows.sub(logits, max)));
    Value logSumExp = rows.add(max, math::LogOp::create(rows.b, total));
    Value valid = isValid(rows, target, op.getIgnoreIndex());
    // A row without a target reads some logit and drops what it gives, so that
    // not even a NaN of that row counts.
    Value index = select(rows, valid, target, rows.integer(target.getType(), 0));
    index = arith::IndexCastOp::create(rows.b, rows.b.getIndexType(), index);
    Value logit = rows.extend(tensor::ExtractOp::create(rows.b, raw, index));
    Value loss = select(rows, valid, rows.sub(logSumExp, logit), rows.number(0.0));
    rows.sumRows(rows.convert(loss, rows.b.getF64Type()));
    rows.store(logSumExp, op.getLogSumExp().getType());
    RowsOp sums = rows.finish();

    RowsBuilder mean(rewriter, op.getLoc(), {}, "mean_loss");
    Value sum = mean.shared(sums.getResult(0)), divisor = mean.shared(op.getDivisor());
    mean.store(divideByCount(mean, sum, divisor), op.getLoss().getType());
    rewriter.replaceOp(op, {mean.finish()->getResult(0), sums->getResult(1)});
    return success();
  }
};

// c (exp(logits - log_sum_exp) - onehot(target)) with c = loss_grad / divisor.
struct FormCrossEntropyGrad : OpRewritePattern<CrossEntropyGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CrossEntropyGradOp op, PatternRewriter &rewriter) const override {
    RowsBuilder rows(rewriter, op.getLoc(), getRowSpace(op.getType()), "cross_entropy_grad");
    Value logits = rows.row(op.getLogits());
    Value target = rows.numberOfRow(op.getTargets());
    Value logSumExp = rows.numberOfRow(op.getLogSumExp());
    Value lossGrad = rows.shared(op.getLossGrad()), divisor = rows.shared(op.getDivisor());
    Value c =
        rows.convert(divideByCount(rows, rows.convert(lossGrad, rows.b.getF64Type()), divisor),
                     rows.b.getF32Type());
    Value p = rows.exp(rows.sub(logits, logSumExp));
    Value wrong = rows.sub(p, rows.number(1.0));
    auto indices = cast<RankedTensorType>(p.getType()).clone(rows.b.getI32Type());
    Value columns = ColumnIndexOp::create(rows.b, indices);
    Value spread = tensor::SplatOp::create(rows.b, target, indices);
    Value isTarget = arith::CmpIOp::create(rows.b, arith::CmpIPredicate::eq, columns, spread);
    Value gradient = rows.mul(select(rows, isTarget, wrong, p), c);
    Value valid = isValid(rows, target, op.getIgnoreIndex());
    Value zero = rows.constant(gradient.getType(), 0.0);
    rows.store(select(rows, valid, gradient, zero), op.getType());
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

struct FormCountValid : OpRewritePattern<CountValidOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CountValidOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getTargets().getType());
    RowsBuilder rows(rewriter, op.getLoc(), type.getShape(), "count_valid");
    Value valid = isValid(rows, rows.numberOfRow(op.getTargets()), op.getIgnoreIndex());
    rows.sumRows(arith::ExtUIOp::create(rows.b, rows.b.getI64Type(), valid));
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

} // namespace

void program::populateFormLossPatterns(RewritePatternSet &patterns) {
  patterns.add<FormCrossEntropy, FormCrossEntropyGrad, FormCountValid>(patterns.getContext());
}
