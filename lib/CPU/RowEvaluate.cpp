//===- RowEvaluate.cpp - A row's values at some columns -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;
using namespace vernier::program;

static Type getLaneType(Type element, const ColumnRange &columns) {
  return columns.lanes ? Type(VectorType::get(columns.lanes, element)) : element;
}

Value RowEmitter::loadColumns(Type type, Value pointer, int64_t base, const ColumnRange &columns) {
  Type element = getElementTypeOrSelf(type);
  return b.load(getLaneType(element, columns), b.address(element, pointer, columns.first),
                b.constant(base + columns.offset), columns.valid);
}

// The row's columns `base + first + offset ...`. A slice that starts at column
// o of a row has the columns of that row at `base + o`.
Value RowEmitter::compute(Value row, int64_t base, ColumnRange &columns) {
  if (auto argument = dyn_cast<BlockArgument>(row)) {
    Value &value = columns.loaded[{argument.getArgNumber(), base}];
    if (!value)
      value = loadColumns(row.getType(), operandRows[argument.getArgNumber()], base, columns);
    return value;
  }
  auto found = columns.computed.find({row.getDefiningOp(), base});
  if (found != columns.computed.end())
    return found->second;
  const KeptRow *kept = plan.getKept(row);
  Value value = kept && columns.lanes && kept->firstSweep < columns.sweep
                    ? loadColumns(row.getType(), keptRows.lookup(row), base, columns)
                    : computeOp(row, base, columns);
  columns.computed[{row.getDefiningOp(), base}] = value;
  return value;
}

Value RowEmitter::computeOp(Value row, int64_t base, ColumnRange &columns) {
  Operation *op = row.getDefiningOp();
  Type type = getLaneType(getElementTypeOrSelf(row.getType()), columns);
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant))) {
    auto element = constant.getSplatValue<TypedAttr>();
    if (auto vector = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, Attribute(element)));
    return arith::ConstantOp::create(b, element);
  }
  if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
    Value scalar = scalars.lookup(splat.getInput());
    return columns.lanes ? Value(vector::BroadcastOp::create(b, type, scalar)) : scalar;
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return compute(slice.getSource(), base + slice.getStaticOffset(0), columns);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return computeConcat(concat, base, columns);
  if (isa<ColumnIndexOp>(op))
    return computeColumnIndex(type, base, columns);
  return computeElementwise(op, base, columns);
}

// `base` is where a piece begins, and no piece lies in two parts.
Value RowEmitter::computeConcat(tensor::ConcatOp concat, int64_t base, ColumnRange &columns) {
  int64_t begin = 0;
  for (Value part : concat.getInputs()) {
    int64_t end = begin + getRowLength(part);
    if (base < end)
      return compute(part, base - begin, columns);
    begin = end;
  }
  llvm_unreachable("a piece of a row lies in one of its parts");
}

Value RowEmitter::computeColumnIndex(Type type, int64_t base, ColumnRange &columns) {
  Value first =
      arith::TruncIOp::create(b, b.getI32Type(), b.add(columns.first, base + columns.offset));
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return first;
  SmallVector<int32_t> lanes(columns.lanes);
  std::iota(lanes.begin(), lanes.end(), 0);
  Value steps =
      arith::ConstantOp::create(b, DenseElementsAttr::get(vector, ArrayRef<int32_t>(lanes)));
  return arith::AddIOp::create(b, vector::BroadcastOp::create(b, vector, first), steps);
}

// A product that is only added to something may become a fused multiply-add:
// it is rounded once instead of twice.
static void allowContraction(Operation *op) {
  if (!isa<arith::MulFOp, arith::AddFOp, arith::SubFOp>(op))
    return;
  auto flags = cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr().getValue();
  op->setAttr("fastmath", arith::FastMathFlagsAttr::get(op->getContext(),
                                                        flags | arith::FastMathFlags::contract));
}

Value RowEmitter::computeElementwise(Operation *op, int64_t base, ColumnRange &columns) {
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand,
                 isRow(operand) ? compute(operand, base, columns) : scalars.lookup(operand));
  Operation *copy = op->cloneWithoutRegions(operands);
  copy->getResult(0).setType(getLaneType(getElementTypeOrSelf(op->getResult(0)), columns));
  allowContraction(copy);
  return b.insert(copy)->getResult(0);
}
