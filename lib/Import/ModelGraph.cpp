//===- ModelGraph.cpp - From a config to a model graph --------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Import/ModelGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace vernier;

// The target that cross entropy leaves out, in all families.
static constexpr int32_t ignoreIndex = -100;

namespace {
/// Builds one graph from top to bottom. Shapes: B batch, T sequence, D hidden,
/// H heads, K kv heads, h head_dim, F intermediate, V vocabulary.
class GraphBuilder {
public:
  GraphBuilder(MLIRContext *context, const ModelConfig &config, BatchShape shape)
      : config(config), shape(shape), body(context), params(context) {}

  OwningOpRef<ModuleOp> build();

private:
  // Types, attributes, locations.
  RankedTensorType tensorOf(ArrayRef<int64_t> dims) {
    return RankedTensorType::get(dims, body.getF32Type());
  }
  RankedTensorType activation(int64_t width) {
    return tensorOf({shape.batch, shape.sequence, width});
  }
  RankedTensorType indices() {
    return RankedTensorType::get({shape.batch, shape.sequence}, body.getI32Type());
  }
  Location at(const Twine &name) { return NameLoc::get(body.getStringAttr(name)); }
  FloatAttr f64(double value) { return body.getF64FloatAttr(value); }
  Attribute normal() {
    return NormalInitAttr::get(body.getContext(), f64(0), f64(config.initializerRange));
  }
  Attribute residualNormal() {
    return ResidualNormalInitAttr::get(body.getContext(), f64(config.initializerRange),
                                       config.layers);
  }
  Attribute constant(double value) { return ConstantInitAttr::get(body.getContext(), f64(value)); }

  // Parts of a model; `name` is the module's in the checkpoint.
  Value param(const Twine &name, ArrayRef<int64_t> dims, ParamKind kind, Attribute initializer);
  Value linear(const Twine &name, Value input, int64_t width, bool bias, Attribute initializer);
  Value normAndScale(const Twine &name, Value input);
  Value add(const Twine &name, Value lhs, Value rhs);
  Value splitHeads(const Twine &name, Value input, int64_t heads);
  Value mergeHeads(const Twine &name, Value input);
  Value queryOrKey(const Twine &attention, StringRef which, Value input, int64_t heads);
  Value attend(const Twine &name, Value query, Value key, Value value, int64_t window);
  Value selfAttention(const Twine &name, Value input, int64_t window);
  Value mlp(const Twine &name, Value input);
  Value layer(int64_t index, Value stream);
  Value loss(Value logits, Value targets);
  func::FuncOp function();

  const ModelConfig &config;
  BatchShape shape;
  OpBuilder body;   ///< inside @loss
  OpBuilder params; ///< before @loss
};
} // namespace

Value GraphBuilder::param(const Twine &name, ArrayRef<int64_t> dims, ParamKind kind,
                          Attribute initializer) {
  MLIRContext *context = body.getContext();
  StringAttr symbol = body.getStringAttr(name);
  Location loc = NameLoc::get(symbol);
  RankedTensorType type = tensorOf(dims);
  bool decays = kind == ParamKind::Matrix || kind == ParamKind::Embedding;
  ParamOp::create(params, loc, symbol, TypeAttr::get(type), ParamKindAttr::get(context, kind),
                  DecayGroupAttr::get(context, decays ? DecayGroup::Decay : DecayGroup::None),
                  f64(0), OptimizerGroupAttr::get(context, OptimizerGroup::AdamW), initializer,
                  body.getArrayAttr({StoredAttr::get(context, symbol.getValue(), 0, 0)}));
  return GetParamOp::create(body, loc, type, FlatSymbolRefAttr::get(symbol));
}

Value GraphBuilder::linear(const Twine &name, Value input, int64_t width, bool bias,
                           Attribute initializer) {
  int64_t inputWidth = cast<RankedTensorType>(input.getType()).getDimSize(2);
  Value weight = param(name + ".weight", {width, inputWidth}, ParamKind::Matrix, initializer);
  Value biasValue = bias ? param(name + ".bias", {width}, ParamKind::Bias, constant(0)) : Value();
  return LinearOp::create(body, at(name), activation(width), input, weight, biasValue);
}

Value GraphBuilder::normAndScale(const Twine &name, Value input) {
  auto type = cast<RankedTensorType>(input.getType());
  Value norm = RMSNormOp::create(body, at(name), type, input, f64(config.normEpsilon));
  Value gamma = param(name + ".weight", {type.getShape().back()}, ParamKind::Scale, constant(1));
  return ScaleOp::create(body, at(name), type, norm, gamma, f64(0));
}

Value GraphBuilder::add(const Twine &name, Value lhs, Value rhs) {
  return AddOp::create(body, at(name), lhs.getType(), lhs, rhs);
}

/// [B, T, heads * h] to [B, T, heads, h].
Value GraphBuilder::splitHeads(const Twine &name, Value input, int64_t heads) {
  RankedTensorType type = tensorOf({shape.batch, shape.sequence, heads, config.headDim});
  SmallVector<ReassociationIndices> groups = {{0}, {1}, {2, 3}};
  return tensor::ExpandShapeOp::create(body, at(name), type, input, groups);
}

/// [B, T, H, h] to [B, T, H * h].
Value GraphBuilder::mergeHeads(const Twine &name, Value input) {
  RankedTensorType type = activation(config.heads * config.headDim);
  SmallVector<ReassociationIndices> groups = {{0}, {1}, {2, 3}};
  return tensor::CollapseShapeOp::create(body, at(name), type, input, groups);
}

