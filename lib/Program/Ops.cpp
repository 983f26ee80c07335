//===- Ops.cpp - Verifiers of the program operations -------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
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

// A number of bytes for each result, if any.
static LogicalResult verifyOffsets(Operation *op, std::optional<ArrayRef<int64_t>> offsets) {
  if (!offsets || offsets->size() == op->getNumResults())
    return success();
  return op->emitOpError() << "has " << offsets->size() << " offsets for " << op->getNumResults()
                           << " results";
}

LogicalResult LaunchOp::verify() { return verifyOffsets(*this, getOffsets()); }

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *kernel = symbols.lookupNearestSymbolFrom(*this, getKernelAttr());
  if (!kernel)
    return emitOpError() << "'" << getKernel() << "' is not a kernel of this module";
  auto type = kernel->getAttrOfType<TypeAttr>("function_type");
  if (!isa<KernelOp, AttentionKernelOp, GatherKernelOp, ScatterAddKernelOp>(kernel) || !type)
    return emitOpError() << "'" << getKernel() << "' is a " << kernel->getName()
                         << ", but must be a kernel";
  auto found = FunctionType::get(getContext(), getOperandTypes(), getResultTypes());
  if (type.getValue() != found)
    return emitOpError() << "has type " << found << ", but kernel '" << getKernel() << "' has "
                         << type.getValue();
  return success();
}

LogicalResult ReduceOp::verify() {
  Type element = getElementTypeOrSelf(getRow().getType());
  if (getType() == element)
    return success();
  return emitOpError() << "gives " << getType() << ", but the row consists of " << element;
}

LogicalResult ProductOp::verify() {
  auto sizes = [](Value matrix, bool transpose) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(matrix.getType()).getShape();
    return transpose ? std::pair(shape[1], shape[0]) : std::pair(shape[0], shape[1]);
  };
  auto [m, k] = sizes(getLhs(), getTransposeLhs());
  auto [rhsK, n] = sizes(getRhs(), getTransposeRhs());
  if (k != rhsK)
    return emitOpError() << "sums over " << k << " columns of the left, but " << rhsK
                         << " rows of the right operand";
  auto expected = RankedTensorType::get({m, n}, getType().getElementType());
  if (getType() != expected)
    return emitOpError() << "has result type " << getType() << ", but its operands make "
                         << expected;
  if (getInit() && getInit().getType() != getType())
    return emitOpError() << "has an init of type " << getInit().getType()
                         << ", but a result of type " << getType();
  return verifyOffsets(*this, getOffsets());
}

LogicalResult RopeTableOp::verify() {
  if (getCosines().getType() != getSines().getType())
    return emitOpError() << "has cosines of type " << getCosines().getType()
                         << ", but sines of type " << getSines().getType();
  return verifyOffsets(*this, getOffsets());
}
