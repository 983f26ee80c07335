//===- Passes.h - Passes on model graphs -------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_MODEL_PASSES_H
#define VERNIER_MODEL_PASSES_H

#include "mlir/Pass/Pass.h"

namespace vernier {

#define GEN_PASS_DECL
#include "vernier/Model/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "vernier/Model/Passes.h.inc"

} // namespace vernier

#endif // VERNIER_MODEL_PASSES_H
