//===- UpstreamRules.cpp - Gradient rules of upstream operations ----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace vernier;

Value vernier::convert(OpBuilder &builder, Location loc, Value value, Type type) {
  unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, value);
  if (from > to)
    return arith::TruncFOp::create(builder, loc, type, value);
  return value;
}

namespace {

// The adjoint of a reshape is the opposite reshape.
template <typename ReshapeOp, typename OppositeOp>
struct ReshapeRule : GradientRule<ReshapeRule<ReshapeOp, OppositeOp>, ReshapeOp> {
  void build(ReshapeOp op, OpBuilder &builder, Cotangents &cotangents) const {
    Value source = op.getSrc();
    cotangents.add(source, OppositeOp::create(builder, op.getLoc(), source.getType(),
                                              cotangents.get(op.getResult()),
                                              op.getReassociationIndices()));
  }
};

template <typename CastOp> struct CastRule : GradientRule<CastRule<CastOp>, CastOp> {
  void build(CastOp op, OpBuilder &builder, Cotangents &cotangents) const {
    Value input = op.getIn();
    cotangents.add(input,
                   convert(builder, op.getLoc(), cotangents.get(op.getResult()), input.getType()));
  }
};

} // namespace

void vernier::registerUpstreamRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    using namespace tensor;
    ExpandShapeOp::attachInterface<ReshapeRule<ExpandShapeOp, CollapseShapeOp>>(*context);
    CollapseShapeOp::attachInterface<ReshapeRule<CollapseShapeOp, ExpandShapeOp>>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    arith::ExtFOp::attachInterface<CastRule<arith::ExtFOp>>(*context);
    arith::TruncFOp::attachInterface<CastRule<arith::TruncFOp>>(*context);
  });
}

void vernier::registerGradientRules(DialectRegistry &registry) {
  registerModelRules(registry);
  registerUpstreamRules(registry);
}
