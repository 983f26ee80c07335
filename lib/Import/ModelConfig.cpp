//===- ModelConfig.cpp - What a transformer of the Llama class is ---------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Import/ModelConfig.h"
#include "runtime/Status.h"

using namespace vernier;
using runtime::makeError;

// Sizes are estimated in f64, which cannot overflow here; the limit is so far
// from what exists that rounding does not matter.
static constexpr double maxBytes = 0x1p62;

/// Bytes of parameters, gradients and both moments, in f32.
static double estimateStateBytes(const ModelConfig &config) {
  double d = config.hidden;
  double attention = 2.0 * d * config.headDim * (double(config.heads) + config.kvHeads);
  double layer = attention + 3.0 * d * config.intermediate;
  return 16.0 * (config.layers * layer + 2.0 * d * config.vocabulary);
}

/// Bytes of the widest activation, in f32.
static double estimateActivationBytes(const ModelConfig &config, BatchShape shape) {
  double width = std::max({double(config.hidden), double(config.intermediate),
                           double(config.vocabulary), double(config.heads) * config.headDim});
  return 4.0 * shape.batch * shape.sequence * width;
}

llvm::Error vernier::checkSizes(const ModelConfig &config, BatchShape shape) {
  if (double bytes = estimateStateBytes(config); bytes > maxBytes)
    return makeError("{0}: the sizes multiply to {1:e} bytes of training state, expected at most "
                     "{2:e} ({3})",
                     config.source, bytes, maxBytes, describe(config));
  if (double bytes = estimateActivationBytes(config, shape); bytes > maxBytes)
    return makeError("{0}: batch {1} and sequence {2} give an activation of {3:e} bytes, expected "
                     "at most {4:e}",
                     config.source, shape.batch, shape.sequence, bytes, maxBytes);
  return llvm::Error::success();
}

std::string vernier::describe(const ModelConfig &config) {
  std::string kv =
      config.kvHeads == config.heads ? "" : llvm::formatv(" ({0} kv)", config.kvHeads).str();
  return llvm::formatv("{0}, {1} layers, d {2}, {3} heads{4}, ffn {5}, vocabulary {6}, {7} head",
                       config.family, config.layers, config.hidden, config.heads, kv,
                       config.intermediate, config.vocabulary, config.tiedHead ? "tied" : "untied")
      .str();
}
