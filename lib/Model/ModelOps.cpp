//===- ModelOps.cpp - Verifiers of the model operations ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionVerification.h"
#include "Verification.h"
#include "vernier/Model/Vernier.h"

using namespace mlir;
using namespace vernier;

// Keyword enums print bare: `kind(matrix)`, `vernier.glu silu`.
template <typename AttrT, typename Symbolize>
static ParseResult parseKeywordEnum(OpAsmParser &parser, AttrT &attr, Symbolize symbolize) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  auto value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc) << "unknown keyword '" << keyword << "'";
  attr = AttrT::get(parser.getContext(), *value);
  return success();
}

#define VERNIER_KEYWORD_ENUM(NAME)                                                                 \
  static ParseResult parse##NAME(OpAsmParser &parser, NAME##Attr &attr) {                          \
    return parseKeywordEnum(parser, attr, [](StringRef s) { return symbolize##NAME(s); });         \
  }                                                                                                \
  static void print##NAME(OpAsmPrinter &printer, Operation *, NAME##Attr attr) {                   \
    printer << stringify##NAME(attr.getValue());                                                   \
  }
VERNIER_KEYWORD_ENUM(ParamKind)
VERNIER_KEYWORD_ENUM(DecayGroup)
VERNIER_KEYWORD_ENUM(OptimizerGroup)
VERNIER_KEYWORD_ENUM(Activation)
VERNIER_KEYWORD_ENUM(ScaleForm)
#undef VERNIER_KEYWORD_ENUM

#define GET_OP_CLASSES
#include "vernier/Model/VernierOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Constraint (2) of a parameter: the kind fits the shape.
static LogicalResult verifyKind(ParamOp op) {
  ArrayRef<int64_t> shape = op.getTensorType().getShape();
  StringRef kind = stringifyParamKind(op.getKind());
  switch (op.getKind()) {
  case ParamKind::Matrix:
  case ParamKind::Embedding:
    if (shape.size() != 2)
      return op.emitOpError() << "of kind " << kind << " has shape " << printShape(shape)
                              << ", but two dimensions are needed";
    return success();
  case ParamKind::Bias:
  case ParamKind::Scale:
  case ParamKind::Direction:
    if (shape.size() != 1)
      return op.emitOpError() << "of kind " << kind << " has shape " << printShape(shape)
                              << ", but one dimension is needed";
    return success();
  case ParamKind::Magnitude:
    if (op.getTensorType().getNumElements() != 1)
      return op.emitOpError() << "of kind " << kind << " has shape " << printShape(shape)
                              << ", but one entry is needed";
    return success();
  }
  return success();
}

/// Constraint (3): slices have rows, in order, that add up to the parameter's.
static LogicalResult verifyStored(ParamOp op) {
  if (op.getStored().empty())
    return op.emitOpError() << "is stored nowhere: 'stored' is empty";
  int64_t rows = 0;
  bool sliced = false;
  for (auto stored : op.getStored().getAsRange<StoredAttr>()) {
    if (stored.getBegin() == 0 && stored.getEnd() == 0)
      continue;
    if (stored.getBegin() < 0 || stored.getEnd() <= stored.getBegin())
      return op.emitOpError() << "is stored as rows " << stored.getBegin() << " to "
                              << stored.getEnd() << " of '" << stored.getName()
                              << "', which is no range";
    sliced = true;
    rows += stored.getEnd() - stored.getBegin();
  }
  ArrayRef<int64_t> shape = op.getTensorType().getShape();
  if (sliced && (shape.empty() || rows > shape.front()))
    return op.emitOpError() << "is stored as " << rows << " rows, but has shape "
                            << printShape(shape);
  return success();
}

LogicalResult ParamOp::verify() {
  RankedTensorType type = getTensorType();
  if (!type.hasStaticShape() || !type.getElementType().isF32() ||
      llvm::is_contained(type.getShape(), 0))
    return emitOpError() << "has type " << type
                         << ", but a static, non-empty tensor of f32 is needed";
  if (failed(verifyCountable(*this, type, "parameter")))
    return failure();
  if (!isa<ConstantInitAttr, NormalInitAttr, ResidualNormalInitAttr>(getInitializer()))
    return emitOpError() << "has initializer " << getInitializer()
                         << ", but #vernier.constant, #vernier.normal or "
                            "#vernier.residual_normal is needed";
  if (!getDecayToward().isFinite())
    return emitOpError() << "decays toward " << getDecayToward().convertToDouble()
                         << ", but must do so toward a finite number";
  return success(succeeded(verifyKind(*this)) && succeeded(verifyStored(*this)));
}

LogicalResult GetParamOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto param = symbols.lookupNearestSymbolFrom<ParamOp>(*this, getParamAttr());
  if (!param)
    return emitOpError() << "'" << getParam() << "' is not a vernier.param of this module";
  if (param.getType() != getType())
    return emitOpError() << "reads parameter '" << getParam() << "' of type " << param.getType()
                         << " as " << getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