/// Projection, norm per head where the family has one, rotation.
Value GraphBuilder::queryOrKey(const Twine &attention, StringRef which, Value input,
                               int64_t heads) {
  std::string projection = (attention + "." + which + "_proj").str();
  Value flat = linear(projection, input, heads * config.headDim, config.qkvBias, normal());
  Value x = splitHeads(projection, flat, heads);
  if (config.qkNorm)
    x = normAndScale(attention + "." + which + "_norm", x);
  RopeLlama3Attr scaling;
  if (const auto &s = config.ropeScaling)
    scaling = RopeLlama3Attr::get(body.getContext(), f64(s->factor), f64(s->lowFreqFactor),
                                  f64(s->highFreqFactor), s->originalContext);
  return RopeOp::create(body, at(attention), x.getType(), x, f64(config.ropeTheta), scaling,
                        /*inverse=*/UnitAttr());
}

Value GraphBuilder::attend(const Twine &name, Value query, Value key, Value value, int64_t window) {
  RankedTensorType logSumExp = tensorOf({shape.batch, shape.sequence, config.heads});
  auto attention =
      AttentionOp::create(body, at(name), TypeRange{query.getType(), logSumExp}, query, key, value,
                          f64(1.0 / std::sqrt(double(config.headDim))), body.getUnitAttr(),
                          window ? body.getI64IntegerAttr(window) : IntegerAttr());
  return attention.getOutput();
}

Value GraphBuilder::selfAttention(const Twine &name, Value input, int64_t window) {
  Value query = queryOrKey(name, "q", input, config.heads);
  Value key = queryOrKey(name, "k", input, config.kvHeads);
  Value flat =
      linear(name + ".v_proj", input, config.kvHeads * config.headDim, config.qkvBias, normal());
  Value value = splitHeads(name + ".v_proj", flat, config.kvHeads);
  Value mixed = mergeHeads(name, attend(name, query, key, value, window));
  return linear(name + ".o_proj", mixed, config.hidden, config.outputBias, residualNormal());
}

Value GraphBuilder::mlp(const Twine &name, Value input) {
  Value gate = linear(name + ".gate_proj", input, config.intermediate, config.mlpBias, normal());
  Value up = linear(name + ".up_proj", input, config.intermediate, config.mlpBias, normal());
  Value gated = GluOp::create(body, at(name), gate.getType(), config.activation, gate, up);
  return linear(name + ".down_proj", gated, config.hidden, config.mlpBias, residualNormal());
}

Value GraphBuilder::layer(int64_t index, Value stream) {
  std::string name = ("model.layers." + Twine(index)).str();
  int64_t window = config.windows.empty() ? 0 : config.windows[index];
  Value normed = normAndScale(name + ".input_layernorm", stream);
  stream = add(name, stream, selfAttention(name + ".self_attn", normed, window));
  normed = normAndScale(name + ".post_attention_layernorm", stream);
  return add(name, stream, mlp(name + ".mlp", normed));
}

/// The mean of cross entropy over the batch's valid targets.
Value GraphBuilder::loss(Value logits, Value targets) {
  Location loc = at("loss");
  RankedTensorType scalar = tensorOf({});
  RankedTensorType count = RankedTensorType::get({}, body.getI64Type());
  RankedTensorType rows = tensorOf({shape.batch, shape.sequence});
  Value divisor =
      CountValidOp::create(body, loc, count, targets, body.getI32IntegerAttr(ignoreIndex));
  auto entropy = CrossEntropyOp::create(body, loc, TypeRange{scalar, rows}, logits, targets,
                                        divisor, body.getI32IntegerAttr(ignoreIndex));
  return entropy.getLoss();
}

func::FuncOp GraphBuilder::function() {
  FunctionType type = body.getFunctionType({indices(), indices()}, {tensorOf({})});
  auto function = func::FuncOp::create(at("loss"), "loss", type);
  Block *block = new Block;
  function.getBody().push_back(block);
  block->addArgument(indices(), at("ids"));
  block->addArgument(indices(), at("targets"));
  return function;
}

OwningOpRef<ModuleOp> GraphBuilder::build() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(at(config.family));
  func::FuncOp function = this->function();
  module->push_back(function);
  params.setInsertionPoint(function);
  Block &block = function.getBody().front();
  body.setInsertionPointToStart(&block);

  Value table = param("model.embed_tokens.weight", {config.vocabulary, config.hidden},
                      ParamKind::Embedding, normal());
  Value x = EmbeddingOp::create(body, at("model.embed_tokens"), activation(config.hidden),
                                block.getArgument(0), table);
  for (int64_t index = 0; index < config.layers; ++index)
    x = layer(index, x);
  x = normAndScale("model.norm", x);
  Value logits =
      config.tiedHead
          ? Value(LinearOp::create(body, at("lm_head"), activation(config.vocabulary), x, table,
                                   /*bias=*/Value()))
          : linear("lm_head", x, config.vocabulary, /*bias=*/false, normal());
  func::ReturnOp::create(body, at("loss"), loss(logits, block.getArgument(1)));
  return module;
}

OwningOpRef<ModuleOp> vernier::buildModelGraph(MLIRContext *context, const ModelConfig &config,
                                               BatchShape shape) {
  context->loadDialect<VernierDialect, func::FuncDialect, tensor::TensorDialect>();
  return GraphBuilder(context, config, shape).build();
}
