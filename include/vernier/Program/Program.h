//===- Program.h - The program dialect -----------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_PROGRAM_PROGRAM_H
#define VERNIER_PROGRAM_PROGRAM_H

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "vernier/Model/Vernier.h"

#include "vernier/Program/ProgramOpsDialect.h.inc"
#include "vernier/Program/ProgramOpsEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "vernier/Program/ProgramOpsAttrs.h.inc"
#define GET_OP_CLASSES
#include "vernier/Program/ProgramOps.h.inc"

#endif // VERNIER_PROGRAM_PROGRAM_H
