//===- Ops.cpp - Verifiers of the program operations -------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "vernier/Program/Program.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

// Output kinds print bare: `outputs [map, sum]`.
static ParseResult parseOutputKinds(OpAsmParser &parser, ArrayAttr &kinds) {
  SmallVector<Attribute> values;
  auto parseOne = [&]() -> ParseResult {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return failure();
    auto kind = symbolizeOutputKind(keyword);
    if (!kind)
      return parser.emitError(loc) << "expected 'map' or 'sum', found '" << keyword << "'";
    values.push_back(OutputKindAttr::get(parser.getContext(), *kind));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseOne))
    return failure();
  kinds = parser.getBuilder().getArrayAttr(values);
  return success();
}

static void printOutputKinds(OpAsmPrinter &printer, Operation *, ArrayAttr kinds) {
  printer << '[';
  llvm::interleaveComma(kinds.getAsRange<OutputKindAttr>(), printer, [&](OutputKindAttr kind) {
    printer << stringifyOutputKind(kind.getValue());
  });
  printer << ']';
}

#define GET_OP_CLASSES
#include "vernier/Program/ProgramOps.cpp.inc"

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *kernel = symbols.lookupNearestSymbolFrom(*this, getKernelAttr());
  if (!kernel)
    return emitOpError() << "'" << getKernel() << "' is not a kernel of this module";
  return success();
}

#define VERNIER_STUB(NAME)                                                                         \
  LogicalResult NAME::verify() { return success(); }
VERNIER_STUB(RowsOp)
VERNIER_STUB(ReduceOp)
VERNIER_STUB(KernelOp) VERNIER_STUB(AttentionKernelOp) VERNIER_STUB(GatherKernelOp)
    VERNIER_STUB(ScatterAddKernelOp) VERNIER_STUB(ProductOp) VERNIER_STUB(RopeTableOp)
