//===- AttentionKernel.cpp - Attention in blocks -----------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/CPU/Kernels.h"

using namespace mlir;
using namespace vernier;

LogicalResult cpu::lowerAttentionKernel(program::AttentionKernelOp kernel, const CPUTarget &,
                                        OpBuilder &) {
  return kernel.emitOpError("has no lowering for the CPU");
}
