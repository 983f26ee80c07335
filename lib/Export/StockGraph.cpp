//===- StockGraph.cpp - A model graph in stock form -------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks from the embedding along the residual stream to the loss. Each step
// names the one operation that may come next; all others are errors there.
//
//===----------------------------------------------------------------------===//

#include "StockGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "vernier/Model/Roles.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace vernier;

namespace {

class Reader {
public:
  explicit Reader(ModuleOp module) : module(module), roles(module) {}
  FailureOr<StockGraph> read();

private:
  /// A diagnostic at what cannot be expressed.
  LogicalResult reject(Operation *op, const Twine &why);
  std::string at(const Twine &part) const;

  /// The only user of a value, of which it is the first operand; null and a
  /// diagnostic if there is another one.
  template <typename OpT> OpT follow(Value value, const Twine &part);
  ParamOp readParam(Operation *user, Value value, StringRef what);

  LogicalResult readEmbedding(func::FuncOp loss, Value &stream);
  LogicalResult readLayer(Value &stream);
  LogicalResult readNorm(RMSNormOp op, StockNorm &norm, Value &result);
  LogicalResult readInputNorm(Value stream, StockNorm &norm, Value &result);
  LogicalResult readLinear(LinearOp op, StockLinear &linear);
  LogicalResult readBranches(Value normed, ArrayRef<LinearRole> wanted,
                             SmallVectorImpl<LinearOp> &branches);
  LogicalResult readHeads(LinearOp branch, std::optional<StockNorm> *norm, AttentionOp &attention);
  LogicalResult readRope(RopeOp rope);
  LogicalResult readAttention(Value normed, StockLayer &layer, Value &result);
  LogicalResult checkAttention(AttentionOp attention);
  LogicalResult readFFN(Value normed, StockLayer &layer, Value &result);
  LogicalResult readHead(Value stream);
  LogicalResult closeSublayer(Value &stream, Value sublayer);
  LogicalResult checkRest(func::FuncOp loss);

  /// The same number at each place, set at the first.
  template <typename T> bool agree(std::optional<T> &known, T value) {
    if (!known)
      known = value;
    return *known == value;
  }

  ModuleOp module;
  RoleAnalysis roles;
  StockGraph graph;
  llvm::DenseSet<Operation *> seen;
  std::optional<double> epsilon, theta;
  std::optional<Attribute> scaling;
  std::optional<Activation> activation;
  std::optional<int64_t> heads, kvHeads, headDim;
};

} // namespace

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

LogicalResult Reader::reject(Operation *op, const Twine &why) {
  auto diagnostic = op->emitError() << "cannot be exported: " << why.str();
  if (isa<RMSNormOp, LayerNormOp, ScaleOp>(op))
    diagnostic.attachNote() << "strategies of hg, dp, or, er and iwd can be exported, and "
                               "dual-norm per head on q and k alone (vernier-relocate-scale"
                               "{to=dual-norm norm-axis=head branches=q,k}), as qwen3; a norm "
                               "anywhere else cannot";
  return failure();
}

std::string Reader::at(const Twine &part) const {
  return (part + " of layer " + Twine(graph.layers.size())).str();
}

static StringRef nameOf(Operation *op) { return op->getName().getStringRef(); }

template <typename OpT> OpT Reader::follow(Value value, const Twine &part) {
  Operation *wrong = nullptr;
  OpT found;
  for (OpOperand &use : value.getUses()) {
    auto op = dyn_cast<OpT>(use.getOwner());
    if (op && use.getOperandNumber() == 0 && !found)
      found = op;
    else
      wrong = use.getOwner();
  }
  if (!found && !wrong)
    wrong = value.getDefiningOp();
  if (wrong) {
    (void)reject(wrong, "'" + nameOf(wrong) + "' at " + part +
                            ", where llama, mistral, qwen2 and "
                            "qwen3 have one '" +
                            OpT::getOperationName() + "' alone");
    return {};
  }
  seen.insert(found);
  return found;
}

ParamOp Reader::readParam(Operation *user, Value value, StringRef what) {
  auto read = value.getDefiningOp<GetParamOp>();
  if (!read) {
    (void)reject(user, "its " + what + " is not a parameter");
    return {};
  }
  seen.insert(read);
  return SymbolTable::lookupNearestSymbolFrom<ParamOp>(user, read.getParamAttr());
}

