//===- CompileKernels.cpp - From kernels to object files --------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassManager.h"
#include "vernier/CPU/MachineCode.h"
#include "vernier/CPU/Passes.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;

FailureOr<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>
cpu::compileKernels(ModuleOp module, const CPUTarget &target) {
  OwningOpRef<ModuleOp> lowered(module.clone());
  PassManager manager(module.getContext());
  buildCPUPipeline(manager, target.name);
  if (failed(manager.run(*lowered)))
    return failure();
  auto object = emitObject(*lowered, target);
  if (failed(object))
    return failure();
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  objects.push_back(std::move(*object));
  return objects;
}
