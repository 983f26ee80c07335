//===- Passes.h - Passes that rewrite scale vectors -----------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_SCALE_PASSES_H
#define VERNIER_SCALE_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "vernier/Model/Vernier.h"

namespace vernier {

#define GEN_PASS_DECL
#include "vernier/Scale/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "vernier/Scale/Passes.h.inc"

} // namespace vernier

#endif // VERNIER_SCALE_PASSES_H