LogicalResult Reader::readNorm(RMSNormOp op, StockNorm &norm, Value &result) {
  if (!agree(epsilon, op.getEpsilon().convertToDouble()))
    return reject(op, llvm::formatv("its epsilon is {0}, that of the norms before it {1}; there is "
                                    "one rms_norm_eps",
                                    op.getEpsilon().convertToDouble(), *epsilon)
                          .str());
  norm.width = op.getType().getShape().back();
  result = op.getResult();
  auto scale = result.hasOneUse() ? dyn_cast<ScaleOp>(*result.user_begin()) : ScaleOp();
  if (!scale)
    return success();
  seen.insert(scale);
  norm.offset = scale.getOffset().convertToDouble();
  norm.scale = readParam(scale, scale.getScale(), "scale vector");
  result = scale.getResult();
  return success(norm.scale != nullptr);
}

LogicalResult Reader::readLinear(LinearOp op, StockLinear &linear) {
  seen.insert(op);
  linear.weight = readParam(op, op.getWeight(), "weight");
  if (op.getBias())
    linear.bias = readParam(op, op.getBias(), "bias");
  return success(linear.weight && (linear.bias || !op.getBias()));
}

/// The norm at the begin of a sublayer, or the last one. The stream's other use
/// is the residual add.
LogicalResult Reader::readInputNorm(Value stream, StockNorm &norm, Value &result) {
  RMSNormOp found;
  for (Operation *user : stream.getUsers()) {
    if (isa<AddOp>(user))
      continue;
    if (found || !isa<RMSNormOp>(user))
      return reject(user, "'" + nameOf(user) + "' at the residual stream before " +
                              at("a sublayer") + ", where there is one 'vernier.rms_norm'");
    found = cast<RMSNormOp>(user);
  }
  if (!found)
    return reject(stream.getDefiningOp(), "no 'vernier.rms_norm' reads the residual stream");
  seen.insert(found);
  return readNorm(found, norm, result);
}

/// The linear maps that a sublayer begins with, in the order of `wanted`.
LogicalResult Reader::readBranches(Value normed, ArrayRef<LinearRole> wanted,
                                   SmallVectorImpl<LinearOp> &branches) {
  branches.assign(wanted.size(), {});
  for (OpOperand &use : normed.getUses()) {
    auto linear = dyn_cast<LinearOp>(use.getOwner());
    if (!linear || use.getOperandNumber() != 0)
      return reject(use.getOwner(), "'" + nameOf(use.getOwner()) + "' at " +
                                        at("the normalized input of a sublayer") +
                                        ", where there are linear maps alone");
    LinearRole role = roles.getLinear(linear).role;
    auto place = llvm::find(wanted, role);
    if (place == wanted.end() || branches[place - wanted.begin()])
      return reject(linear, at("a linear map for " + stringify(role)) + " besides " +
                                stringify(wanted.front()) + " to " + stringify(wanted.back()));
    branches[place - wanted.begin()] = linear;
  }
  for (auto [role, branch] : llvm::zip_equal(wanted, branches))
    if (!branch)
      return reject(normed.getDefiningOp(), "does not feed " + at(stringify(role)));
  return success();
}

