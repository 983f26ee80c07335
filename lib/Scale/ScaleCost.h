//===- ScaleCost.h - What scaling costs on either side ---------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_SCALE_SCALECOST_H
#define VERNIER_LIB_SCALE_SCALECOST_H

#include "vernier/Model/Vernier.h"

namespace vernier {

/// Estimates, in bytes, what a scale costs in a training step: bytes read and
/// written that a graph without it would not, and bytes kept from the forward
/// pass to the backward pass or from step to step, which count as several bytes
/// moved each. Arithmetic is not counted, since all of this is bound by memory.
///
/// It knows how the compiler goes about it: a scale is computed by the kernel
/// that makes or reads the scaled value, where that is a row kernel over the same
/// rows.
class ScaleCost {
public:
  explicit ScaleCost(int64_t microBatches) : microBatches(microBatches) {}

  /// Scaling a value by `vectors` different scales that linear maps read.
  int64_t ofInput(mlir::Value value, int64_t vectors) const;

  /// Scaling the result of a linear map.
  int64_t ofOutput(ScaleOp scale) const;

  /// Scaling the weight of a linear map, by one or both of its vectors: in
  /// `prepare` it is read and a scaled one written, in `update` it is read
  /// for the gradients of vectors. The scaled weight is kept, unless a step has
  /// one micro-batch: its gradient then takes its place. A shared weight has
  /// other uses, for which it has another gradient.
  int64_t ofWeight(LinearOp linear, bool isShared) const;

private:
  int64_t perStep(int64_t bytesMoved) const { return microBatches * bytesMoved; }

  int64_t microBatches;
};

} // namespace vernier

#endif // VERNIER_LIB_SCALE_SCALECOST_H
