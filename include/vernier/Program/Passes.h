//===- Passes.h - From a training graph to a kernel program ---*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_PROGRAM_PASSES_H
#define VERNIER_PROGRAM_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "vernier/Program/Program.h"

namespace vernier::program {

#define GEN_PASS_DECL
#include "vernier/Program/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "vernier/Program/Passes.h.inc"

/// Appends the passes that make a kernel program of a training graph, the
/// pipeline `vernier-kernel-program`.
void buildKernelProgramPipeline(mlir::OpPassManager &manager);
void registerProgramPipelines();

} // namespace vernier::program

#endif // VERNIER_PROGRAM_PASSES_H
