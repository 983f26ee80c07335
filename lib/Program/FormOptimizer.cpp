//===- FormOptimizer.cpp - The optimizer becomes row kernels -----------===//
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

namespace {

// Each gradient's sum of squares, and one kernel that adds these and takes the
// root, all in f64.
struct FormGlobalNorm : OpRewritePattern<GlobalNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GlobalNormOp op, PatternRewriter &rewriter) const override {
    RowsBuilder norm(rewriter, op.getLoc(), {}, "global_norm");
    Value total;
    for (Value gradient : op.getGradients()) {
      Value square = norm.shared(sumOfSquares(gradient, op.getLoc(), rewriter));
      total = total ? norm.add(total, square) : square;
    }
    norm.store(norm.sqrt(total), op.getType());
    rewriter.replaceOp(op, norm.finish());
    return success();
  }

  static Value sumOfSquares(Value gradient, Location loc, PatternRewriter &rewriter) {
    RowsBuilder rows(rewriter, loc, getRowSpace(gradient.getType()), "sum_of_squares");
    Value g = rows.convert(rows.operand(gradient), rows.b.getF64Type());
    Value square = rows.mul(g, g);
    if (isa<RankedTensorType>(square.getType()))
      square = rows.sum(square);
    rows.sumRows(square);
    return rows.finish()->getResult(0);
  }
};

struct FormClipFactor : OpRewritePattern<ClipFactorOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ClipFactorOp op, PatternRewriter &rewriter) const override {
    RowsBuilder rows(rewriter, op.getLoc(), {}, "clip_factor");
    Value norm = rows.shared(op.getNorm());
    Value limit = rows.constant(norm.getType(), op.getMaxNorm().convertToDouble());
    Value one = rows.constant(norm.getType(), 1.0);
    Value factor = rows.div(limit, rows.add(norm, 1e-6));
    // Ordered: a NaN stays one.
    Value above = arith::CmpFOp::create(rows.b, arith::CmpFPredicate::OGT, factor, one);
    rows.store(arith::SelectOp::create(rows.b, above, one, factor), op.getType());
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

/// One step of AdamW for a parameter's row. Bias corrections are computed in
/// f64 (1 - 0.9999^steps loses digits in f32) and rounded once.
class AdamWRows {
public:
  AdamWRows(AdamWOp op, RowsBuilder &rows) : op(op), rows(rows) {}

  void build() {
    Value p = rows.operand(op.getParam()), m = rows.operand(op.getFirstMoment());
    Value v = rows.operand(op.getSecondMoment()), gradient = rows.operand(op.getGradient());
    steps = rows.shared(op.getSteps());
    Value rate = rows.shared(op.getRate()), clip = rows.shared(op.getClip());
    Value g = rows.mul(gradient, clip);
    Value newM = average(op.getBeta1(), m, g);
    Value newV = average(op.getBeta2(), v, rows.mul(g, g));
    Value rateOverBias =
        scalar(rows.div(rows.convert(rate, rows.b.getF64Type()), biasCorrection(op.getBeta1())));
    Value inverseBias =
        scalar(rows.div(rows.constant(rows.b.getF64Type(), 1.0), biasCorrection(op.getBeta2())));
    Value root = rows.sqrt(rows.mul(newV, inverseBias));
    Value denominator = rows.add(root, op.getEpsilon().convertToDouble());
    Value step = rows.div(rows.mul(newM, rateOverBias), denominator);
    rows.store(rows.sub(decayed(p, rate), step), op.getNewParam().getType());
    rows.store(newM, op.getNewFirstMoment().getType());
    rows.store(newV, op.getNewSecondMoment().getType());
  }

private:
  // beta old + (1 - beta) new
  Value average(const APFloat &beta, Value old, Value fresh) {
    double b = beta.convertToDouble();
    return rows.fma(old, rows.constant(old.getType(), b), rows.mul(fresh, 1 - b));
  }

  // 1 - beta^steps, in f64
  Value biasCorrection(const APFloat &beta) {
    Type f64 = rows.b.getF64Type();
    Value power = math::FPowIOp::create(rows.b, rows.constant(f64, beta.convertToDouble()), steps);
    return rows.sub(rows.constant(f64, 1.0), power);
  }

  Value scalar(Value f64) { return rows.convert(f64, rows.b.getF32Type()); }

  // p - rate weight_decay (p - toward), rounded once
  Value decayed(Value p, Value rate) {
    double decay = op.getWeightDecay().convertToDouble();
    if (decay == 0)
      return p;
    Value distance = op.getToward().isZero() ? p : rows.add(p, -op.getToward().convertToDouble());
    return rows.fma(distance, rows.mul(rate, -decay), p);
  }

  AdamWOp op;
  RowsBuilder &rows;
  Value steps;
};

struct FormAdamW : OpRewritePattern<AdamWOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AdamWOp op, PatternRewriter &rewriter) const override {
    RowsBuilder rows(rewriter, op.getLoc(), getRowSpace(op.getParam().getType()), "adamw");
    AdamWRows(op, rows).build();
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

} // namespace

void program::populateFormOptimizerPatterns(RewritePatternSet &patterns) {
  patterns.add<FormGlobalNorm, FormClipFactor, FormAdamW>(patterns.getContext());
}
