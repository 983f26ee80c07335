//===- AttentionHarness.h - Compiles and runs attention kernels -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_CPU_ATTENTIONHARNESS_H
#define VERNIER_TEST_CPU_ATTENTIONHARNESS_H

#include "AttentionReference.h"
#include "mlir/IR/BuiltinOps.h"
#include "vernier/CPU/MachineCode.h"
#include <memory>
#include <string>

namespace vernier::test {

/// A buffer between guards: both it and they start as NaNs.
class GuardedBuffer {
public:
  explicit GuardedBuffer(int64_t floats);
  explicit GuardedBuffer(const Floats &contents);

  char *data() const { return reinterpret_cast<char *>(floats()); }
  float *floats() const;
  int64_t size() const { return count; }
  /// Whether no one wrote outside.
  bool isIntact() const;

private:
  int64_t count;
  std::unique_ptr<float[]> memory;
};

/// A compiled attention kernel.
struct AttentionKernel {
  std::unique_ptr<cpu::LoadedCode> code;
  VernierKernelFunction run = nullptr;
  int64_t blocks = 0, scratchBytes = 0;
  double compileSeconds = 0;
};

/// `program.attention_kernel @kernel` as text.
std::string printKernel(const AttentionShape &shape, bool backward);

/// The context that everything is registered in.
mlir::MLIRContext &getContext();

/// Compiles for a target of this machine.
AttentionKernel compileAttention(const AttentionShape &shape, bool backward,
                                 const std::string &target);

/// Numbers between -1 and 1 from a seed.
AttentionInputs makeInputs(const AttentionShape &shape, uint32_t seed);

struct ComputedAttention {
  Floats output, logSumExp, queryGradient, keyGradient, valueGradient;
  bool intact = true; ///< nothing was written outside the buffers
};

/// Runs forward, then backward, with scratch memory of NaNs.
ComputedAttention runAttention(const AttentionShape &shape, const AttentionInputs &inputs,
                               const AttentionKernel &forward, const AttentionKernel &backward);

} // namespace vernier::test

#endif // VERNIER_TEST_CPU_ATTENTIONHARNESS_H
