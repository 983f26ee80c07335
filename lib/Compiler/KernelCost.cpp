//===- KernelCost.cpp - What a launch of a kernel moves and computes -------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCost.h"
#include "vernier/Program/Geometry.h"
#include <algorithm>

using namespace mlir;
using namespace vernier;

/// Products of a score or a probability with a head's entries: two a pair of
/// positions forward (q k, p v), five backward (q k, do v, and dq, dk, dv).
static double attentionFlops(program::AttentionKernelOp op, FunctionType type) {
  auto query = cast<RankedTensorType>(type.getInput(op.getBackward() ? 1 : 0)).getShape();
  double sequence = query[1];
  double window = op.getWindow() ? std::min<double>(*op.getWindow(), sequence) : sequence;
  // Row i sees min(i + 1, window) positions.
  double pairs = op.getCausal() ? window * (window + 1) / 2 + (sequence - window) * window
                                : sequence * sequence;
  return (op.getBackward() ? 5 : 2) * 2.0 * query[0] * query[2] * query[3] * pairs;
}

KernelCost vernier::estimateCost(Operation *kernel, FunctionType type) {
  KernelCost cost;
  if (isa<program::GatherKernelOp>(kernel)) { // reads the rows that it writes
    cost.bytesMoved =
        program::getBytes(type.getInput(0)) + 2 * program::getBytes(type.getResult(0));
    return cost;
  }
  if (isa<program::ScatterAddKernelOp>(kernel)) { // reads and writes a row for each of its own
    cost.bytesMoved = 3 * program::getBytes(type.getInput(0)) + program::getBytes(type.getInput(1));
    return cost;
  }
  for (Type operand : type.getInputs())
    cost.bytesMoved += program::getBytes(operand);
  for (Type result : type.getResults())
    cost.bytesMoved += program::getBytes(result);
  if (auto attention = dyn_cast<program::AttentionKernelOp>(kernel))
    cost.flops = attentionFlops(attention, type);
  return cost;
}
