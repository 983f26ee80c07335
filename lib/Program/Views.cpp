//===- Views.cpp - Tensors of one buffer in several shapes -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Views.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace vernier;

bool program::isView(Operation *op) {
  return op && isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

Value program::stripViews(Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

RankedTensorType program::matrixType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  int64_t columns = tensor.getRank() ? tensor.getShape().back() : 1;
  return RankedTensorType::get({tensor.getNumElements() / columns, columns},
                               tensor.getElementType());
}

Value program::asMatrix(OpBuilder &builder, Value tensor) {
  return viewAs(builder, tensor, matrixType(tensor.getType()));
}

Value program::viewAs(OpBuilder &builder, Value tensor, RankedTensorType type) {
  Location loc = tensor.getLoc();
  auto from = cast<RankedTensorType>(tensor.getType());
  if (from == type)
    return tensor;
  if (from.getRank() > type.getRank()) {
    if (auto groups = getReassociationIndicesForCollapse(from.getShape(), type.getShape()))
      return tensor::CollapseShapeOp::create(builder, loc, type, tensor, *groups);
  } else if (auto groups = getReassociationIndicesForCollapse(type.getShape(), from.getShape())) {
    return tensor::ExpandShapeOp::create(builder, loc, type, tensor, *groups);
  }
  // Shapes that do not nest: through the one dimension that both collapse to.
  auto flat = RankedTensorType::get({from.getNumElements()}, from.getElementType());
  return viewAs(builder, viewAs(builder, tensor, flat), type);
}
