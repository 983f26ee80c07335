//===- RowChecks.cpp - What row kernels are lowered, how rows are cut ---------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;
using namespace vernier::program;

// Code grows with the number of pieces: rotary embeddings have two or three.
static constexpr int64_t kMaxPieces = 16;

static bool isUnitStrideSlice(tensor::ExtractSliceOp slice) {
  return slice.getStaticOffsets().size() == 1 && slice.hasUnitStride() &&
         !ShapedType::isDynamic(slice.getStaticOffset(0)) &&
         !ShapedType::isDynamic(slice.getStaticSize(0));
}

static LogicalResult checkRowOp(Operation *op) {
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return success(constant.isSplat());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return success(isUnitStrideSlice(slice));
  return success((isa<tensor::SplatOp, tensor::ConcatOp, ColumnIndexOp>(op)) ||
                 OpTrait::hasElementwiseMappableTraits(op));
}

// A column that is known only at run time is in one part or another of a
// concatenation: that is not supported.
static bool isConcatenated(Value row) {
  Operation *op = row.getDefiningOp();
  if (!op)
    return false;
  return isa<tensor::ConcatOp>(op) ||
         llvm::any_of(op->getOperands(), [](Value v) { return isRow(v) && isConcatenated(v); });
}

static LogicalResult checkOp(Operation *op) {
  if (isa<ReduceOp>(op))
    return success();
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return success(!isConcatenated(extract.getTensor()));
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return failure();
  if (isRow(op->getResult(0)))
    return checkRowOp(op);
  return success(llvm::none_of(op->getOperands(), isRow));
}

// Functions that processors have, or that vernier-expand-math computes. For any
// other LLVM would call a library.
static bool isComputed(Operation *op) {
  if (isa<math::ExpOp, math::LogOp, math::TanhOp, math::ErfOp>(op))
    return getElementTypeOrSelf(op->getResult(0)).isF32();
  if (isa<math::AbsFOp, math::CopySignOp, math::FmaOp, math::FPowIOp, math::RsqrtOp, math::SqrtOp>(
          op))
    return true;
  return !isa<math::MathDialect>(op->getDialect()) && !isa<arith::RemFOp>(op);
}

LogicalResult RowPlan::check() {
  Block &body = kernel.getBody().front();
  for (auto map : kernel.getMaps().getAsValueRange<AffineMapAttr>())
    if (!llvm::all_of(map.getResults(), llvm::IsaPred<AffineDimExpr>))
      return kernel.emitOpError() << "expected maps to indices of the space, found "
                                  << AffineMapAttr::get(map);
  for (Operation &op : body.without_terminator()) {
    if (failed(checkOp(&op)))
      return op.emitOpError("has no lowering by columns for the CPU");
    if (!isComputed(&op))
      return op.emitOpError("of ")
             << op.getResult(0).getType() << " has no code on the CPU, and kernels call no library";
  }
  return success();
}

// Lengths that slices and concatenations relate are a family. Its pieces are
// as long as the greatest common divisor of all lengths and offsets.
LogicalResult RowPlan::relateLengths() {
  Block &body = kernel.getBody().front();
  std::map<int64_t, int64_t> parents; // of lengths: a forest, the families
  auto find = [&](int64_t length) {
    while (parents.emplace(length, length).first->second != length)
      length = parents[length];
    return length;
  };
  std::map<int64_t, int64_t> divisors; // by length
  auto visit = [&](Value value, Value related, int64_t offset) {
    if (!isRow(value))
      return;
    int64_t length = getRowLength(value);
    divisors[length] = std::gcd(divisors[length], std::gcd(length, offset));
    parents[find(length)] = find(getRowLength(related));
  };
  for (Value argument : body.getArguments())
    visit(argument, argument, 0);
  for (Operation &op : body.without_terminator()) {
    for (Value result : op.getResults())
      visit(result, result, 0);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      visit(slice.getSource(), slice, slice.getStaticOffset(0));
    if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
      int64_t offset = 0;
      for (Value part : concat.getInputs()) {
        visit(concat, part, offset);
        offset += getRowLength(part);
      }
    }
  }
  std::map<int64_t, int64_t> familyDivisors;
  for (auto [length, divisor] : divisors)
    familyDivisors[find(length)] = std::gcd(familyDivisors[find(length)], divisor);
  for (auto [length, divisor] : divisors) {
    int64_t piece = pieceLengths[length] = familyDivisors[find(length)];
    if (length == 0 || length / piece > kMaxPieces)
      return kernel.emitOpError() << "expected rows that are cut in at most " << kMaxPieces
                                  << " equal pieces, found pieces of " << piece << " in rows of "
                                  << length;
  }
  return success();
}
