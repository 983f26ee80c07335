//===- MachineCode.h - Object code of kernels, and loading it ----*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_CPU_MACHINECODE_H
#define VERNIER_CPU_MACHINECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/KernelInterface.h"
#include "vernier/CPU/Target.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace vernier::cpu {

/// Object files that define the functions of kernels.
struct KernelObjects {
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> files;
  /// Bytes of scratch memory that a thread needs, by the kernel's name.
  llvm::StringMap<int64_t> scratchBytes;
};

/// Lowers the kernels of a module (a clone of it: `module` stays as it is) to
/// object code. An object that would import a symbol is an error. Errors are
/// reported as diagnostics.
///
/// The passes of `registerAllPasses` have to be registered.
mlir::FailureOr<KernelObjects> compileKernels(mlir::ModuleOp module, const CPUTarget &target);

/// The object file of a module that the pipeline `vernier-cpu` has lowered.
mlir::FailureOr<std::unique_ptr<llvm::MemoryBuffer>> emitObject(mlir::ModuleOp lowered,
                                                                const CPUTarget &target);

/// Functions of object files in this process's memory, executable as long as
/// this lives.
class LoadedCode {
public:
  LoadedCode();
  ~LoadedCode();

  /// Reports through `emitError` what cannot be loaded; null then.
  static std::unique_ptr<LoadedCode> load(std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects,
                                          llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  /// Null if no object defines the function.
  VernierKernelFunction lookup(llvm::StringRef name) const;

private:
  struct Jit;
  std::unique_ptr<Jit> jit;
};

} // namespace vernier::cpu

#endif // VERNIER_CPU_MACHINECODE_H
