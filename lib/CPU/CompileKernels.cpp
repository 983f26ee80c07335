//===- CompileKernels.cpp - From kernels to object files --------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassManager.h"
#include "vernier/CPU/Kernels.h"
#include "vernier/CPU/MachineCode.h"
#include "vernier/CPU/Passes.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;

// Phases need not be cloned: kernels are all that is compiled.
static OwningOpRef<ModuleOp> cloneKernels(ModuleOp module) {
  OwningOpRef<ModuleOp> kernels(ModuleOp::create(module.getLoc()));
  OpBuilder builder = OpBuilder::atBlockEnd(kernels->getBody());
  for (Operation &op : *module.getBody())
    if (isKernel(op))
      builder.clone(op);
  return kernels;
}

FailureOr<KernelObjects> cpu::compileKernels(ModuleOp module, const CPUTarget &target) {
  OwningOpRef<ModuleOp> lowered = cloneKernels(module);
  PassManager manager(module.getContext());
  buildCPUPipeline(manager, target.name);
  if (failed(manager.run(*lowered)))
    return failure();
  KernelObjects result;
  for (auto function : lowered->getOps<LLVM::LLVMFuncOp>())
    if (auto bytes = function->getAttrOfType<IntegerAttr>(kScratchBytesAttr))
      result.scratchBytes[function.getSymName()] = bytes.getInt();
  auto object = emitObject(*lowered, target);
  if (failed(object))
    return failure();
  result.files.push_back(std::move(*object));
  return result;
}
