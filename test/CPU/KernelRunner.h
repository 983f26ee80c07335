//===- KernelRunner.h - Compiles a kernel and runs it in tests ---*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_CPU_KERNELRUNNER_H
#define VERNIER_TEST_CPU_KERNELRUNNER_H

#include "TestTargets.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "vernier/CPU/MachineCode.h"
#include "vernier/Program/Geometry.h"
#include <string>
#include <vector>

namespace vernier::test {

/// Memory aligned as kernels expect, with a margin of a known pattern behind
/// it that a kernel must leave alone.
template <typename T> class Buffer {
public:
  explicit Buffer(size_t size, T value = T()) : size(size), memory(bytes() + 192, kPattern) {
    std::fill(begin(), begin() + size, value);
  }
  T *begin() {
    auto address = reinterpret_cast<uintptr_t>(memory.data());
    return reinterpret_cast<T *>((address + 63) / 64 * 64);
  }
  T *end() { return begin() + size; }
  template <typename Index> T &operator[](Index index) { return begin()[index]; }
  operator char *() { return reinterpret_cast<char *>(begin()); }
  /// Whether the 64 bytes behind the data are as they were.
  bool isIntact() {
    char *behind = reinterpret_cast<char *>(end());
    return std::all_of(behind, behind + 64, [](char c) { return c == kPattern; });
  }
  size_t size;

private:
  static constexpr char kPattern = 0x5a;
  size_t bytes() const { return size * sizeof(T); }
  std::vector<char> memory;
};

/// The one kernel of a module, compiled and loaded.
class KernelRunner {
public:
  /// Prints diagnostics; `isValid` is false then.
  KernelRunner(const std::string &source, const std::string &target);
  bool isValid() const { return run != nullptr; }

  /// Runs all blocks one after the other (or from the last to the first), then
  /// `finish`. The workspace is made here: `buffers` are operands and results.
  void launch(std::vector<char *> buffers, bool backwards = false);

  program::Geometry geometry;
  bool intact = true; ///< nothing was written behind workspace and scratch memory

private:
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<cpu::LoadedCode> code;
  VernierKernelFunction run = nullptr, finish = nullptr;
  int64_t scratchBytes = 0;
};

/// A context with everything registered.
std::unique_ptr<mlir::MLIRContext> createContext();

} // namespace vernier::test

#endif // VERNIER_TEST_CPU_KERNELRUNNER_H
