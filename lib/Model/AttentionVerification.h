//===- AttentionVerification.h - What attention and its adjoint share -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_MODEL_ATTENTIONVERIFICATION_H
#define VERNIER_LIB_MODEL_ATTENTIONVERIFICATION_H

#include "Verification.h"

namespace vernier {

/// Constraints (1) to (7) of `vernier.attention`.
template <typename OpT> llvm::LogicalResult verifyAttention(OpT op, Named output) {
  Named query{"query", op.getQuery()}, key{"key", op.getKey()}, value{"value", op.getValue()};
  if (failed(checkRank(op, query, 4)) || failed(checkRank(op, key, 4)) ||
      failed(checkSameShape(op, key, value)))
    return mlir::failure();
  for (auto [name, dim] : {std::pair{"batch", 0}, {"sequence", 1}, {"head_dim", 3}})
    if (query.shape()[dim] != key.shape()[dim])
      return op.emitOpError() << name << " of the key is " << key.shape()[dim]
                              << ", but that of the query is " << query.shape()[dim];
  int64_t heads = query.shape()[2], kvHeads = key.shape()[2];
  if (kvHeads == 0 || heads % kvHeads != 0)
    return op.emitOpError() << "has " << heads << " query heads, which is no multiple of its "
                            << kvHeads << " key heads";
  if (failed(checkSameShape(op, query, output)) ||
      failed(checkShape(op, {"log_sum_exp", op.getLogSumExp()}, query.shape().drop_back())))
    return mlir::failure();
  if (auto window = op.getWindow()) {
    if (static_cast<int64_t>(*window) <= 0)
      return op.emitOpError() << "window is " << static_cast<int64_t>(*window)
                              << ", but must be positive";
    if (!op.getCausal())
      return op.emitOpError() << "has a window, but is not causal";
  }
  return checkPositiveInF32(op, "scale", op.getScale());
}

} // namespace vernier

#endif // VERNIER_LIB_MODEL_ATTENTIONVERIFICATION_H
