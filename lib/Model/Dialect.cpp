//===- Dialect.cpp - The vernier dialect and its attributes ------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "vernier/Model/Vernier.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace vernier;

#include "vernier/Model/VernierOpsDialect.cpp.inc"
#include "vernier/Model/VernierOpsEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "vernier/Model/VernierOpsAttrs.cpp.inc"

// `<"name">`, or `<"name", rows = 0 to 40>`.
Attribute StoredAttr::parse(AsmParser &parser, Type) {
  std::string name;
  int64_t begin = 0, end = 0;
  if (parser.parseLess() || parser.parseString(&name))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("rows") || parser.parseEqual() || parser.parseInteger(begin) ||
       parser.parseKeyword("to") || parser.parseInteger(end)))
    return {};
  if (parser.parseGreater())
    return {};
  return StoredAttr::get(parser.getContext(), name, begin, end);
}

void StoredAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printString(getName());
  if (getEnd() != 0)
    printer << ", rows = " << getBegin() << " to " << getEnd();
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult checkNumber(EmitError emitError, StringRef what, FloatAttr number,
                                 bool (*fits)(double), StringRef needed) {
  if (fits(number.getValueAsDouble()))
    return success();
  return emitError() << what << " is " << number.getValueAsDouble() << ", but must be " << needed;
}

static LogicalResult checkMinimum(EmitError emitError, StringRef what, int64_t number) {
  if (number >= 1)
    return success();
  return emitError() << what << " is " << number << ", but must be at least 1";
}

static LogicalResult checkStd(EmitError emitError, FloatAttr std) {
  auto fits = [](double value) { return std::isfinite(static_cast<float>(value)) && value >= 0; };
  return checkNumber(emitError, "std", std, fits, "finite and not negative in f32");
}

LogicalResult NormalInitAttr::verify(EmitError emitError, FloatAttr mean, FloatAttr std) {
  auto finite = [](double value) { return std::isfinite(value); };
  return success(succeeded(checkNumber(emitError, "mean", mean, finite, "finite")) &&
                 succeeded(checkStd(emitError, std)));
}

LogicalResult ResidualNormalInitAttr::verify(EmitError emitError, FloatAttr std, int64_t layers) {
  return success(succeeded(checkStd(emitError, std)) &&
                 succeeded(checkMinimum(emitError, "layers", layers)));
}

LogicalResult RopeLlama3Attr::verify(EmitError emitError, FloatAttr factor, FloatAttr low,
                                     FloatAttr high, int64_t originalContext) {
  auto fits = [](double value) { return std::isfinite(value) && value > 0; };
  for (auto [what, number] : {std::pair<StringRef, FloatAttr>{"factor", factor},
                              {"low_freq_factor", low},
                              {"high_freq_factor", high}})
    if (failed(checkNumber(emitError, what, number, fits, "positive and finite")))
      return failure();
  if (!(high.getValueAsDouble() > low.getValueAsDouble()))
    return emitError() << "high_freq_factor is " << high.getValueAsDouble()
                       << ", but must be above low_freq_factor, " << low.getValueAsDouble();
  return checkMinimum(emitError, "original_context", originalContext);
}

void VernierDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "vernier/Model/VernierOpsAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "vernier/Model/VernierOps.cpp.inc"
      >();
}
