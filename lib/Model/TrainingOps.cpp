//===- TrainingOps.cpp - Verifiers of the training operations ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Model/Vernier.h"

using namespace mlir;
using namespace vernier;

#define VERNIER_STUB(NAME)                                                                         \
  LogicalResult NAME::verify() { return success(); }
VERNIER_STUB(LinearInputGradOp)
VERNIER_STUB(LinearWeightGradOp) VERNIER_STUB(ColumnSumOp) VERNIER_STUB(EmbeddingGradOp)
    VERNIER_STUB(RMSNormGradOp) VERNIER_STUB(LayerNormGradOp) VERNIER_STUB(AttentionGradOp)
        VERNIER_STUB(GluGradOp) VERNIER_STUB(CrossEntropyGradOp) VERNIER_STUB(GlobalNormOp)
            VERNIER_STUB(ClipFactorOp) VERNIER_STUB(AdamWOp)
