//===- Formulas.h - Formulas of more than one operation --------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_REFERENCE_FORMULAS_H
#define VERNIER_REFERENCE_FORMULAS_H

#include "vernier/Model/Vernier.h"
#include "vernier/Reference/Tensor.h"
#include <optional>

namespace vernier::reference {

/// An activation at a point, and its derivative there (0 for relu at 0).
struct ActivationValue {
  double value = 0, derivative = 0;
};
ActivationValue activation(Activation kind, double x);

/// The attributes of an attention operation.
struct AttentionOptions {
  double scale = 1;
  bool causal = false;
  std::optional<int64_t> window;
};

/// `vernier.attention`. Query is [batch, sequence, heads, head_dim], key and
/// value [batch, sequence, kv_heads, head_dim]. Adds to `output`, which is zero.
void attention(const AttentionOptions &options, const Tensor &query, const Tensor &key,
               const Tensor &value, Tensor &output, Tensor &logSumExp);

/// The operands of `vernier.attention_grad`.
struct AttentionGradOperands {
  const Tensor &outputGrad, &query, &key, &value, &output, &logSumExp;
};

/// `vernier.attention_grad`. Adds to the gradients, which are zero.
void attentionGrad(const AttentionOptions &options, const AttentionGradOperands &in,
                   Tensor &queryGrad, Tensor &keyGrad, Tensor &valueGrad);

/// The angle, in radians a position, by which `vernier.rope` rotates pair
/// number `pair` of `headDim / 2`.
double ropeFrequency(int64_t pair, int64_t headDim, double theta, RopeLlama3Attr scaling);

/// result[r, :] = table[ids[r], :]; `op` is where an error is reported.
llvm::LogicalResult gatherRows(mlir::Operation *op, const Tensor &ids, const Tensor &table,
                               Tensor &result);
/// table[ids[r], :] += rows[r, :], in the order of r.
llvm::LogicalResult scatterAddRows(mlir::Operation *op, const Tensor &rows, const Tensor &ids,
                                   Tensor &table);

} // namespace vernier::reference

#endif // VERNIER_REFERENCE_FORMULAS_H
