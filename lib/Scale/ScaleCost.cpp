//===- ScaleCost.cpp - What scaling costs on either side --------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaleCost.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace vernier;

/// A kernel of its own for a scale: it reads and writes the value, and for the
/// backward pass reads the value and a gradient and writes a gradient.
static constexpr int64_t passesOfOwnKernel = 5;

/// What a byte is worth that is kept, in bytes moved: memory is what limits the
/// size of models and batches.
static constexpr int64_t priceOfKept = 4;

static int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Whether an operation is computed row by row over the rows of its result, so
/// that a scale beside it needs no kernel of its own. Those on heads have other
/// rows, and a change of shape stands between.
static bool isRowKernel(Operation *op) {
  return op && !isa<LinearOp, AttentionOp, EmbeddingOp, GetParamOp, RopeOp, tensor::ExpandShapeOp,
                    tensor::CollapseShapeOp>(op);
}

// Each scaled value beside the first (or beside the value itself, if something
// else reads it) is one more that a kernel writes and the backward pass finds. Their
// gradients cost what adding them up in one costs.
int64_t ScaleCost::ofInput(Value value, int64_t vectors) const {
  int64_t readers = std::distance(value.use_begin(), value.use_end());
  int64_t bytes = bytesOf(value);
  int64_t more = readers > vectors ? vectors : vectors - 1;
  if (isRowKernel(value.getDefiningOp()))
    return perStep(more * bytes) + priceOfKept * more * bytes;
  // The unscaled value is there in any case, and kept for the vector's gradient.
  return perStep((passesOfOwnKernel + vectors - 1) * bytes) + priceOfKept * vectors * bytes;
}

// Beside a row kernel, only what is computed changes; the backward pass keeps the
// unscaled value in the place of the scaled one.
int64_t ScaleCost::ofOutput(ScaleOp scale) const {
  Value scaled = scale.getResult();
  if (llvm::all_of(scaled.getUsers(), isRowKernel))
    return 0;
  return perStep(passesOfOwnKernel * bytesOf(scaled)) + priceOfKept * bytesOf(scaled);
}

int64_t ScaleCost::ofWeight(LinearOp linear, bool isShared) const {
  int64_t bytes = bytesOf(linear.getWeight()), moved = 3 * bytes, kept = 0;
  if (microBatches > 1)
    kept += bytes;
  if (isShared) { // two gradients instead of one
    moved += 3 * bytes;
    kept += bytes;
  }
  return moved + priceOfKept * kept;
}
