//===- FormNorms.cpp - Norms become row kernels ------------------------===//
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

/// A row x as `scaled = r x` (after centering, if asked for), where r makes
/// its mean square one. Where the mean square is beyond f32, r is no number: it
/// would be 0, and the row would vanish without a word.
struct Normalized {
  Normalized(RowsBuilder &rows, Value x, const APFloat &epsilon, bool center) {
    if (center)
      x = rows.sub(x, rows.mean(x));
    Value square = rows.mean(rows.mul(x, x));
    r = rows.rsqrt(rows.add(square, epsilon.convertToDouble()));
    r = rows.add(r, rows.sub(square, square)); // 0, or inf - inf
    scaled = rows.mul(x, r);
  }
  Value r, scaled;
};

template <typename NormOp> struct FormNorm : OpRewritePattern<NormOp> {
  using OpRewritePattern<NormOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(NormOp op, PatternRewriter &rewriter) const override {
    RowsBuilder rows(rewriter, op.getLoc(), getRowSpace(op.getType()),
                     op->getName().stripDialect());
    bool center = std::is_same_v<NormOp, LayerNormOp>;
    Normalized n(rows, rows.row(op.getInput()), op.getEpsilon(), center);
    rows.store(n.scaled, op.getType());
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

// dx = r (dy - n mean(dy n)), and with centering - r mean(dy).
template <typename GradOp> struct FormNormGrad : OpRewritePattern<GradOp> {
  using OpRewritePattern<GradOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(GradOp op, PatternRewriter &rewriter) const override {
    RowsBuilder rows(rewriter, op.getLoc(), getRowSpace(op.getType()),
                     op->getName().stripDialect());
    bool center = std::is_same_v<GradOp, LayerNormGradOp>;
    Value dy = rows.row(op.getOutputGrad());
    Normalized n(rows, rows.row(op.getInput()), op.getEpsilon(), center);
    Value along = rows.mean(rows.mul(dy, n.scaled));
    Value rest = rows.sub(dy, rows.mul(n.scaled, along));
    if (center)
      rest = rows.sub(rest, rows.mean(dy));
    rows.store(rows.mul(rest, n.r), op.getType());
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

} // namespace

void program::populateFormNormPatterns(RewritePatternSet &patterns) {
  patterns.add<FormNorm<RMSNormOp>, FormNorm<LayerNormOp>, FormNormGrad<RMSNormGradOp>,
               FormNormGrad<LayerNormGradOp>>(patterns.getContext());
}
