//===- StockFamily.cpp - Which family a stock graph is of -------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StockGraph.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace vernier;

namespace {
/// What the families differ in.
struct Traits {
  bool qkNorm = false, qkvBias = false, outputBias = false, mlpBias = false;
  bool window = false, sameWindow = true;
};
} // namespace

static Traits findTraits(const StockGraph &graph) {
  Traits traits;
  for (const StockLayer &layer : graph.layers) {
    traits.qkNorm |= layer.queryNorm || layer.keyNorm;
    traits.qkvBias |= layer.query.bias || layer.key.bias || layer.value.bias;
    traits.outputBias |= layer.output.bias != nullptr;
    traits.mlpBias |= layer.gate.bias || layer.up.bias || layer.down.bias;
    traits.window |= layer.window > 0;
    traits.sameWindow &= layer.window == graph.layers.front().window;
  }
  return traits;
}

/// Null if no family has all of it. A bias that only some maps have is zero at
/// the others, so what counts is whether any has one.
static const char *findFamily(const Traits &traits) {
  if (traits.qkNorm)
    return traits.mlpBias ? nullptr : "qwen3";
  if (traits.outputBias || traits.mlpBias)
    return traits.window ? nullptr : "llama";
  if (traits.qkvBias || !traits.sameWindow)
    return "qwen2";
  return traits.window ? "mistral" : "llama";
}

/// All layers alike, and sizes that one config.json can say.
static LogicalResult checkLayers(ModuleOp module, const StockGraph &graph, bool qkNorm) {
  int64_t window = 0;
  for (auto [number, layer] : llvm::enumerate(graph.layers)) {
    if (qkNorm && (!layer.queryNorm || !layer.keyNorm))
      return module.emitError() << "cannot be exported: " << (layer.queryNorm ? "k" : "q")
                                << " of layer " << number
                                << " has no norm per head, though others have; qwen3 has one on q "
                                   "and k of every layer";
    if (layer.window && window && layer.window != window)
      return module.emitError() << "cannot be exported: layer " << number << " has a window of "
                                << layer.window << ", others of " << window;
    window = std::max(window, layer.window);
    ParamOp gate = layer.gate.weight;
    if (gate.getTensorType().getDimSize(0) != graph.config.intermediate)
      return module.emitError() << "cannot be exported: the gated unit of layer " << number
                                << " is " << gate.getTensorType().getDimSize(0) << " wide, others "
                                << graph.config.intermediate;
  }
  return success();
}

LogicalResult vernier::chooseFamily(ModuleOp module, StockGraph &graph) {
  Traits traits = findTraits(graph);
  const char *family = findFamily(traits);
  if (!family)
    return module.emitError() << "cannot be exported: no family has "
                              << (traits.qkNorm       ? "norms per head on q and k"
                                  : traits.outputBias ? "a bias on o"
                                                      : "biases in the FFN")
                              << " together with "
                              << (traits.qkNorm ? "biases in the FFN" : "a sliding window");
  if (failed(checkLayers(module, graph, traits.qkNorm)))
    return failure();
  ModelConfig &config = graph.config;
  config.family = family;
  config.qkNorm = traits.qkNorm;
  config.qkvBias = traits.qkvBias || traits.outputBias;
  // llama and qwen3 have one switch for the four.
  bool isJoint = StringRef(family) == "llama" || StringRef(family) == "qwen3";
  config.outputBias = isJoint && config.qkvBias;
  config.mlpBias = traits.mlpBias;
  for (const StockLayer &layer : graph.layers)
    config.windows.push_back(layer.window);
  return success();
}
