//===- RandomGraph.cpp - Valid model graphs by chance ---------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "vernier/Model/Vernier.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include <random>

using namespace mlir;
using namespace vernier;

namespace {

/// Adds operations to @loss, each on values that are there or on new parameters.
/// Values that do not depend on the batch have rank 1 (vectors) or 2 (matrices),
/// the others are [B, T, width] or [B, T, heads, head_dim].
class Generator {
public:
  Generator(MLIRContext &context, uint64_t seed)
      : body(&context), params(&context), loc(UnknownLoc::get(&context)), random(seed) {}

  OwningOpRef<ModuleOp> run();

private:
  // Chance.
  int64_t below(int64_t count) {
    return std::uniform_int_distribution<int64_t>(0, count - 1)(random);
  }
  bool oneIn(int64_t count) { return below(count) == 0; }
  template <typename T> T pick(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }

  // Types.
  static ArrayRef<int64_t> shapeOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  }
  static int64_t widthOf(Value value) { return shapeOf(value).back(); }
  RankedTensorType tensorOf(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, body.getF32Type());
  }
  RankedTensorType indices() { return RankedTensorType::get({batch, sequence}, body.getI32Type()); }
  static Type withWidth(Value value, int64_t width) {
    SmallVector<int64_t> shape(shapeOf(value));
    shape.back() = width;
    return cast<RankedTensorType>(value.getType()).clone(shape);
  }
  FloatAttr f64(double value) { return body.getF64FloatAttr(value); }

  // Values to work on.
  int64_t width() { return pick<int64_t>({3, 4, 5, 7, 9, 12, 17, vocabulary, vocabulary}); }
  Value keep(Value value) {
    pool.push_back(value);
    return value;
  }
  /// One of those there, the latest with preference; null if none fits.
  Value find(llvm::function_ref<bool(Value)> fits);
  Value newParam(ArrayRef<int64_t> shape, ParamKind kind);
  Value vector(int64_t entries);
  Value matrix(int64_t rows, int64_t columns);
  Value flat();
  Value heads(int64_t headDim = 0);
  Value any();
  Value like(Value value);

  // Operations.
  Value linear(Value input, int64_t outputs);
  Value rope(Value input);
  Value elementwise(Value input);
  Value split(Value input, int64_t last);
  Value merge(Value input);
  Value attend();
  void addSomething();
  Value toLogits();
  Value addLooseEnds(Value logits);
  void dropUnused(Value logits);
  void function(ModuleOp module);

  OpBuilder body, params;
  Location loc;
  std::mt19937_64 random;
  int64_t batch = 1, sequence = 1, vocabulary = 1, paramCount = 0;
  Value ids, targets;
  std::vector<Value> pool;
};

} // namespace

Value Generator::find(llvm::function_ref<bool(Value)> fits) {
  std::vector<Value> found;
  for (Value value : pool)
    if (fits(value))
      found.push_back(value);
  if (found.empty())
    return Value();
  return oneIn(2) ? found.back() : found[below(found.size())];
}

Value Generator::newParam(ArrayRef<int64_t> shape, ParamKind kind) {
  MLIRContext *context = body.getContext();
  StringAttr name = body.getStringAttr("p" + Twine(paramCount++));
  RankedTensorType type = tensorOf(shape);
  bool decays = shape.size() == 2;
  ParamOp::create(params, loc, name, TypeAttr::get(type), ParamKindAttr::get(context, kind),
                  DecayGroupAttr::get(context, decays ? DecayGroup::Decay : DecayGroup::None),
                  f64(0), OptimizerGroupAttr::get(context, OptimizerGroup::AdamW),
                  ConstantInitAttr::get(context, f64(1)),
                  body.getArrayAttr({StoredAttr::get(context, name.getValue(), 0, 0)}));
  return keep(GetParamOp::create(body, loc, type, FlatSymbolRefAttr::get(name)));
}

