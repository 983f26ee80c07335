//===- Vernier.h - The vernier dialect -----------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_MODEL_VERNIER_H
#define VERNIER_MODEL_VERNIER_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "vernier/Model/CountableShapes.h"

#include "vernier/Model/VernierOpsDialect.h.inc"
#include "vernier/Model/VernierOpsEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "vernier/Model/VernierOpsAttrs.h.inc"
#define GET_OP_CLASSES
#include "vernier/Model/VernierOps.h.inc"

#endif // VERNIER_MODEL_VERNIER_H
