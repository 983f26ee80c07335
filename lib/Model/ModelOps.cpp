//===- ModelOps.cpp - Verifiers of the model operations ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
#undef VERNIER_KEYWORD_ENUM

#define GET_OP_CLASSES
#include "vernier/Model/VernierOps.cpp.inc"

LogicalResult ParamOp::verify() { return success(); }

LogicalResult GetParamOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto param = symbols.lookupNearestSymbolFrom<ParamOp>(*this, getParamAttr());
  if (!param)
    return emitOpError() << "'" << getParam() << "' is not a vernier.param of this module";
  if (param.getType() != getType())
    return emitOpError() << "reads parameter '" << getParam() << "' of type " << param.getType()
                         << " as " << getType();
  return success();
}

#define VERNIER_STUB(NAME)                                                                         \
  LogicalResult NAME::verify() { return success(); }
VERNIER_STUB(EmbeddingOp)
VERNIER_STUB(LinearOp) VERNIER_STUB(RMSNormOp) VERNIER_STUB(LayerNormOp) VERNIER_STUB(ScaleOp)
    VERNIER_STUB(AddOp) VERNIER_STUB(MulOp) VERNIER_STUB(RopeOp) VERNIER_STUB(AttentionOp)
        VERNIER_STUB(GluOp) VERNIER_STUB(CrossEntropyOp)
