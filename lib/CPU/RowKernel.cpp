//===- RowKernel.cpp - Row kernels ---------------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/CPU/Kernels.h"

using namespace mlir;
using namespace vernier;

LogicalResult cpu::lowerRowKernel(program::KernelOp kernel, const CPUTarget &, OpBuilder &) {
  return kernel.emitOpError("has no lowering for the CPU");
}

LogicalResult cpu::lowerGatherKernel(program::GatherKernelOp kernel, const CPUTarget &,
                                     OpBuilder &) {
  return kernel.emitOpError("has no lowering for the CPU");
}

LogicalResult cpu::lowerScatterAddKernel(program::ScatterAddKernelOp kernel, const CPUTarget &,
                                         OpBuilder &) {
  return kernel.emitOpError("has no lowering for the CPU");
}
