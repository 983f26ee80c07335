//===- LoadedCode.cpp - Loads object code into this process -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/CPU/MachineCode.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;

struct LoadedCode::Jit {
  std::unique_ptr<llvm::orc::LLJIT> instance;
};

LoadedCode::LoadedCode() : jit(std::make_unique<Jit>()) {}
LoadedCode::~LoadedCode() = default;

std::unique_ptr<LoadedCode>
LoadedCode::load(std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects,
                 llvm::function_ref<InFlightDiagnostic()> emitError) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto report = [&](llvm::Error error) {
    emitError() << "compiled kernels cannot be loaded: " << llvm::toString(std::move(error));
    return nullptr;
  };
  auto instance = llvm::orc::LLJITBuilder().create();
  if (!instance)
    return report(instance.takeError());
  for (std::unique_ptr<llvm::MemoryBuffer> &object : objects)
    if (llvm::Error error = (*instance)->addObjectFile(std::move(object)))
      return report(std::move(error));
  auto code = std::make_unique<LoadedCode>();
  code->jit->instance = std::move(*instance);
  return code;
}

VernierKernelFunction LoadedCode::lookup(StringRef name) const {
  auto address = jit->instance->lookup(name);
  if (!address) {
    llvm::consumeError(address.takeError());
    return nullptr;
  }
  return address->toPtr<VernierKernelFunction>();
}
