//===- FormedKernels.h - Kernels as the compiler makes them of operations -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_CPU_FORMEDKERNELS_H
#define VERNIER_TEST_CPU_FORMEDKERNELS_H

#include "KernelRunner.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace vernier::test {

/// The module in which the operations of `source` are outlined kernels, as text for
/// `KernelRunner`; empty if that fails. The first kernel is that of the first operation.
inline std::string formKernels(const std::string &source) {
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, context.get());
  mlir::PassManager manager(context.get());
  if (!module ||
      failed(mlir::parsePassPipeline("func.func(vernier-form-kernels,canonicalize,cse),"
                                     "vernier-outline-kernels",
                                     manager)) ||
      failed(manager.run(*module)))
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}

} // namespace vernier::test

#endif // VERNIER_TEST_CPU_FORMEDKERNELS_H