/// stream + sublayer, and nothing else.
LogicalResult Reader::closeSublayer(Value &stream, Value sublayer) {
  auto add = sublayer.hasOneUse() ? dyn_cast<AddOp>(*sublayer.user_begin()) : AddOp();
  if (!add || (add.getLhs() != stream && add.getRhs() != stream)) {
    Operation *user =
        add || sublayer.use_empty() ? sublayer.getDefiningOp() : *sublayer.user_begin();
    return reject(user, "'" + nameOf(user) + "' behind " + at("a sublayer") +
                            ", where its result is added to the residual stream");
  }
  seen.insert(add);
  stream = add.getResult();
  return success();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

static std::optional<RopeLlama3Scaling> toScaling(RopeLlama3Attr attr) {
  if (!attr)
    return std::nullopt;
  return RopeLlama3Scaling{attr.getFactor().getValueAsDouble(),
                           attr.getLowFreqFactor().getValueAsDouble(),
                           attr.getHighFreqFactor().getValueAsDouble(), attr.getOriginalContext()};
}

LogicalResult Reader::readRope(RopeOp rope) {
  if (rope.getInverse())
    return reject(rope, "rotates backwards");
  if (!agree(theta, rope.getTheta().convertToDouble()) ||
      !agree<Attribute>(scaling, rope.getScalingAttr()))
    return reject(rope, "its frequencies differ from those of the rotations before it");
  graph.config.ropeTheta = *theta;
  graph.config.ropeScaling = toScaling(rope.getScalingAttr());
  return success();
}

/// From a branch to attention: heads; for q and k (where there is a place for a
/// norm) norm and rotation.
LogicalResult Reader::readHeads(LinearOp branch, std::optional<StockNorm> *norm,
                                AttentionOp &attention) {
  std::string part = at(stringify(roles.getLinear(branch).role));
  auto split = follow<tensor::ExpandShapeOp>(branch.getResult(), "the result of " + part);
  if (!split)
    return failure();
  Value x = split.getResult();
  if (norm) {
    if (x.hasOneUse() && isa<RMSNormOp>(*x.user_begin())) {
      auto op = follow<RMSNormOp>(x, part);
      if (failed(readNorm(op, norm->emplace(), x)))
        return failure();
    }
    auto rope = follow<RopeOp>(x, "the heads of " + part);
    if (!rope || failed(readRope(rope)))
      return failure();
    x = rope.getResult();
  }
  auto found = x.hasOneUse() ? dyn_cast<AttentionOp>(*x.user_begin()) : AttentionOp();
  if (!found || (attention && found != attention)) {
    Operation *user = x.use_empty() ? x.getDefiningOp() : *x.user_begin();
    return reject(user, "'" + nameOf(user) + "' at the heads of " + part +
                            ", where there is 'vernier.attention' alone");
  }
  attention = found;
  return success();
}

LogicalResult Reader::checkAttention(AttentionOp attention) {
  seen.insert(attention);
  auto query = cast<RankedTensorType>(attention.getQuery().getType()).getShape();
  auto key = cast<RankedTensorType>(attention.getKey().getType()).getShape();
  if (!agree(heads, query[2]) || !agree(kvHeads, key[2]) || !agree(headDim, query[3]))
    return reject(attention, "its heads differ from those of the layers before it");
  double wanted = 1 / std::sqrt(double(*headDim)), scale = attention.getScale().convertToDouble();
  if (std::abs(scale - wanted) > 1e-9 * wanted)
    return reject(
        attention,
        llvm::formatv("its scale is {0}, expected 1 / sqrt(head_dim) = {1}", scale, wanted).str());
  if (!attention.getCausal())
    return reject(attention, "is not causal");
  if (!attention.getLogSumExp().use_empty())
    return reject(attention, "its log_sum_exp is used");
  return success();
}

LogicalResult Reader::readAttention(Value normed, StockLayer &layer, Value &result) {
  SmallVector<LinearOp> qkv;
  AttentionOp attention;
  if (failed(readBranches(normed, {LinearRole::Query, LinearRole::Key, LinearRole::Value}, qkv)) ||
      failed(readLinear(qkv[0], layer.query)) || failed(readLinear(qkv[1], layer.key)) ||
      failed(readLinear(qkv[2], layer.value)) ||
      failed(readHeads(qkv[0], &layer.queryNorm, attention)) ||
      failed(readHeads(qkv[1], &layer.keyNorm, attention)) ||
      failed(readHeads(qkv[2], nullptr, attention)) || failed(checkAttention(attention)))
    return failure();
  layer.window = attention.getWindow().value_or(0);
  auto merged =
      follow<tensor::CollapseShapeOp>(attention.getOutput(), at("the result of attention"));
  auto output =
      merged ? follow<LinearOp>(merged.getResult(), at("the result of attention")) : LinearOp();
  if (!output || failed(readLinear(output, layer.output)))
    return failure();
  result = output.getResult();
  return success();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

LogicalResult Reader::readFFN(Value normed, StockLayer &layer, Value &result) {
  SmallVector<LinearOp> branches;
  if (failed(readBranches(normed, {LinearRole::Gate, LinearRole::Up}, branches)) ||
      failed(readLinear(branches[0], layer.gate)) || failed(readLinear(branches[1], layer.up)))
    return failure();
  auto glu = follow<GluOp>(branches[0].getResult(), at("the result of gate"));
  if (!glu)
    return failure();
  Value up = branches[1].getResult();
  if (!up.hasOneUse() || glu.getUp() != up) {
    Operation *user = up.use_empty() ? branches[1] : *up.user_begin();
    return reject(user, "'" + nameOf(user) + "' at " + at("the result of up") +
                            ", where there is 'vernier.glu' alone");
  }
  if (!agree(activation, glu.getActivation()))
    return reject(glu, "its activation differs from that of the layers before it");
  auto down = follow<LinearOp>(glu.getResult(), at("the result of the gated unit"));
  if (!down || failed(readLinear(down, layer.down)))
    return failure();
  result = down.getResult();
  return success();
}

LogicalResult Reader::readLayer(Value &stream) {
  StockLayer layer;
  Value normed, result;
  if (failed(readInputNorm(stream, layer.attentionNorm, normed)) ||
      failed(readAttention(normed, layer, result)) || failed(closeSublayer(stream, result)) ||
      failed(readInputNorm(stream, layer.ffnNorm, normed)) ||
      failed(readFFN(normed, layer, result)) || failed(closeSublayer(stream, result)))
    return failure();
  graph.layers.push_back(layer);
  return success();
}

LogicalResult Reader::readEmbedding(func::FuncOp loss, Value &stream) {
  SmallVector<EmbeddingOp> found(loss.getOps<EmbeddingOp>());
  if (found.size() != 1)
    return loss.emitError() << "cannot be exported: expected one embedding, found " << found.size();
  EmbeddingOp op = found.front();
  seen.insert(op);
  graph.embedding = readParam(op, op.getTable(), "table");
  stream = op.getResult();
  return success(graph.embedding != nullptr);
}

LogicalResult Reader::readHead(Value stream) {
  Value normed;
  if (failed(readInputNorm(stream, graph.finalNorm, normed)))
    return failure();
  auto linear =
      follow<LinearOp>(normed, graph.layers.empty() ? "a norm of the embedding" : "the final norm");
  StockLinear head;
  if (!linear || failed(readLinear(linear, head)))
    return failure();
  if (head.bias)
    return reject(linear, "the head has a bias");
  graph.head = head.weight;
  auto entropy = follow<CrossEntropyOp>(linear.getResult(), "the logits");
  if (!entropy)
    return failure();
  if (auto count = entropy.getDivisor().getDefiningOp<CountValidOp>())
    seen.insert(count);
  return success();
}

/// Nothing may be left that the loss depends on.
LogicalResult Reader::checkRest(func::FuncOp loss) {
  for (Operation &op : loss.getBody().front()) {
    if (isa<func::ReturnOp>(op) || (isOpTriviallyDead(&op) && isPure(&op)))
      continue;
    if (!seen.contains(&op))
      return reject(&op, "'" + nameOf(&op) +
                             "' has no place in the decoder that llama, mistral, "
                             "qwen2 and qwen3 are");
    for (Type type : op.getResultTypes())
      if (getElementTypeOrSelf(type).isBF16())
        return reject(&op, "rounds to bf16, which is no part of a config.json");
  }
  return success();
}

/// The residual stream ends where nothing is added to it any more.
static bool goesOn(Value stream) {
  return llvm::any_of(stream.getUsers(), [](Operation *user) { return isa<AddOp>(user); });
}

FailureOr<StockGraph> Reader::read() {
  auto loss = module.lookupSymbol<func::FuncOp>("loss");
  if (!loss || loss.getNumArguments() != 2)
    return module.emitError() << "cannot be exported: there is no function @loss of token ids and "
                                 "targets";
  Value stream;
  if (failed(readEmbedding(loss, stream)))
    return failure();
  while (goesOn(stream))
    if (failed(readLayer(stream)))
      return failure();
  if (failed(readHead(stream)) || failed(checkRest(loss)))
    return failure();
  if (graph.layers.empty())
    return loss.emitError() << "cannot be exported: it has no layers";
  ModelConfig &config = graph.config;
  ArrayRef<int64_t> table = graph.embedding.getTensorType().getShape();
  config.vocabulary = table[0];
  config.hidden = table[1];
  config.intermediate = graph.layers.front().gate.weight.getTensorType().getDimSize(0);
  config.layers = graph.layers.size();
  config.heads = *heads;
  config.kvHeads = *kvHeads;
  config.headDim = *headDim;
  config.maxContext = cast<RankedTensorType>(loss.getArgumentTypes()[0]).getShape().back();
  config.activation = *activation;
  config.normEpsilon = *epsilon;
  config.tiedHead = graph.head == graph.embedding;
  if (auto normal = dyn_cast<NormalInitAttr>(graph.embedding.getInitializer()))
    config.initializerRange = normal.getStd().getValueAsDouble();
  return graph;
}

FailureOr<StockGraph> vernier::readStockGraph(ModuleOp module) { return Reader(module).read(); }
