//===- OperationPairs.cpp - Which operation feeds which -------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationPairs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "vernier/Model/Vernier.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace vernier::test;

// What a value can be: made of parameters alone (a vector or a matrix), or of the
// batch ([B, T, width], or [B, T, heads, head_dim]).
enum Form : unsigned { Vector = 1, Matrix = 2, Flat = 4, Heads = 8, All = 15 };

namespace {
struct Row {
  const char *name;
  unsigned forms;
};
} // namespace

// Statistics (log_sum_exp) have no gradient and are no producers; ids, targets
// and the divisor come from arguments alone.
static constexpr Row producers[] = {
    {"get_param", Vector | Matrix},
    {"embedding", Flat},
    {"linear", All},
    {"rms_norm", All},
    {"layer_norm", All},
    {"scale", All},
    {"add", All},
    {"mul", All},
    {"glu", All},
    {"rope", Heads},
    {"attention", Heads},
    {"expand_shape", Matrix | Heads},
    {"collapse_shape", Vector | Flat},
};
static constexpr Row consumers[] = {
    {"linear.input", All},
    {"linear.weight", Matrix},
    {"linear.bias", Vector},
    {"rms_norm", All},
    {"layer_norm", All},
    {"scale.input", All},
    {"scale.scale", Vector},
    {"add", All},
    {"mul", All},
    {"glu.gate", All},
    {"glu.up", All},
    {"rope", Heads},
    {"attention.query", Heads},
    {"attention.key", Heads},
    {"attention.value", Heads},
    {"embedding.table", Matrix},
    {"cross_entropy.logits", Flat},
    {"expand_shape", Vector | Flat},
    {"collapse_shape", Matrix | Heads},
};

static std::string nameOperand(OpOperand &operand) {
  static const std::map<std::pair<StringRef, unsigned>, const char *> names = {
      {{"linear", 0}, ".input"},    {{"linear", 1}, ".weight"},
      {{"linear", 2}, ".bias"},     {{"scale", 0}, ".input"},
      {{"scale", 1}, ".scale"},     {{"glu", 0}, ".gate"},
      {{"glu", 1}, ".up"},          {{"attention", 0}, ".query"},
      {{"attention", 1}, ".key"},   {{"attention", 2}, ".value"},
      {{"embedding", 1}, ".table"}, {{"cross_entropy", 0}, ".logits"}};
  StringRef op = operand.getOwner()->getName().stripDialect();
  auto name = names.find({op, operand.getOperandNumber()});
  return op.str() + (name == names.end() ? "" : name->second);
}

void OperationPairs::add(ModuleOp graph) {
  graph.lookupSymbol<func::FuncOp>("loss").walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (Operation *producer = operand.get().getDefiningOp())
        ++counts[{producer->getName().stripDialect().str(), nameOperand(operand)}];
  });
}

std::string OperationPairs::print() const {
  std::string text;
  for (const auto &[pair, count] : counts)
    text += llvm::formatv("{0} -> {1} {2}\n", pair.first, pair.second, count);
  return text;
}

std::vector<OperationPair> OperationPairs::findMissing() const {
  std::vector<OperationPair> missing;
  for (const Row &producer : producers)
    for (const Row &consumer : consumers)
      if ((producer.forms & consumer.forms) && !counts.count({producer.name, consumer.name}))
        missing.emplace_back(producer.name, consumer.name);
  return missing;
}
