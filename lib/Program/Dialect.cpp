//===- Dialect.cpp - The program dialect and its attributes ------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "vernier/Program/Program.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

#include "vernier/Program/ProgramOpsDialect.cpp.inc"
#include "vernier/Program/ProgramOpsEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "vernier/Program/ProgramOpsAttrs.cpp.inc"

void ProgramDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "vernier/Program/ProgramOpsAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "vernier/Program/ProgramOps.cpp.inc"
      >();
}
