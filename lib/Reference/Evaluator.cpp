//===- Evaluator.cpp - The reference evaluator ---------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Reference/Evaluator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "vernier/Reference/Rounding.h"

using namespace mlir;
using namespace vernier::reference;

bool vernier::reference::isEvaluated(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.hasStaticShape() : type.isIntOrIndexOrFloat();
}

ArrayRef<int64_t> vernier::reference::shapeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isEvaluated(type) ? tensor.getShape() : ArrayRef<int64_t>();
}

const RuleTable &vernier::reference::getGraphRules() {
  static const RuleTable table = [] {
    RuleTable rules;
    populateLayerRules(rules);
    populateAttentionRules(rules);
    populateLossRules(rules);
    populateScaleFormRules(rules);
    populateAdjointRules(rules);
    populateOptimizerRules(rules);
    populateTensorRules(rules);
    populateElementwiseRules(rules);
    return rules;
  }();
  return table;
}

Evaluator::Evaluator(ModuleOp module, const llvm::StringMap<Tensor> &params, Precision precision,
                     const RuleTable &rules)
    : module(module), params(params), precision(precision), rules(rules) {}

const Tensor *Evaluator::findParam(StringRef name) const {
  auto it = params.find(name);
  return it == params.end() ? nullptr : &it->second;
}

// A value's shape as types print it, e.g. 8x256.
static std::string describe(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(shape, stream, "x");
  return shape.empty() ? "a single number" : "shape " + text;
}

LogicalResult Evaluator::checkArguments(Operation *function, ArrayRef<Type> types,
                                        ArrayRef<Tensor> arguments) {
  if (types.size() != arguments.size())
    return function->emitError() << "takes " << types.size() << " arguments, but is evaluated with "
                                 << arguments.size();
  for (auto [number, type, argument] : llvm::enumerate(types, arguments)) {
    if (!isEvaluated(type))
      return function->emitError() << "argument " << number << " is of type " << type
                                   << "; only numbers and tensors of static shape are evaluated";
    if (shapeOf(type) != ArrayRef<int64_t>(argument.shape))
      return function->emitError() << "argument " << number << " is of type " << type
                                   << ", but is evaluated with " << describe(argument.shape);
  }
  return success();
}

FailureOr<std::vector<Tensor>> Evaluator::call(StringRef name, ArrayRef<Tensor> arguments) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function)
    return module.emitError() << "there is no function '" << name << "' to evaluate";
  if (function.isExternal())
    return function.emitError() << "function '" << name << "' has no body to evaluate";
  if (failed(checkArguments(function, function.getArgumentTypes(), arguments)))
    return failure();
  return run(function.getBody().front(), arguments.vec());
}

// Of nested calls: a function that calls itself ends in an error.
static constexpr int maxDepth = 100;

namespace {
/// The values of a block so far.
using Environment = llvm::DenseMap<Value, Tensor>;
} // namespace

// Stores a value as what its type can hold.
static void define(Environment &environment, Value value, Tensor tensor, Precision precision) {
  if (precision == Precision::Rounded)
    roundTo(getElementTypeOrSelf(value.getType()), tensor);
  environment[value] = std::move(tensor);
}

static FailureOr<SmallVector<const Tensor *>> lookUpOperands(Environment &environment,
                                                             Operation &op) {
  SmallVector<const Tensor *> operands;
  for (Value operand : op.getOperands()) {
    auto it = environment.find(operand);
    if (it == environment.end())
      return op.emitError() << "operand " << operands.size()
                            << " is not computed in the block that is evaluated";
    operands.push_back(&it->second);
  }
  return operands;
}

LogicalResult Evaluator::apply(Operation &op, Operands operands, SmallVectorImpl<Tensor> &results) {
  const Rule *rule = rules.find(op.getName().getStringRef());
  if (!rule)
    return op.emitOpError() << "has no rule in the reference evaluator";
  for (Type type : op.getResultTypes()) {
    if (!isEvaluated(type))
      return op.emitOpError() << "has a result of type " << type
                              << "; only numbers and tensors of static shape are evaluated";
    results.emplace_back(shapeOf(type).vec());
  }
  if (depth == maxDepth)
    return op.emitOpError() << "is nested in more than " << maxDepth << " calls";
  ++depth;
  LogicalResult result = (*rule)(&op, operands, results, *this);
  --depth;
  return result;
}

FailureOr<std::vector<Tensor>> Evaluator::run(Block &block, std::vector<Tensor> arguments) {
  Environment environment;
  for (auto [value, tensor] : llvm::zip_equal(block.getArguments(), arguments))
    define(environment, value, std::move(tensor), precision);

  for (Operation &op : block) {
    auto operands = lookUpOperands(environment, op);
    if (failed(operands))
      return failure();
    if (op.hasTrait<OpTrait::ReturnLike>()) {
      std::vector<Tensor> returned;
      for (const Tensor *operand : *operands)
        returned.push_back(*operand);
      return returned;
    }
    SmallVector<Tensor> results;
    if (failed(apply(op, *operands, results)))
      return failure();
    for (auto [value, tensor] : llvm::zip_equal(op.getResults(), results))
      define(environment, value, std::move(tensor), precision);
  }
  return block.getParentOp()->emitError("has a block without a return, which is not evaluated");
}
