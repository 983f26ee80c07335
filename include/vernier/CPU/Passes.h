//===- Passes.h - Passes of CPU code generation ----------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_CPU_PASSES_H
#define VERNIER_CPU_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace vernier::cpu {

#define GEN_PASS_DECL
#include "vernier/CPU/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "vernier/CPU/Passes.h.inc"

/// Rewrites functions of f32 numbers and vectors as arithmetic (see the pass
/// `vernier-expand-math` for their errors).
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns);

/// Rewrites `math.fpowi` of numbers as a loop of multiplications; part of the
/// above.
void populateExpandPowerPatterns(mlir::RewritePatternSet &patterns);

/// Rewrites `math.fma` and `vector.fma` as a product and a sum, for targets
/// that have no such instruction (LLVM would call a library's `fmaf`).
void populateExpandFmaPatterns(mlir::RewritePatternSet &patterns);

/// Adds the passes from kernels to the LLVM dialect: the kernels' lowering,
/// the expansion of mathematical functions, then upstream conversions.
/// `target` is as in `getCPUTarget`.
void buildCPUPipeline(mlir::OpPassManager &manager, llvm::StringRef target);

/// Registers the above as `vernier-cpu{target=...}`.
void registerCPUPipelines();

} // namespace vernier::cpu

#endif // VERNIER_CPU_PASSES_H
