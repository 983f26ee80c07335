//===- StockCheckpoint.cpp - A model as stock code loads it -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Export/StockCheckpoint.h"
#include "StockGraph.h"
#include "mlir/Pass/PassManager.h"
#include "vernier/Reference/MapParameters.h"
#include "vernier/Scale/ParameterValues.h"
#include "vernier/Scale/Passes.h"

using namespace mlir;
using namespace vernier;
using vernier::reference::Tensor;

using Values = llvm::StringMap<Tensor>;

namespace {

/// Lists the tensors of a graph under the names of their places.
class TensorList {
public:
  TensorList(const StockGraph &graph, const Values &values) : graph(graph), values(values) {}
  std::vector<StockTensor> make();

private:
  void addNorm(const Twine &name, const StockNorm &norm);
  void addLinear(const Twine &name, const StockLinear &linear, bool hasBias);
  void addLayer(const std::string &name, const StockLayer &layer);
  void add(const Twine &name, Tensor value) { tensors.push_back({name.str(), std::move(value)}); }
  const Tensor &get(ParamOp param) { return values.find(param.getSymName())->second; }

  const StockGraph &graph;
  const Values &values;
  std::vector<StockTensor> tensors;
};

} // namespace

void TensorList::addNorm(const Twine &name, const StockNorm &norm) {
  Tensor value({norm.width}, std::vector<double>(norm.width, 1.0));
  if (norm.scale)
    for (auto [entry, scale] : llvm::zip_equal(value.data, get(norm.scale).data))
      entry = norm.offset + scale;
  add(name + ".weight", std::move(value));
}

/// A bias that only other maps have is zero here.
void TensorList::addLinear(const Twine &name, const StockLinear &linear, bool hasBias) {
  ParamOp weight = linear.weight;
  add(name + ".weight", get(weight));
  if (hasBias)
    add(name + ".bias",
        linear.bias ? get(linear.bias) : Tensor({weight.getTensorType().getDimSize(0)}));
}

void TensorList::addLayer(const std::string &name, const StockLayer &layer) {
  const ModelConfig &config = graph.config;
  std::string attention = name + ".self_attn.", mlp = name + ".mlp.";
  addNorm(name + ".input_layernorm", layer.attentionNorm);
  addLinear(attention + "q_proj", layer.query, config.qkvBias);
  addLinear(attention + "k_proj", layer.key, config.qkvBias);
  addLinear(attention + "v_proj", layer.value, config.qkvBias);
  addLinear(attention + "o_proj", layer.output, config.outputBias);
  if (config.qkNorm) {
    addNorm(attention + "q_norm", *layer.queryNorm);
    addNorm(attention + "k_norm", *layer.keyNorm);
  }
  addNorm(name + ".post_attention_layernorm", layer.ffnNorm);
  addLinear(mlp + "gate_proj", layer.gate, config.mlpBias);
  addLinear(mlp + "up_proj", layer.up, config.mlpBias);
  addLinear(mlp + "down_proj", layer.down, config.mlpBias);
}

std::vector<StockTensor> TensorList::make() {
  add("model.embed_tokens.weight", get(graph.embedding));
  for (auto [number, layer] : llvm::enumerate(graph.layers))
    addLayer("model.layers." + std::to_string(number), layer);
  addNorm("model.norm", graph.finalNorm);
  if (!graph.config.tiedHead)
    add("lm_head.weight", get(graph.head));
  return std::move(tensors);
}

/// Rewrites a copy of the module and reads it.
static FailureOr<StockCheckpoint> makeBy(ModuleOp module, const Values &values, bool fold) {
  OwningOpRef<ModuleOp> copy = module.clone();
  dropStateFunctions(*copy); // the values are this graph's
  PassManager passes(module.getContext());
  if (fold) {
    passes.addPass(createFoldScale());
  } else {
    ReparameterizeScaleOptions plain;
    plain.form = "plain"; // one vector for all branches is stock form
    passes.addPass(createReparameterizeScale(plain));
  }
  if (failed(passes.run(*copy)))
    return failure();
  FailureOr<StockGraph> graph = readStockGraph(*copy);
  if (failed(graph) || failed(chooseFamily(*copy, *graph)))
    return failure();
  FailureOr<Values> mapped = reference::mapParameters(*copy, values);
  if (failed(mapped))
    return failure();
  return StockCheckpoint{graph->config, TensorList(*graph, *mapped).make(), fold};
}

FailureOr<StockCheckpoint> vernier::makeStockCheckpoint(ModuleOp module, const Values &values) {
  {
    ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
    FailureOr<StockCheckpoint> unfolded = makeBy(module, values, /*fold=*/false);
    if (succeeded(unfolded))
      return unfolded;
  }
  return makeBy(module, values, /*fold=*/true);
}
