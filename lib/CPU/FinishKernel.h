//===- FinishKernel.h - Adds up the partial sums of blocks ------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_CPU_FINISHKERNEL_H
#define VERNIER_LIB_CPU_FINISHKERNEL_H

#include "vernier/CPU/Kernels.h"

namespace vernier::cpu {

/// Creates the function that adds up, in the order of blocks, the partial sums
/// that a row kernel's blocks left in its workspace; none if it has no sums.
void createFinishFunction(program::KernelOp kernel, const CPUTarget &target,
                          mlir::OpBuilder &builder);

} // namespace vernier::cpu

#endif // VERNIER_LIB_CPU_FINISHKERNEL_H
