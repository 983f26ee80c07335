//===- FormScaleForms.cpp - Reparameterized scales become row kernels --===//
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

/// A direction a and a magnitude b, as the vector `magnitude * unit` with
/// `magnitude` b or e^b and `unit` a / rms(a) or e^(a - mean(a)).
struct Composed {
  Composed(RowsBuilder &rows, ScaleForm form, Value direction, Value magnitude) {
    Value a = rows.row(direction);
    b = rows.sum(rows.row(magnitude)); // of one entry
    if (form == ScaleForm::Exponential) {
      unit = rows.exp(rows.sub(a, rows.mean(a)));
      b = rows.exp(b);
    } else {
      r = rows.rsqrt(rows.mean(rows.mul(a, a)));
      unit = rows.mul(a, r);
    }
  }
  Value unit, b, r;
};

struct FormFromDirection : OpRewritePattern<ScaleFromDirectionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScaleFromDirectionOp op, PatternRewriter &rewriter) const override {
    RowsBuilder rows(rewriter, op.getLoc(), {}, "scale_from_direction");
    Composed c(rows, op.getForm(), op.getDirection(), op.getMagnitude());
    rows.store(rows.mul(c.unit, c.b), op.getType());
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

struct FormFromDirectionGrad : OpRewritePattern<ScaleFromDirectionGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScaleFromDirectionGradOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getSquared())
      return rewriter.notifyMatchFailure(op, "with 'squared' it is evaluated only");
    RowsBuilder rows(rewriter, op.getLoc(), {}, "scale_from_direction_grad");
    Value dy = rows.row(op.getOutputGrad());
    Composed c(rows, op.getForm(), op.getDirection(), op.getMagnitude());
    Value along = rows.mul(dy, c.unit);
    Value da, db = rows.sum(along);
    if (op.getForm() == ScaleForm::Exponential) {
      da = rows.mul(rows.sub(along, rows.mean(along)), c.b);
      db = rows.mul(db, c.b);
    } else {
      Value rest = rows.sub(dy, rows.mul(c.unit, rows.mean(along)));
      da = rows.mul(rest, rows.mul(c.b, c.r));
    }
    rows.store(da, op.getDirectionGrad().getType());
    Type one = RankedTensorType::get({1}, db.getType());
    rows.store(tensor::SplatOp::create(rows.b, db, one), op.getMagnitudeGrad().getType());
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

} // namespace

void program::populateFormScaleFormPatterns(RewritePatternSet &patterns) {
  patterns.add<FormFromDirection, FormFromDirectionGrad>(patterns.getContext());
}