/// A new parameter, one that is used elsewhere, or something made of parameters.
Value Generator::vector(int64_t entries) {
  auto fits = [&](Value value) { return shapeOf(value) == ArrayRef<int64_t>{entries}; };
  Value there = oneIn(2) ? find(fits) : Value();
  Value result = there ? there : newParam({entries}, oneIn(2) ? ParamKind::Scale : ParamKind::Bias);
  while (oneIn(3))
    result = elementwise(result);
  if (oneIn(6) && entries <= 128) // the weight has the square of it
    return keep(LinearOp::create(body, loc, tensorOf({entries}), result, matrix(entries, entries),
                                 oneIn(2) ? vector(entries) : Value()));
  if (entries % 3 == 0 && oneIn(3))
    result = merge(matrix(3, entries / 3));
  return result;
}

Value Generator::matrix(int64_t rows, int64_t columns) {
  auto fits = [&](Value value) { return shapeOf(value) == ArrayRef<int64_t>{rows, columns}; };
  Value there = oneIn(2) ? find(fits) : Value();
  Value result = there ? there : newParam({rows, columns}, ParamKind::Matrix);
  if (!there && oneIn(6))
    result = split(vector(rows * columns), columns);
  while (oneIn(4))
    result = elementwise(result);
  if (oneIn(8))
    return linear(result, columns);
  return result;
}

/// [B, T, width].
Value Generator::flat() {
  return find([](Value value) { return shapeOf(value).size() == 3; });
}

/// [B, T, heads, head_dim] with an even head_dim.
Value Generator::heads(int64_t headDim) {
  Value there = find([&](Value value) {
    return shapeOf(value).size() == 4 &&
           (headDim ? widthOf(value) == headDim : widthOf(value) % 2 == 0);
  });
  if (there && oneIn(4))
    return linear(there, widthOf(there));
  if (there && oneIn(2))
    return elementwise(there);
  if (there && !oneIn(3))
    return there;
  int64_t size = headDim ? headDim : pick<int64_t>({2, 4, 6}), count = pick<int64_t>({1, 2, 3, 4});
  Value whole =
      find([&](Value value) { return shapeOf(value).size() == 3 && widthOf(value) % size == 0; });
  return split(whole && oneIn(2) ? whole : linear(flat(), count * size), size);
}

Value Generator::any() {
  Value split = oneIn(4) ? find([](Value value) { return shapeOf(value).size() == 4; }) : Value();
  return split ? split : flat();
}

/// Another value of the same shape, or the same.
Value Generator::like(Value value) {
  if (oneIn(8))
    return value;
  Value other = find([&](Value v) { return v != value && v.getType() == value.getType(); });
  if (other && !oneIn(3))
    return other;
  ArrayRef<int64_t> shape = shapeOf(value);
  if (shape.size() == 1)
    return newParam(shape, ParamKind::Bias);
  if (shape.size() == 2)
    return newParam(shape, ParamKind::Matrix);
  if (shape.size() == 3)
    return linear(flat(), shape[2]);
  return split(linear(flat(), shape[2] * shape[3]), shape[3]);
}

Value Generator::linear(Value input, int64_t outputs) {
  Value weight = matrix(outputs, widthOf(input));
  Value bias = oneIn(2) ? vector(outputs) : Value();
  return keep(LinearOp::create(body, loc, withWidth(input, outputs), input, weight, bias));
}

