//===- ModelConfig.h - What a transformer of the Llama class is -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_IMPORT_MODELCONFIG_H
#define VERNIER_IMPORT_MODELCONFIG_H

#include "vernier/Model/Vernier.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace vernier {

/// Frequency scaling of the rotary embedding (see `#vernier.rope_llama3`).
struct RopeLlama3Scaling {
  double factor = 1, lowFreqFactor = 1, highFreqFactor = 4;
  int64_t originalContext = 0; ///< in tokens
};

/// A decoder-only transformer with pre-norm blocks: what a config.json or a
/// preset says, with every default filled in. Buildable if `checkSizes` agrees.
struct ModelConfig {
  std::string source; ///< the file or preset, for messages
  std::string family; ///< model_type of config.json

  int64_t hidden = 0;       ///< width of the residual stream, d
  int64_t intermediate = 0; ///< width inside the FFN
  int64_t layers = 0;
  int64_t heads = 0;   ///< query heads
  int64_t kvHeads = 0; ///< key and value heads; divides `heads`
  int64_t headDim = 0; ///< need not be hidden / heads
  int64_t vocabulary = 0;
  int64_t maxContext = 0; ///< tokens that the model is meant for, 0: not said

  Activation activation = Activation::SiLU;
  double normEpsilon = 1e-5;
  double ropeTheta = 1e4;
  std::optional<RopeLlama3Scaling> ropeScaling;
  double initializerRange = 0.02; ///< standard deviation of the weights at the start

  bool tiedHead = false;        ///< the head reads the embedding's table
  bool qkNorm = false;          ///< norm and scale on each head of q and k
  bool qkvBias = false;         ///< biases on q, k and v
  bool outputBias = false;      ///< bias on o
  bool mlpBias = false;         ///< biases on gate, up and down
  std::vector<int64_t> windows; ///< sliding window of each layer in tokens, 0: none
};

/// Far beyond any model, and little enough to build a graph of.
constexpr int64_t maxLayers = 4096;

/// The static shape that a graph is built for.
struct BatchShape {
  int64_t batch = 0, sequence = 0;
};

/// Whether every tensor of the graph, and all of a training run's state, can be
/// counted in bytes in 64 bits.
llvm::Error checkSizes(const ModelConfig &config, BatchShape shape);

/// One line for people: "qwen3, 28 layers, d 1024, 16 heads (8 kv), ...".
std::string describe(const ModelConfig &config);

} // namespace vernier

#endif // VERNIER_IMPORT_MODELCONFIG_H
