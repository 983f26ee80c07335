//===- RowsBuilder.cpp - Writes program.rows like formulas -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowsBuilder.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

ArrayRef<int64_t> program::getRowSpace(Type tensor) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor).getShape();
  return shape.empty() ? shape : shape.drop_back();
}

RowsBuilder::RowsBuilder(PatternRewriter &rewriter, Location loc, ArrayRef<int64_t> space,
                         StringRef label)
    : b(loc, rewriter.getContext()), rewriter(rewriter), space(space), label(label) {
  b.setInsertionPointToEnd(&region.emplaceBlock());
}

AffineMap RowsBuilder::identity() const {
  return AffineMap::getMultiDimIdentityMap(space.size(), rewriter.getContext());
}

AffineMap RowsBuilder::same() const {
  return AffineMap::get(space.size(), 0, {}, rewriter.getContext());
}

Value RowsBuilder::read(Value tensor, AffineMap map) {
  auto type = cast<RankedTensorType>(tensor.getType());
  ArrayRef<int64_t> row = type.getShape().drop_front(map.getNumResults());
  inputs.push_back(tensor);
  maps.push_back(AffineMapAttr::get(map));
  Type argument =
      row.empty() ? type.getElementType() : Type(RankedTensorType::get(row, type.getElementType()));
  return region.front().addArgument(argument, tensor.getLoc());
}

Value RowsBuilder::operand(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank() == 0 ? shared(tensor) : row(tensor);
}

// `type` with other elements.
static Type withElement(Type type, Type element) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Type(tensor.clone(element)) : element;
}

Value RowsBuilder::constant(Type type, double value) {
  Value number = arith::ConstantOp::create(b, b.getFloatAttr(getElementTypeOrSelf(type), value));
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor::SplatOp::create(b, number, tensor).getResult() : number;
}

Value RowsBuilder::integer(Type type, int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

void RowsBuilder::spread(Value &x, Value &y) {
  for (auto [number, row] : {std::pair(&x, y), std::pair(&y, x)})
    if (auto type = dyn_cast<RankedTensorType>(row.getType()))
      if (!isa<RankedTensorType>(number->getType()))
        *number = tensor::SplatOp::create(b, *number, type);
}

Value RowsBuilder::fma(Value x, Value y, Value z) {
  spread(x, y);
  spread(x, z);
  spread(y, z);
  return math::FmaOp::create(b, x, y, z);
}

Value RowsBuilder::reduce(ReduceKind kind, Value row) {
  return ReduceOp::create(b, getElementTypeOrSelf(row), kind, row);
}

Value RowsBuilder::mean(Value row) {
  Value total = sum(row);
  double length = cast<RankedTensorType>(row.getType()).getNumElements();
  return div(total, constant(total.getType(), length));
}

Value RowsBuilder::convert(Value x, FloatType element) {
  auto from = cast<FloatType>(getElementTypeOrSelf(x));
  if (from == element)
    return x;
  Type type = withElement(x.getType(), element);
  if (from.getWidth() < element.getWidth())
    return arith::ExtFOp::create(b, type, x);
  return arith::TruncFOp::create(b, type, x);
}

Value RowsBuilder::extend(Value x) {
  return getElementTypeOrSelf(x).isBF16() ? convert(x, b.getF32Type()) : x;
}

void RowsBuilder::store(Value x, Type resultTensor) {
  if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(resultTensor)))
    x = convert(x, element);
  yielded.push_back(x);
  kinds.push_back(OutputKindAttr::get(b.getContext(), OutputKind::Map));
}

void RowsBuilder::sumRows(Value x) {
  yielded.push_back(x);
  kinds.push_back(OutputKindAttr::get(b.getContext(), OutputKind::Sum));
}

RowsOp RowsBuilder::finish() {
  YieldOp::create(b, yielded);
  SmallVector<Type> types;
  for (auto [value, kind] : llvm::zip_equal(yielded, kinds)) {
    SmallVector<int64_t> shape;
    if (cast<OutputKindAttr>(kind).getValue() == OutputKind::Map)
      shape = space;
    if (auto row = dyn_cast<RankedTensorType>(value.getType()))
      llvm::append_range(shape, row.getShape());
    types.push_back(RankedTensorType::get(shape, getElementTypeOrSelf(value)));
  }
  auto rows = RowsOp::create(rewriter, b.getLoc(), types, inputs, space,
                             rewriter.getArrayAttr(maps), rewriter.getArrayAttr(kinds));
  rows.getBody().takeBody(region);
  rows->setAttr(kLabelAttr, rewriter.getStringAttr(label));
  return rows;
}
