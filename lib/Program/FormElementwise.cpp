//===- FormElementwise.cpp - Row by row operations become row kernels --===//
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

// `combine` is the arithmetic on the two rows.
template <typename OpT> struct FormBinary : OpRewritePattern<OpT> {
  using Combine = Value (*)(RowsBuilder &, Value, Value);
  FormBinary(MLIRContext *context, StringRef label, Combine combine)
      : OpRewritePattern<OpT>(context), label(label), combine(combine) {}

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    RowsBuilder rows(rewriter, op.getLoc(), getRowSpace(op.getType()), label);
    Value lhs = rows.operand(op.getLhs()), rhs = rows.operand(op.getRhs());
    rows.store(combine(rows, lhs, rhs), op.getType());
    rewriter.replaceOp(op, rows.finish());
    return success();
  }

  StringRef label;
  Combine combine;
};

struct FormScale : OpRewritePattern<ScaleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScaleOp op, PatternRewriter &rewriter) const override {
    RowsBuilder rows(rewriter, op.getLoc(), getRowSpace(op.getType()), "scale");
    Value input = rows.row(op.getInput());
    Value scale = rows.shared(op.getScale());
    if (!op.getOffset().isZero())
      scale = rows.add(scale, op.getOffset().convertToDouble());
    rows.store(rows.mul(input, scale), op.getType());
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

struct FormScaleRows : OpRewritePattern<ScaleRowsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScaleRowsOp op, PatternRewriter &rewriter) const override {
    RowsBuilder rows(rewriter, op.getLoc(), getRowSpace(op.getType()), "scale_rows");
    Value input = rows.row(op.getInput());
    Value factor = rows.numberOfRow(op.getScale());
    if (!op.getOffset().isZero())
      factor = rows.add(factor, op.getOffset().convertToDouble());
    rows.store(rows.mul(input, factor), op.getType());
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

struct FormRowSum : OpRewritePattern<RowSumOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RowSumOp op, PatternRewriter &rewriter) const override {
    RowsBuilder rows(rewriter, op.getLoc(), getRowSpace(op.getInput().getType()), "row_sum");
    rows.store(rows.sum(rows.row(op.getInput())), op.getType());
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

struct FormColumnSum : OpRewritePattern<ColumnSumOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ColumnSumOp op, PatternRewriter &rewriter) const override {
    RowsBuilder rows(rewriter, op.getLoc(), getRowSpace(op.getInput().getType()), "column_sum");
    rows.sumRows(rows.row(op.getInput()));
    Value sum = rows.finish()->getResult(0);
    if (sum.getType() != op.getType()) { // sums are f32: round afterwards
      RowsBuilder round(rewriter, op.getLoc(), {}, "round");
      round.store(round.row(sum), op.getType());
      sum = round.finish()->getResult(0);
    }
    rewriter.replaceOp(op, sum);
    return success();
  }
};

// y = (x1 cos a - x2 sin a, x2 cos a + x1 sin a), the angles from a table
// whose rows are positions.
struct FormRope : OpRewritePattern<RopeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RopeOp op, PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = op.getType().getShape();
    auto table = RankedTensorType::get({shape[1], shape[3] / 2}, rewriter.getF32Type());
    auto tables = RopeTableOp::create(rewriter, op.getLoc(), table, table, op.getThetaAttr(),
                                      op.getScalingAttr(), DenseI64ArrayAttr());
    RowsBuilder rows(rewriter, op.getLoc(), shape.drop_back(),
                     op.getInverse() ? "rope_inverse" : "rope");
    AffineMap position = AffineMap::get(3, 0, rewriter.getAffineDimExpr(1));
    Value x = rows.row(op.getInput());
    Value cosines = rows.read(tables.getCosines(), position);
    Value sines = rows.read(tables.getSines(), position);
    if (op.getInverse())
      sines = rows.negate(sines);
    Value x1 = half(rows, x, 0), x2 = half(rows, x, 1);
    Value y1 = rows.sub(rows.mul(x1, cosines), rows.mul(x2, sines));
    Value y2 = rows.add(rows.mul(x2, cosines), rows.mul(x1, sines));
    Value y = tensor::ConcatOp::create(rows.b, x.getType(), 0, ValueRange{y1, y2});
    rows.store(y, op.getType());
    rewriter.replaceOp(op, rows.finish());
    return success();
  }

  static Value half(RowsBuilder &rows, Value x, int64_t which) {
    auto type = cast<RankedTensorType>(x.getType());
    int64_t h = type.getDimSize(0) / 2;
    OpFoldResult offset = rows.b.getIndexAttr(which * h), size = rows.b.getIndexAttr(h),
                 stride = rows.b.getIndexAttr(1);
    return tensor::ExtractSliceOp::create(rows.b, type.clone(ArrayRef<int64_t>(h)), x, offset, size,
                                          stride);
  }
};

// Elementwise operations of upstream dialects on tensors of one shape: the
// same operation on rows.
struct FormUpstream : RewritePattern {
  FormUpstream(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
        !OpTrait::hasElementwiseMappableTraits(op) || op->getParentOfType<RowsOp>())
      return rewriter.notifyMatchFailure(op, "not elementwise, or in a kernel already");
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !llvm::all_of(op->getOperandTypes(), [&](Type operand) {
          auto tensor = dyn_cast<RankedTensorType>(operand);
          return tensor && tensor.getShape() == type.getShape();
        }))
      return rewriter.notifyMatchFailure(op, "not on tensors of one shape");
    RowsBuilder rows(rewriter, op->getLoc(), getRowSpace(type), op->getName().stripDialect());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(rows.read(operand, rows.identity()));
    Type row = operands.front().getType();
    Type element = type.getElementType();
    if (auto tensor = dyn_cast<RankedTensorType>(row))
      element = tensor.clone(element);
    OperationState state(op->getLoc(), op->getName(), operands, element, op->getAttrs());
    rows.store(rows.b.create(state)->getResult(0), type);
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

struct FormConstant : OpRewritePattern<arith::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, PatternRewriter &rewriter) const override {
    auto value = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!value || op->getParentOfType<RowsOp>())
      return rewriter.notifyMatchFailure(op, "not a tensor of one value outside of kernels");
    if (op.use_empty()) {
      rewriter.eraseOp(op);
      return success();
    }
    auto type = cast<RankedTensorType>(op.getType());
    RowsBuilder rows(rewriter, op.getLoc(), getRowSpace(type), "fill");
    Value number =
        arith::ConstantOp::create(rows.b, cast<TypedAttr>(value.getSplatValue<Attribute>()));
    if (type.getRank() > 0) {
      auto row = RankedTensorType::get(type.getShape().back(), type.getElementType());
      number = tensor::SplatOp::create(rows.b, number, row);
    }
    rows.store(number, type);
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

} // namespace

void program::populateFormElementwisePatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<FormBinary<AddOp>>(
      context, "add", [](RowsBuilder &rows, Value lhs, Value rhs) { return rows.add(lhs, rhs); });
  patterns.add<FormBinary<MulOp>>(
      context, "mul", [](RowsBuilder &rows, Value lhs, Value rhs) { return rows.mul(lhs, rhs); });
  patterns.add<FormScale, FormScaleRows, FormRowSum, FormColumnSum, FormRope, FormUpstream>(
      context);
}

void program::populateFormConstantPatterns(RewritePatternSet &patterns) {
  patterns.add<FormConstant>(patterns.getContext());
}