/// An operation that keeps the shape.
Value Generator::elementwise(Value input) {
  Type type = input.getType();
  double epsilon = pick<double>({1e-5, 1e-2, 1.0});
  bool mayNormalize = widthOf(input) > 2; // the norm of one or two entries is a step
  switch (below(6)) {
  case 0:
    return keep(mayNormalize ? Value(RMSNormOp::create(body, loc, type, input, f64(epsilon)))
                             : Value(AddOp::create(body, loc, type, input, like(input))));
  case 1:
    return keep(mayNormalize ? Value(LayerNormOp::create(body, loc, type, input, f64(epsilon)))
                             : Value(AddOp::create(body, loc, type, input, like(input))));
  case 2:
    return keep(
        ScaleOp::create(body, loc, type, input, vector(widthOf(input)), f64(oneIn(2) ? 1 : 0)));
  case 3:
    return keep(AddOp::create(body, loc, type, input, like(input)));
  case 4:
    return keep(MulOp::create(body, loc, type, input, like(input)));
  default:
    Activation activation = pick<Activation>({Activation::SiLU, Activation::SiLU, Activation::GELU,
                                              Activation::GELUTanh, Activation::ReLU});
    Value up = like(input);
    return oneIn(2) ? keep(GluOp::create(body, loc, type, activation, input, up))
                    : keep(GluOp::create(body, loc, type, activation, up, input));
  }
}

/// The last dimension becomes two.
Value Generator::split(Value input, int64_t last) {
  SmallVector<int64_t> shape(shapeOf(input));
  shape.back() /= last;
  shape.push_back(last);
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i + 1 < int64_t(shape.size()); ++i)
    groups.push_back({i});
  groups.back().push_back(shape.size() - 1);
  return keep(tensor::ExpandShapeOp::create(body, loc, tensorOf(shape), input, groups));
}

/// The last two become one.
Value Generator::merge(Value input) {
  SmallVector<int64_t> shape(shapeOf(input));
  int64_t last = shape.pop_back_val();
  shape.back() *= last;
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < int64_t(shape.size()); ++i)
    groups.push_back({i});
  groups.back().push_back(shape.size());
  return keep(tensor::CollapseShapeOp::create(body, loc, tensorOf(shape), input, groups));
}

Value Generator::rope(Value input) {
  if (widthOf(input) % 2)
    return input;
  return keep(RopeOp::create(body, loc, input.getType(), input, f64(1e4), RopeLlama3Attr(),
                             oneIn(4) ? body.getUnitAttr() : UnitAttr()));
}

Value Generator::attend() {
  Value query = heads();
  if (oneIn(2))
    query = rope(query);
  int64_t queryHeads = shapeOf(query)[2];
  Value key = heads(widthOf(query));
  if (queryHeads % shapeOf(key)[2] != 0)
    key = like(query);
  if (oneIn(2))
    key = rope(key);
  Value value = like(key);
  if (oneIn(4))
    value = rope(value);
  if (oneIn(4))
    value = elementwise(value);
  bool causal = !oneIn(4);
  IntegerAttr window =
      causal && oneIn(3) ? body.getI64IntegerAttr(1 + below(sequence)) : IntegerAttr();
  SmallVector<int64_t> rows(shapeOf(query).drop_back());
  auto attention =
      AttentionOp::create(body, loc, TypeRange{query.getType(), tensorOf(rows)}, query, key, value,
                          f64(0.5), causal ? body.getUnitAttr() : UnitAttr(), window);
  return keep(attention.getOutput());
}

void Generator::addSomething() {
  switch (below(8)) {
  case 0:
  case 1:
    linear(any(), width());
    return;
  case 2:
    attend();
    return;
  case 3:
    rope(heads());
    return;
  case 4:
    merge(heads());
    return;
  case 5: { // a second embedding, or one more use of the first
    int64_t columns = width();
    keep(EmbeddingOp::create(body, loc, tensorOf({batch, sequence, columns}), ids,
                             matrix(vocabulary, columns)));
    return;
  }
  default:
    Value value = any();
    for (int64_t count = 1 + below(3); count > 0; --count)
      value = elementwise(value);
  }
}

/// [B, T, vocabulary], of something that was computed late.
Value Generator::toLogits() {
  auto fits = [&](Value value) {
    return shapeOf(value) == ArrayRef<int64_t>{batch, sequence, vocabulary};
  };
  Value logits = oneIn(2) ? find(fits) : Value();
  if (!logits && oneIn(4))
    return merge(split(linear(flat(), vocabulary), 3));
  if (!logits)
    logits = linear(flat(), vocabulary);
  while (oneIn(3))
    logits = elementwise(logits);
  return logits;
}

