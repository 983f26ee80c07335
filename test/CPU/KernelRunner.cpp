//===- KernelRunner.cpp - Compiles a kernel and runs it in tests --------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"
#include "mlir/Parser/Parser.h"
#include "vernier/CPU/Kernels.h"
#include "vernier/Compiler/RegisterAll.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::test;

std::unique_ptr<MLIRContext> test::createContext() {
  static bool registered = [] {
    registerAllPasses();
    return true;
  }();
  (void)registered;
  DialectRegistry registry;
  registerAllDialects(registry);
  return std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
}

KernelRunner::KernelRunner(const std::string &source, const std::string &target)
    : context(createContext()) {
  ScopedDiagnosticHandler printer(context.get(), [](Diagnostic &diagnostic) {
    llvm::errs() << diagnostic.getLocation() << ": " << diagnostic << "\n";
    return success();
  });
  auto module = parseSourceString<ModuleOp>(source, context.get());
  if (!module)
    return;
  Operation &kernel = *llvm::find_if(*module->getBody(), cpu::isKernel);
  geometry = program::getGeometry(&kernel);
  std::string name = SymbolTable::getSymbolName(&kernel).str();
  auto objects = cpu::compileKernels(*module, *findTestTarget(target));
  if (failed(objects))
    return;
  scratchBytes = objects->scratchBytes.lookup(name);
  code = cpu::LoadedCode::load(std::move(objects->files), [&] { return module->emitError(); });
  if (!code)
    return;
  run = code->lookup(name);
  finish = code->lookup(name + ".finish");
}

void KernelRunner::launch(std::vector<char *> buffers, bool backwards) {
  // Unspecified contents are NaNs here.
  Buffer<char> workspace(geometry.workspaceBytes, char(0xff)), scratch(scratchBytes, char(0xff));
  buffers.push_back(geometry.workspaceBytes ? workspace.begin() : nullptr);
  for (int64_t i = 0; i < geometry.blocks; ++i)
    run(buffers.data(), scratch.begin(), backwards ? geometry.blocks - 1 - i : i);
  for (int64_t i = 0; i < geometry.finishBlocks; ++i)
    finish(buffers.data(), scratch.begin(), backwards ? geometry.finishBlocks - 1 - i : i);
  intact &= workspace.isIntact() && scratch.isIntact();
}
