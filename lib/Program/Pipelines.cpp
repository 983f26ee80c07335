//===- Pipelines.cpp - From a training graph to a kernel program -------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "vernier/Program/Passes.h"

using namespace mlir;
using namespace vernier;

void program::buildKernelProgramPipeline(OpPassManager &manager) {
  OpPassManager &phases = manager.nest<func::FuncOp>();
  phases.addPass(createFormProducts());
  phases.addPass(createAccumulateInPlace());
  phases.addPass(createFormKernels());
  phases.addPass(createCanonicalizerPass());
  phases.addPass(createCSEPass());
  phases.addPass(createFuseRows());
  phases.addPass(createRecomputeRows());
  // Within kernels, what members computed twice is computed once.
  phases.addPass(createCSEPass());
  phases.addPass(createCanonicalizerPass());
  // Nothing merges or moves kernels after this.
  phases.addPass(createRecomputeAttention());
  phases.addPass(createGuardState());
  manager.addPass(createOutlineKernels());
  manager.addPass(createPlanMemory());
  manager.addPass(createVerifyPlan());
}

void program::registerProgramPipelines() {
  PassPipelineRegistration<>("vernier-kernel-program",
                             "make a planned kernel program of a training graph",
                             buildKernelProgramPipeline);
}
