//===- SetBatch.cpp - Changes the number of sequences ---------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "vernier/Model/Passes.h"
#include "vernier/Model/Vernier.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace vernier;

namespace vernier {
#define GEN_PASS_DEF_SETBATCH
#include "vernier/Model/Passes.h.inc"
} // namespace vernier

namespace {
/// Follows the values that depend on the batch through one block.
class BatchChange {
public:
  BatchChange(int64_t before, int64_t after) : before(before), after(after) {}

  /// Changes a value's type, which begins with the batch or is a scalar.
  LogicalResult change(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || (type.getRank() > 0 && type.getDimSize(0) != before))
      return failure();
    dependent.insert(value);
    if (type.getRank() == 0)
      return success();
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = after;
    value.setType(type.clone(shape));
    return success();
  }

  LogicalResult visit(Operation *op) {
    if (llvm::none_of(op->getOperands(), [&](Value value) { return dependent.contains(value); }))
      return success();
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      SmallVector<int64_t> shape(expand.getStaticOutputShape());
      shape[0] = after;
      expand.setStaticOutputShape(shape);
    }
    for (Value result : op->getResults())
      if (failed(change(result)))
        return op->emitError("the batch of ")
               << before << " cannot be changed: expected a result that begins with it, found "
               << result.getType();
    return success();
  }

private:
  int64_t before, after;
  llvm::DenseSet<Value> dependent;
};

struct SetBatch : vernier::impl::SetBatchBase<SetBatch> {
  using SetBatchBase::SetBatchBase;

  void runOnOperation() override {
    auto loss = getOperation().lookupSymbol<func::FuncOp>("loss");
    if (!loss || !loss.getBody().hasOneBlock() || loss.getNumArguments() == 0) {
      getOperation().emitError("expected a function @loss(ids, targets) of one block");
      return signalPassFailure();
    }
    auto ids = dyn_cast<RankedTensorType>(loss.getArgumentTypes()[0]);
    if (batch < 1 || !ids || ids.getRank() == 0) {
      loss.emitError("expected a positive batch and token ids, found ")
          << batch.getValue() << " and " << loss.getArgumentTypes()[0];
      return signalPassFailure();
    }
    BatchChange changes(ids.getDimSize(0), batch);
    for (Value argument : loss.getArguments())
      (void)changes.change(argument); // one that does not begin with the batch stays
    for (Operation &op : loss.getBody().front())
      if (failed(changes.visit(&op)))
        return signalPassFailure();
    Operation *terminator = loss.getBody().front().getTerminator();
    loss.setType(FunctionType::get(&getContext(), loss.getBody().getArgumentTypes(),
                                   terminator->getOperandTypes()));
  }
};
} // namespace
