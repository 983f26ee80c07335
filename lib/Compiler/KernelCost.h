//===- KernelCost.h - What a launch of a kernel moves and computes ---*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_COMPILER_KERNELCOST_H
#define VERNIER_LIB_COMPILER_KERNELCOST_H

#include "vernier/Program/Program.h"

namespace vernier {

/// Bytes read and written if each operand and result is touched once, and the
/// useful arithmetic of attention (0 for other kernels: memory bounds them).
struct KernelCost {
  double bytesMoved = 0;
  double flops = 0;
};

KernelCost estimateCost(mlir::Operation *kernel, mlir::FunctionType type);

} // namespace vernier

#endif // VERNIER_LIB_COMPILER_KERNELCOST_H
