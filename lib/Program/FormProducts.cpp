//===- FormProducts.cpp - Linear maps become matrix products -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowsBuilder.h"
#include "Views.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "vernier/Program/Passes.h"
#include "vernier/Program/Patterns.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace vernier::program {
#define GEN_PASS_DEF_FORMPRODUCTS
#include "vernier/Program/Passes.h.inc"
} // namespace vernier::program

namespace {

struct FormLinear : OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LinearOp op, PatternRewriter &rewriter) const override {
    Value x_NI = asMatrix(rewriter, op.getInput());
    auto type = matrixType(op.getType());
    Value y_NO =
        ProductOp::create(rewriter, op.getLoc(), type, x_NI, op.getWeight(), Value(), false, true);
    Value y = viewAs(rewriter, y_NO, op.getType());
    if (op.getBias()) {
      RowsBuilder rows(rewriter, op.getLoc(), getRowSpace(op.getType()), "bias");
      rows.store(rows.add(rows.row(y), rows.shared(op.getBias())), op.getType());
      y = rows.finish()->getResult(0);
    }
    rewriter.replaceOp(op, y);
    return success();
  }
};

struct FormInputGrad : OpRewritePattern<LinearInputGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LinearInputGradOp op, PatternRewriter &rewriter) const override {
    Value dy_NO = asMatrix(rewriter, op.getOutputGrad());
    Value dx_NI = ProductOp::create(rewriter, op.getLoc(), matrixType(op.getType()), dy_NO,
                                    op.getWeight(), Value(), false, false);
    rewriter.replaceOp(op, viewAs(rewriter, dx_NI, op.getType()));
    return success();
  }
};

struct FormWeightGrad : OpRewritePattern<LinearWeightGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LinearWeightGradOp op, PatternRewriter &rewriter) const override {
    Value dy_NO = asMatrix(rewriter, op.getOutputGrad());
    Value x_NI = asMatrix(rewriter, op.getInput());
    rewriter.replaceOpWithNewOp<ProductOp>(op, op.getType(), dy_NO, x_NI, Value(), true, false);
    return success();
  }
};

struct FormProducts : public program::impl::FormProductsBase<FormProducts> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateFormProductPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace

void program::populateFormProductPatterns(RewritePatternSet &patterns) {
  patterns.add<FormLinear, FormInputGrad, FormWeightGrad>(patterns.getContext());
}
