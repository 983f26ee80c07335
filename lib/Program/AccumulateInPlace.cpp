//===- AccumulateInPlace.cpp - Sums with a product are done by it ------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Views.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "vernier/Program/Passes.h"
#include "vernier/Program/Patterns.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace vernier::program {
#define GEN_PASS_DEF_ACCUMULATEINPLACE
#include "vernier/Program/Passes.h.inc"
} // namespace vernier::program

// The op that makes `value`, through views, if nothing else sees its result.
template <typename OpTy> static OpTy getOnlyUsedHere(Value value) {
  while (isView(value.getDefiningOp()) && value.hasOneUse())
    value = value.getDefiningOp()->getOperand(0);
  auto op = value.getDefiningOp<OpTy>();
  return op && value.hasOneUse() ? op : OpTy();
}

// Whether the sum may overwrite `value`: nothing else reads it, and it is no
// state that only another phase may change. An argument is fine if the sum is
// its next value, which the copies before outlining make sure of.
static bool mayOverwrite(Value value) {
  while (isView(value.getDefiningOp()) && value.hasOneUse())
    value = value.getDefiningOp()->getOperand(0);
  return value.hasOneUse();
}

namespace {

struct AccumulateProduct : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "the sum is rounded to less than f32");
    for (auto [term, rest] : {std::pair(op.getRhs(), op.getLhs()), {op.getLhs(), op.getRhs()}}) {
      auto product = getOnlyUsedHere<ProductOp>(term);
      if (!product || product.getInit() || !product.getType().getElementType().isF32() ||
          !mayOverwrite(rest) || !rest.getType().hasRank())
        continue;
      // What is added may be computed after the product.
      rewriter.setInsertionPoint(op);
      Value init = viewAs(rewriter, rest, product.getType());
      Value sum = ProductOp::create(rewriter, product.getLoc(), product.getType(), product.getLhs(),
                                    product.getRhs(), init, product.getTransposeLhs(),
                                    product.getTransposeRhs());
      rewriter.replaceOp(op, viewAs(rewriter, sum, op.getType()));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no term is a product of its own with another to "
                                           "overwrite");
  }
};

// acc + (into + scatter) = (acc + into) + scatter
struct AccumulateEmbeddingGrad : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "the sum is rounded to less than f32");
    for (auto [term, rest] : {std::pair(op.getRhs(), op.getLhs()), {op.getLhs(), op.getRhs()}}) {
      auto scatter = getOnlyUsedHere<EmbeddingGradOp>(term);
      if (!scatter || scatter.getType() != op.getType() || !mayOverwrite(rest))
        continue;
      rewriter.setInsertionPoint(op);
      Value into = rest;
      if (!matchPattern(scatter.getInto(), m_AnyZeroFloat()))
        into = AddOp::create(rewriter, op.getLoc(), op.getType(), rest, scatter.getInto());
      rewriter.replaceOpWithNewOp<EmbeddingGradOp>(op, op.getType(), scatter.getOutputGrad(),
                                                   scatter.getIds(), into);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no term is an embedding's gradient of its own");
  }
};

struct AccumulateInPlace : public program::impl::AccumulateInPlaceBase<AccumulateInPlace> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateAccumulatePatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

void program::populateAccumulatePatterns(RewritePatternSet &patterns) {
  patterns.add<AccumulateProduct, AccumulateEmbeddingGrad>(patterns.getContext());
}
