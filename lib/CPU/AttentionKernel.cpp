//===- AttentionKernel.cpp - Attention in blocks -----------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

using namespace mlir;
using namespace vernier;

LogicalResult cpu::lowerAttentionKernel(program::AttentionKernelOp kernel, const CPUTarget &target,
                                        OpBuilder &builder) {
  if (kernel.getBackward())
    emitAttentionBackward(kernel, target, builder);
  else
    emitAttentionForward(kernel, target, builder);
  return success();
}