/// Most results that nothing uses yet are added to the logits.
Value Generator::addLooseEnds(Value logits) {
  std::vector<Value> loose;
  for (Value value : pool)
    if (value.use_empty() && shapeOf(value).size() >= 3 && value != logits && !oneIn(4))
      loose.push_back(value);
  for (Value value : loose) {
    Value flat = shapeOf(value).size() == 4 ? merge(value) : value;
    logits = keep(AddOp::create(body, loc, logits.getType(), logits, linear(flat, vocabulary)));
  }
  return logits;
}

/// Removes operations that use parameters of no effect, and these parameters.
/// What is unused and has none stays.
void Generator::dropUnused(Value logits) {
  llvm::DenseSet<Operation *> live;
  SmallVector<Value> work = {logits};
  while (!work.empty())
    if (Operation *op = work.pop_back_val().getDefiningOp(); op && live.insert(op).second)
      work.append(op->operand_begin(), op->operand_end());
  llvm::StringSet<> used;
  for (Operation *op : live)
    if (auto get = dyn_cast<GetParamOp>(op))
      used.insert(get.getParam());
  std::vector<Operation *> dead;
  llvm::DenseSet<Operation *> tainted;
  for (Operation &op : *body.getBlock()) {
    auto get = dyn_cast<GetParamOp>(op);
    bool drop = get && !used.contains(get.getParam());
    for (Value operand : op.getOperands())
      drop |= operand.getDefiningOp() && tainted.contains(operand.getDefiningOp());
    if (drop) {
      tainted.insert(&op);
      dead.push_back(&op);
    }
  }
  for (Operation *op : llvm::reverse(dead))
    op->erase();
  for (ParamOp param : llvm::make_early_inc_range(params.getBlock()->getOps<ParamOp>()))
    if (!used.contains(param.getSymName()))
      param.erase();
}

void Generator::function(ModuleOp module) {
  auto function = func::FuncOp::create(
      loc, "loss", body.getFunctionType({indices(), indices()}, {tensorOf({})}));
  module.push_back(function);
  params.setInsertionPoint(function);
  Block *block = function.addEntryBlock();
  ids = block->getArgument(0);
  targets = block->getArgument(1);
  body.setInsertionPointToStart(block);
}

OwningOpRef<ModuleOp> Generator::run() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  batch = 1 + below(3);
  sequence = 1 + below(6);
  vocabulary = pick<int64_t>({6, 9, 15});
  function(*module);
  int64_t columns = width();
  keep(EmbeddingOp::create(body, loc, tensorOf({batch, sequence, columns}), ids,
                           newParam({vocabulary, columns}, ParamKind::Embedding)));
  for (int64_t count = 1 + below(7); count > 0; --count)
    addSomething();
  Value logits = toLogits();
  if (!oneIn(4))
    logits = addLooseEnds(logits);
  IntegerAttr ignore = body.getI32IntegerAttr(-100);
  Value count = CountValidOp::create(body, loc, RankedTensorType::get({}, body.getI64Type()),
                                     targets, ignore);
  auto entropy =
      CrossEntropyOp::create(body, loc, TypeRange{tensorOf({}), tensorOf({batch, sequence})},
                             logits, targets, count, ignore);
  func::ReturnOp::create(body, loc, entropy.getLoss());
  dropUnused(entropy.getLoss());
  return module;
}

OwningOpRef<ModuleOp> vernier::test::makeRandomGraph(MLIRContext &context, uint64_t seed) {
  context.loadDialect<VernierDialect, func::FuncDialect, tensor::TensorDialect>();
  return Generator(context, seed).run();
}

bool vernier::test::hasKink(ModuleOp graph) {
  bool kink = false;
  graph.walk([&](GluOp op) { kink |= op.getActivation() == Activation::ReLU; });
  return kink;
}
