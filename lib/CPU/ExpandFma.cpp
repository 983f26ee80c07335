//===- ExpandFma.cpp - Multiply-add on targets without it ---------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/PatternMatch.h"
#include "vernier/CPU/Passes.h"

using namespace mlir;
using namespace vernier;

namespace {
template <typename FmaOp> struct ExpandFma : OpRewritePattern<FmaOp> {
  using OpRewritePattern<FmaOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(FmaOp op, PatternRewriter &rewriter) const override {
    OperandRange operands = op->getOperands();
    Value product = arith::MulFOp::create(rewriter, op.getLoc(), operands[0], operands[1]);
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, operands[2]);
    return success();
  }
};
} // namespace

void cpu::populateExpandFmaPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandFma<math::FmaOp>, ExpandFma<vector::FMAOp>>(patterns.getContext());
}
