//===- SimplifyRows.cpp - Canonical form of row kernels ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "vernier/Program/Patterns.h"
#include "vernier/Program/Program.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace {

// Drops the inputs and block arguments of the given numbers.
void dropInputs(RowsOp op, const BitVector &drop, PatternRewriter &rewriter) {
  SmallVector<Value> inputs;
  SmallVector<Attribute> maps;
  for (auto [index, input] : llvm::enumerate(op.getInputs()))
    if (!drop[index]) {
      inputs.push_back(input);
      maps.push_back(op.getMaps()[index]);
    }
  rewriter.modifyOpInPlace(op, [&] {
    op.getBody().front().eraseArguments(drop);
    op->setOperands(inputs);
    op.setMapsAttr(rewriter.getArrayAttr(maps));
  });
}

// Reads nothing that the body does not use, and nothing twice.
struct DropInputs : OpRewritePattern<RowsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RowsOp op, PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    BitVector drop(body.getNumArguments());
    llvm::DenseMap<std::pair<Value, Attribute>, BlockArgument> seen;
    for (BlockArgument argument : body.getArguments()) {
      unsigned index = argument.getArgNumber();
      auto [first, isNew] =
          seen.try_emplace({op.getInputs()[index], op.getMaps()[index]}, argument);
      if (!isNew)
        rewriter.replaceAllUsesWith(argument, first->second);
      if (argument.use_empty())
        drop.set(index);
    }
    if (drop.none())
      return rewriter.notifyMatchFailure(op, "every input is used and read once");
    dropInputs(op, drop, rewriter);
    return success();
  }
};

// A constant with one value becomes a constant of the body.
struct TakeConstants : OpRewritePattern<RowsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RowsOp op, PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    BitVector drop(body.getNumArguments());
    rewriter.setInsertionPointToStart(&body);
    for (BlockArgument argument : body.getArguments()) {
      SplatElementsAttr value;
      if (!matchPattern(op.getInputs()[argument.getArgNumber()], m_Constant(&value)))
        continue;
      Value constant = arith::ConstantOp::create(rewriter, op.getLoc(),
                                                 cast<TypedAttr>(value.getSplatValue<Attribute>()));
      if (auto row = dyn_cast<RankedTensorType>(argument.getType()))
        constant = tensor::SplatOp::create(rewriter, op.getLoc(), constant, row);
      rewriter.replaceAllUsesWith(argument, constant);
      drop.set(argument.getArgNumber());
    }
    if (drop.none())
      return rewriter.notifyMatchFailure(op, "no input is a constant with one value");
    dropInputs(op, drop, rewriter);
    return success();
  }
};

// Computes no result that nothing uses.
struct DropResults : OpRewritePattern<RowsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RowsOp op, PatternRewriter &rewriter) const override {
    if (llvm::none_of(op.getResults(), [](Value result) { return result.use_empty(); }))
      return rewriter.notifyMatchFailure(op, "every result is used");
    SmallVector<Value> kept, yielded;
    SmallVector<Attribute> kinds;
    Operation *yield = op.getBody().front().getTerminator();
    for (OpResult result : op.getResults())
      if (!result.use_empty()) {
        kept.push_back(result);
        yielded.push_back(yield->getOperand(result.getResultNumber()));
        kinds.push_back(op.getOutputs()[result.getResultNumber()]);
      }
    auto slim = RowsOp::create(rewriter, op.getLoc(), TypeRange(ValueRange(kept)), op.getInputs(),
                               op.getSpace(), op.getMaps(), rewriter.getArrayAttr(kinds));
    slim->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yielded); });
    rewriter.inlineRegionBefore(op.getBody(), slim.getBody(), slim.getBody().end());
    for (auto [from, to] : llvm::zip_equal(kept, slim.getResults()))
      rewriter.replaceAllUsesWith(from, to);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void program::populateSimplifyRowsPatterns(RewritePatternSet &patterns) {
  patterns.add<DropInputs, TakeConstants, DropResults>(patterns.getContext());
}

void RowsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  populateSimplifyRowsPatterns(patterns);
  populateReuseExponentialsPatterns(patterns);
}
