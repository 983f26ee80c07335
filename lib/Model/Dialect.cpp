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
