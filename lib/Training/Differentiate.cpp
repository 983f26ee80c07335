//===- Differentiate.cpp - The vector-Jacobian product of a function ------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Training/Differentiation.h"
#include "vernier/Training/Passes.h"
#include "vernier/Training/Phases.h"

namespace vernier {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "vernier/Training/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

struct Differentiate : vernier::impl::DifferentiateBase<Differentiate> {
  using DifferentiateBase::DifferentiateBase;
  void runOnOperation() override {
    func::FuncOp source = getOperation().lookupSymbol<func::FuncOp>(function);
    if (!source || source.isExternal()) {
      emitError(getOperation().getLoc())
          << "the module has no function '" << function << "' with a body";
      return signalPassFailure();
    }
    if (!source.getBody().hasOneBlock()) {
      emitError(source.getLoc()) << "cannot differentiate '" << function
                                 << "': a function of one block is needed, but it has "
                                 << source.getBody().getBlocks().size();
      return signalPassFailure();
    }
    if (failed(buildProduct(source)))
      signalPassFailure();
  }

private:
  LogicalResult buildProduct(func::FuncOp source);
};

/// What gradients are asked of: the float arguments, then the parameters.
struct Inputs {
  SmallVector<Value> values;
  SmallVector<SlotAttr> slots; ///< null for arguments
};

// Reads of one parameter become one, so that its gradient is one value.
static Inputs collectInputs(Block &body) {
  Inputs inputs;
  for (BlockArgument argument : body.getArguments())
    if (isDifferentiable(argument.getType())) {
      inputs.values.push_back(argument);
      inputs.slots.push_back(SlotAttr());
    }
  DenseMap<StringRef, Value> reads;
  for (GetParamOp op : llvm::make_early_inc_range(body.getOps<GetParamOp>())) {
    auto [it, isFirst] = reads.try_emplace(op.getParam(), op.getResult());
    if (!isFirst) {
      op.replaceAllUsesWith(it->second);
      op.erase();
      continue;
    }
    inputs.values.push_back(op.getResult());
    inputs.slots.push_back(SlotAttr::get(op.getContext(), SlotRole::ParamGradient,
                                         StringAttr::get(op.getContext(), op.getParam())));
  }
  return inputs;
}

static SmallVector<Seed> addCotangentArguments(func::FuncOp product) {
  SmallVector<Seed> seeds;
  Block &body = product.getBody().front();
  for (Value result : body.getTerminator()->getOperands())
    if (isDifferentiable(result.getType()))
      seeds.push_back({result, body.addArgument(result.getType(), result.getLoc())});
  return seeds;
}

} // namespace

LogicalResult Differentiate::buildProduct(func::FuncOp source) {
  func::FuncOp product = source.clone();
  product.setName((function + "_vjp"));
  Block &body = product.getBody().front();
  Operation *terminator = body.getTerminator();
  Inputs inputs = collectInputs(body);
  SmallVector<Seed> seeds = addCotangentArguments(product);
  SmallVector<Operation *> forward =
      llvm::map_to_vector(body.without_terminator(), [](Operation &op) { return &op; });

  OpBuilder builder(terminator);
  auto gradients =
      differentiate(forward, inputs.values, seeds, builder, source.getLoc(), "'" + function + "'");
  if (failed(gradients)) {
    product.erase();
    return failure();
  }
  SmallVector<Value> results(terminator->getOperands());
  for (auto [value, gradient] : llvm::zip_equal(inputs.values, *gradients))
    results.push_back(gradient ? gradient : createZero(builder, value.getLoc(), value.getType()));
  terminator->setOperands(results);
  product.setType(builder.getFunctionType(body.getArgumentTypes(), ValueRange(results).getTypes()));
  unsigned firstGradient = results.size() - inputs.slots.size();
  for (auto [index, slot] : llvm::enumerate(inputs.slots))
    if (slot)
      product.setResultAttr(firstGradient + index, slotAttrName, slot);
  SymbolTable(getOperation()).insert(product, std::next(source->getIterator()));
  return success();
}
