//===- Target.h - The processor that code is generated for ------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_CPU_TARGET_H
#define VERNIER_CPU_TARGET_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>

namespace vernier::cpu {

/// What code generation needs to know of a processor. Bits of results depend
/// on the instruction set (the number of lanes orders sums), never on the
/// processor's model.
struct CPUTarget {
  std::string name;     ///< avx512, avx2, sse2 or aarch64
  std::string triple;   ///< as LLVM's target machine takes them
  std::string cpu;      ///< e.g. x86-64-v3, or the host's own name for "native"
  std::string features; ///< e.g. +avx2,+fma
  int64_t vectorBits = 128;
  int64_t registers = 16; ///< vector registers
  bool hasFMA = false;

  /// Entries of a 32-bit type in a register, the unit in which rows are swept.
  int64_t getLanes() const { return vectorBits / 32; }
};

/// The target called `name`: avx512, avx2, sse2 (any x86-64), aarch64, or
/// native for the host's widest. None for other names.
std::optional<CPUTarget> findCPUTarget(llvm::StringRef name);

/// The same, but reports other names through `emitError`.
mlir::FailureOr<CPUTarget> getCPUTarget(llvm::StringRef name,
                                        llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Whether this machine executes code for the target.
bool runsOnHost(const CPUTarget &target);

} // namespace vernier::cpu

#endif // VERNIER_CPU_TARGET_H
