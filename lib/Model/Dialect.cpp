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
