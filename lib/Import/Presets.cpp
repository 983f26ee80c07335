//===- Presets.cpp - Models that need no config.json ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Import/Presets.h"
#include "runtime/Status.h"

using namespace vernier;

namespace {
struct Preset {
  llvm::StringLiteral name, purpose;
  int64_t hidden, layers, heads, kvHeads, intermediate, vocabulary;
  bool tiedHead;
};
} // namespace

// llama-*: the paper's class (arXiv 2605.26895): heads of 64 or 128, FFN of 8/3 d
// rounded down, untied head, vocabulary 50304; llama-1b has the paper's counts.
static constexpr Preset presets[] = {
    {"llama-0.12b", "123M parameters", 640, 12, 10, 10, 1706, 50304, false},
    {"llama-0.5b", "502M parameters", 1280, 19, 10, 10, 3413, 50304, false},
    {"llama-1b", "1.03B parameters", 1792, 22, 14, 14, 4778, 50304, false},
    {"llama-2b", "2.02B parameters", 2304, 28, 18, 18, 6144, 50304, false},
    {"quickstart", "3.2M parameters, for text as bytes", 256, 4, 4, 4, 688, 256, true},
    {"bench-50k", "what the benchmarks run", 384, 6, 6, 6, 1024, 50304, true},
    {"bench-4k", "the same with a small vocabulary", 384, 6, 6, 6, 1024, 4096, true},
    {"tiny", "5K parameters, for tests", 16, 2, 2, 1, 24, 32, false},
    {"tiny-tied", "5K parameters, tied head", 16, 2, 2, 2, 24, 32, true},
};

static ModelConfig makeConfig(const Preset &preset) {
  ModelConfig config;
  config.source = preset.name.str();
  config.family = "llama";
  config.hidden = preset.hidden;
  config.intermediate = preset.intermediate;
  config.layers = preset.layers;
  config.heads = preset.heads;
  config.kvHeads = preset.kvHeads;
  config.headDim = preset.hidden / preset.heads;
  config.vocabulary = preset.vocabulary;
  config.tiedHead = preset.tiedHead;
  return config;
}

llvm::Expected<ModelConfig> vernier::getPreset(llvm::StringRef name) {
  std::string known;
  for (const Preset &preset : presets) {
    if (preset.name == name)
      return makeConfig(preset);
    known += (known.empty() ? "" : ", ") + preset.name.str();
  }
  return runtime::makeError("unknown preset '{0}', expected one of {1}", name, known);
}

std::string vernier::describePresets() {
  std::string text;
  for (const Preset &preset : presets)
    text += llvm::formatv("{0,-12} {1}\n", preset.name, preset.purpose).str();
  return llvm::StringRef(text).rtrim().str();
}
