//===- Compile.h - From a model graph to a program --------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_COMPILER_COMPILE_H
#define VERNIER_COMPILER_COMPILE_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/Program.h"
#include <memory>
#include <string>
#include <vector>

namespace vernier {

/// The optimizer's constants, which are compiled in.
struct OptimizerOptions {
  double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, weightDecay = 0.1;
  double clipNorm = 1.0; ///< 0: gradients are not clipped
};

struct CompileOptions {
  OptimizerOptions optimizer;
  /// "native", or "avx512", "avx2", "sse2", "aarch64".
  std::string cpu = "native";
  /// Phases to compile; empty: all that a step of `microBatches` and what
  /// comes between steps need.
  std::vector<std::string> phases;
  /// Of an optimizer step. A program for one has no phase `accumulate`.
  int64_t microBatches = 1;
  /// Where scales of linear maps are applied: "auto", "weights" or "activations"
  /// (see the pass vernier-apply-scale-to-weights). Where no gradients are
  /// wanted, "auto" is "activations".
  std::string scaleSide = "auto";
};

/// A program together with the machine code of its kernels.
class CompiledProgram {
public:
  virtual ~CompiledProgram();
  virtual const runtime::Program &getProgram() const = 0;
};

/// What `compile` makes of a model graph before it generates code: phases and
/// the memory plan; kernels have no functions. Nothing of the plan's size is
/// allocated. Errors are reported as diagnostics.
mlir::FailureOr<runtime::Program> planProgram(mlir::ModuleOp model, const CompileOptions &options);

/// Compiles a model graph (a module with a function `loss`) for the host.
/// Does not change `model`. Errors are reported as diagnostics at it; null then.
std::unique_ptr<CompiledProgram> compile(mlir::ModuleOp model, const CompileOptions &options);

} // namespace vernier

#endif // VERNIER_COMPILER_COMPILE_H
