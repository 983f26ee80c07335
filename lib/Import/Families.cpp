//===- Families.cpp - Families of models and what sets them apart ---------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Import/Families.h"
#include "llvm/ADT/STLExtras.h"

using namespace vernier;

// clang-format off
static constexpr Family families[] = {
    // model_type  architecture          attention bias             mlp_bias  qk norm window                     kv     head_dim
    {"llama",   "LlamaForCausalLM",   AttentionBias::Configured, true,  false, SlidingWindow::None,       true,  true},
    {"mistral", "MistralForCausalLM", AttentionBias::None,       false, false, SlidingWindow::AllLayers,  false, true},
    {"qwen2",   "Qwen2ForCausalLM",   AttentionBias::QKV,        false, false, SlidingWindow::LayerTypes, false, true},
    {"qwen3",   "Qwen3ForCausalLM",   AttentionBias::Configured, false, true,  SlidingWindow::LayerTypes, false, false},
};
// clang-format on

llvm::ArrayRef<Family> vernier::getFamilies() { return families; }

const Family *vernier::findFamily(llvm::StringRef modelType) {
  const Family *found =
      llvm::find_if(families, [&](const Family &f) { return f.modelType == modelType; });
  return found == std::end(families) ? nullptr : found;
}