LogicalResult EmbeddingOp::verify() {
  if (failed(checkRank(*this, {"table", getTable()}, 2)))
    return failure();
  if (getIds().getType().getNumElements() == 0)
    return emitOpError() << "ids has shape " << printShape(getIds().getType().getShape())
                         << ", but at least one token is needed";
  SmallVector<int64_t> expected(getIds().getType().getShape());
  expected.push_back(getTable().getType().getShape()[1]);
  return checkShape(*this, {"result", getResult()}, expected);
}

LogicalResult LinearOp::verify() {
  Named input{"input", getInput()}, weight{"weight", getWeight()}, result{"result", getResult()};
  if (failed(checkNotScalar(*this, input)) || failed(checkRank(*this, weight, 2)))
    return failure();
  if (weight.shape()[1] != input.shape().back())
    return emitOpError() << "weight has shape " << printShape(weight.shape())
                         << ", but the last dimension of the input is " << input.shape().back();
  SmallVector<int64_t> expected(input.shape());
  expected.back() = weight.shape()[0];
  if (failed(checkShape(*this, result, expected)))
    return failure();
  return getBias() ? checkShape(*this, {"bias", getBias()}, expected.back()) : success();
}

template <typename OpT> static LogicalResult verifyNorm(OpT op) {
  Named input{"input", op.getInput()};
  if (failed(checkNotScalar(op, input)) ||
      failed(checkSameShape(op, input, {"result", op.getResult()})))
    return failure();
  return checkPositiveInF32(op, "epsilon", op.getEpsilon());
}

LogicalResult RMSNormOp::verify() { return verifyNorm(*this); }
LogicalResult LayerNormOp::verify() { return verifyNorm(*this); }

LogicalResult ScaleOp::verify() {
  Named input{"input", getInput()}, scale{"scale vector", getScale()};
  if (failed(checkNotScalar(*this, input)) || failed(checkRank(*this, scale, 1)))
    return failure();
  if (scale.shape()[0] != input.shape().back())
    return emitOpError() << "scale vector has " << scale.shape()[0]
                         << " entries, but the last dimension of the input is "
                         << input.shape().back();
  return checkSameShape(*this, input, {"result", getResult()});
}

LogicalResult ScaleRowsOp::verify() {
  Named input{"input", getInput()}, scale{"scale vector", getScale()};
  if (failed(checkRank(*this, input, 2)) || failed(checkRank(*this, scale, 1)))
    return failure();
  if (scale.shape()[0] != input.shape()[0])
    return emitOpError() << "scale vector has " << scale.shape()[0]
                         << " entries, but the first dimension of the input is "
                         << input.shape()[0];
  return checkSameShape(*this, input, {"result", getResult()});
}

/// Shapes of a direction, its magnitude, and the vector that they make.
template <typename OpT> static LogicalResult verifyForm(OpT op, const Named &vector) {
  Named direction{"direction", op.getDirection()};
  if (failed(checkRank(op, direction, 1)) ||
      failed(checkShape(op, {"magnitude", op.getMagnitude()}, {1})))
    return failure();
  return checkSameShape(op, direction, vector);
}

LogicalResult ScaleFromDirectionOp::verify() { return verifyForm(*this, {"result", getResult()}); }

LogicalResult ScaleToDirectionOp::verify() {
  return verifyForm(*this, {"scale vector", getScale()});
}

template <typename OpT> static LogicalResult verifyBinary(OpT op) {
  Named lhs{"left operand", op.getLhs()};
  if (failed(checkSameShape(op, lhs, {"right operand", op.getRhs()})))
    return failure();
  return checkSameShape(op, lhs, {"result", op.getResult()});
}

LogicalResult AddOp::verify() { return verifyBinary(*this); }
LogicalResult MulOp::verify() { return verifyBinary(*this); }

LogicalResult RopeOp::verify() {
  Named input{"input", getInput()};
  if (failed(checkRank(*this, input, 4)) ||
      failed(checkSameShape(*this, input, {"result", getResult()})))
    return failure();
  if (input.shape()[3] % 2 != 0)
    return emitOpError() << "head_dim is " << input.shape()[3] << ", but must be even";
  return checkPositiveInF32(*this, "theta", getTheta());
}

OpFoldResult RopeOp::fold(FoldAdaptor) {
  auto first = getInput().getDefiningOp<RopeOp>();
  bool undoes = first && first.getInverse() != getInverse() && first.getTheta() == getTheta() &&
                first.getScaling() == getScaling();
  // Rounding to bf16 in between is part of the semantics.
  if (undoes && first.getInput().getType() == getType() && first.getType() == getType() &&
      getType().getElementType().isF32())
    return first.getInput();
  return {};
}

LogicalResult AttentionOp::verify() { return verifyAttention(*this, {"output", getOutput()}); }

LogicalResult GluOp::verify() {
  Named gate{"gate", getGate()};
  if (failed(checkSameShape(*this, gate, {"up", getUp()})))
    return failure();
  return checkSameShape(*this, gate, {"result", getResult()});
}

//===----------------------------------------------------------------------===//
// Loss
//===----------------------------------------------------------------------===//

LogicalResult CrossEntropyOp::verify() {
  Named targets{"targets", getTargets()};
  if (failed(checkLeading(*this, {"logits", getLogits()}, targets.shape())))
    return failure();
  return checkSameShape(*this, targets, {"log_sum_exp", getLogSumExp()});
}
