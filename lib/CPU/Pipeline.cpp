//===- Pipeline.cpp - From kernels to the LLVM dialect ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassRegistry.h"
#include "vernier/CPU/Passes.h"
#include "vernier/CPU/Target.h"

using namespace mlir;
using namespace vernier;

// Full unrolling keeps two-dimensional transfers from becoming allocas inside
// loops; `lower-affine` takes what `expand-strided-metadata` leaves.
static constexpr llvm::StringLiteral kLowerToLLVM =
    "func.func(canonicalize,cse),convert-vector-to-scf{full-unroll=true},"
    "func.func(loop-invariant-code-motion),convert-scf-to-cf,expand-strided-metadata,lower-affine,"
    "convert-vector-to-llvm{vector-contract-lowering=outerproduct "
    "vector-transpose-lowering=shuffle16x16},convert-ub-to-llvm,convert-math-to-llvm,"
    "finalize-memref-to-llvm,convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},"
    "convert-arith-to-llvm,convert-index-to-llvm,convert-cf-to-llvm,"
    "reconcile-unrealized-casts,canonicalize,cse";

void cpu::buildCPUPipeline(OpPassManager &manager, StringRef target) {
  manager.addPass(createLowerKernelsToCPU({target.str()}));
  std::optional<CPUTarget> found = findCPUTarget(target); // if none, the pass reports it
  manager.addNestedPass<func::FuncOp>(createExpandMath({!found || found->hasFMA}));
  if (failed(parsePassPipeline(kLowerToLLVM, manager)))
    llvm::report_fatal_error("the passes of vernier-cpu are not registered");
}

namespace {
struct PipelineOptions : public PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("native, avx512, avx2, sse2 or aarch64"),
                             llvm::cl::init("native")};
};
} // namespace

void cpu::registerCPUPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "vernier-cpu", "from kernels to the LLVM dialect",
      [](OpPassManager &manager, const PipelineOptions &options) {
        buildCPUPipeline(manager, options.target);
      });
}
