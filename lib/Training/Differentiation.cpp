//===- Differentiation.cpp - Gradients of straight-line graphs ------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Training/Differentiation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"
#include "vernier/Model/Vernier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace vernier;

#include "vernier/Training/DifferentiableOpInterface.cpp.inc"

bool vernier::isDifferentiable(Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); }

Value vernier::createZero(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

void Cotangents::add(Value value, Value gradient) {
  if (!wants(value))
    return;
  Value &sum = gradients[value];
  if (sum)
    gradient = AddOp::create(builder, gradient.getLoc(), value.getType(), sum, gradient);
  sum = gradient;
}

Value Cotangents::take(Value value) {
  Value gradient = gradients.lookup(value);
  gradients.erase(value);
  return gradient;
}

namespace vernier {

/// One call of `differentiate`.
class BackwardPass {
public:
  BackwardPass(ArrayRef<Operation *> forward, OpBuilder &builder)
      : forward(forward), builder(builder), cotangents(builder) {}

  FailureOr<SmallVector<Value>> run(ArrayRef<Value> withRespectTo, ArrayRef<Seed> seeds,
                                    Location loc, StringRef what);
  SmallVector<MissingRule> findMissingRules(ArrayRef<Value> withRespectTo, ArrayRef<Value> values);

private:
  /// All values that an operation reads, in its regions too.
  static SetVector<Value> getReadValues(Operation *op);
  void findWanted(ArrayRef<Value> withRespectTo);
  void findReached(ArrayRef<Value> values);
  LogicalResult buildAdjoint(Operation *op);
  LogicalResult checkSavedValues(DifferentiableOpInterface op, Operation *lastBefore);

  ArrayRef<Operation *> forward;
  OpBuilder &builder;
  Cotangents cotangents;
  /// Operations that read a value whose gradient is wanted.
  DenseSet<Operation *> active;
  /// Values whose gradient is not zero as far as the structure tells.
  DenseSet<Value> reached;
};

} // namespace vernier

SetVector<Value> BackwardPass::getReadValues(Operation *op) {
  SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

// A value is wanted if it depends on what we differentiate with respect to.
void BackwardPass::findWanted(ArrayRef<Value> withRespectTo) {
  for (Value value : withRespectTo)
    cotangents.want(value);
  for (Operation *op : forward) {
    if (llvm::none_of(getReadValues(op), [&](Value v) { return cotangents.wants(v); }))
      continue;
    active.insert(op);
    for (Value result : op->getResults())
      if (isDifferentiable(result.getType()))
        cotangents.want(result);
  }
}

void BackwardPass::findReached(ArrayRef<Value> values) {
  for (Value value : values)
    if (cotangents.wants(value))
      reached.insert(value);
  for (Operation *op : llvm::reverse(forward)) {
    if (llvm::none_of(op->getResults(), [&](Value v) { return reached.contains(v); }))
      continue;
    for (Value value : getReadValues(op))
      if (cotangents.wants(value))
        reached.insert(value);
  }
}

SmallVector<MissingRule> BackwardPass::findMissingRules(ArrayRef<Value> withRespectTo,
                                                        ArrayRef<Value> values) {
  findWanted(withRespectTo);
  findReached(values);
  SmallVector<MissingRule> missing;
  for (Operation *op : forward) {
    if (!active.contains(op))
      continue;
    std::string name = "'" + op->getName().getStringRef().str() + "' op has no gradient rule";
    auto rule = dyn_cast<DifferentiableOpInterface>(op);
    for (OpResult result : op->getResults()) {
      if (!reached.contains(result))
        continue;
      if (!rule) {
        missing.push_back({op->getLoc(), name});
        break;
      }
      if (!rule.hasResultGradient(result.getResultNumber()))
        missing.push_back(
            {op->getLoc(), name + " for result #" + std::to_string(result.getResultNumber())});
    }
  }
  return missing;
}

SmallVector<MissingRule> vernier::findMissingRules(ArrayRef<Operation *> forward,
                                                   ArrayRef<Value> withRespectTo,
                                                   ArrayRef<Value> values) {
  if (forward.empty())
    return {};
  OpBuilder unused(forward.front()->getContext());
  return BackwardPass(forward, unused).findMissingRules(withRespectTo, values);
}

LogicalResult vernier::reportMissingRules(ArrayRef<MissingRule> missing, Location loc,
                                          StringRef what) {
  if (missing.empty())
    return success();
  InFlightDiagnostic error = emitError(loc)
                             << "cannot differentiate " << what << ": " << missing.size()
                             << (missing.size() == 1 ? " operation has" : " operations have")
                             << " no gradient rule";
  for (const MissingRule &rule : missing)
    error.attachNote(rule.loc) << rule.message;
  return error;
}

// A rule that reads more than it declares would silently break whoever plans
// what to keep for the backward pass.
LogicalResult BackwardPass::checkSavedValues(DifferentiableOpInterface op, Operation *lastBefore) {
  SmallVector<Value> saved = op.getSavedValues([&](Value v) { return cotangents.wants(v); });
  SetVector<Value> values = getReadValues(op);
  values.insert(op->result_begin(), op->result_end());
  Block *block = builder.getInsertionBlock();
  Block::iterator it = lastBefore ? std::next(lastBefore->getIterator()) : block->begin();
  for (; it != builder.getInsertionPoint(); ++it)
    for (Value operand : it->getOperands())
      if (values.contains(operand) && !llvm::is_contained(saved, operand))
        return op->emitOpError()
               << "has a gradient rule that reads a value which it does not declare as saved, in '"
               << it->getName() << "'";
  return success();
}

LogicalResult BackwardPass::buildAdjoint(Operation *op) {
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  if (!rule || !active.contains(op) ||
      llvm::none_of(op->getResults(), [&](Value v) { return bool(cotangents.get(v)); }))
    return success();
  Block::iterator here = builder.getInsertionPoint();
  Block *block = builder.getInsertionBlock();
  Operation *lastBefore = here == block->begin() ? nullptr : &*std::prev(here);
  builder.setInsertionPoint(block, here);
  rule.buildAdjoint(builder, cotangents);
  return checkSavedValues(rule, lastBefore);
}

FailureOr<SmallVector<Value>> BackwardPass::run(ArrayRef<Value> withRespectTo, ArrayRef<Seed> seeds,
                                                Location loc, StringRef what) {
  auto values = llvm::map_to_vector(seeds, [](const Seed &seed) { return seed.value; });
  if (failed(reportMissingRules(findMissingRules(withRespectTo, values), loc, what)))
    return failure();
  for (const Seed &seed : seeds)
    cotangents.add(seed.value, seed.gradient);
  for (Operation *op : llvm::reverse(forward))
    if (failed(buildAdjoint(op)))
      return failure();
  return llvm::map_to_vector(withRespectTo, [&](Value value) { return cotangents.get(value); });
}

FailureOr<SmallVector<Value>> vernier::differentiate(ArrayRef<Operation *> forward,
                                                     ArrayRef<Value> withRespectTo,
                                                     ArrayRef<Seed> seeds, OpBuilder &builder,
                                                     Location loc, StringRef what) {
  return BackwardPass(forward, builder).run(withRespectTo, seeds, loc, what);
}
