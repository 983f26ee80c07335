//===- Families.h - Families of models and what sets them apart -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_IMPORT_FAMILIES_H
#define VERNIER_IMPORT_FAMILIES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace vernier {

/// Which linear maps of attention have a bias.
enum class AttentionBias {
  None,
  QKV,       ///< q, k and v always
  Configured ///< q, k, v and o, if attention_bias says so
};

/// Which layers have a sliding window.
enum class SlidingWindow {
  None,
  AllLayers,  ///< those of a file whose sliding_window is not null
  LayerTypes, ///< if use_sliding_window: by layer_types, or from layer max_window_layers on
};

/// A row of the table of families: how a model_type differs from the others.
struct Family {
  llvm::StringLiteral modelType, architecture;
  AttentionBias attentionBias;
  bool configuredMlpBias; ///< mlp_bias is looked at
  bool qkNorm;            ///< a norm on each head of q and k
  SlidingWindow window;
  /// Whether num_key_value_heads and head_dim may be missing and follow from
  /// the other sizes; otherwise a missing one would mean some model's number.
  bool kvHeadsFollow, headDimFollows;
};

llvm::ArrayRef<Family> getFamilies();

/// Null if there is none of that model_type.
const Family *findFamily(llvm::StringRef modelType);

} // namespace vernier

#endif // VERNIER_IMPORT_FAMILIES_H
