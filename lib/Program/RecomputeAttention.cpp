//===- RecomputeAttention.cpp - Operands made again for the backward pass -===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseValues.h"
#include "Views.h"
#include "mlir/IR/Remarks.h"
#include "vernier/Program/Passes.h"
#include "vernier/Program/Program.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace vernier::program {
#define GEN_PASS_DEF_RECOMPUTEATTENTION
#include "vernier/Program/Passes.h.inc"
} // namespace vernier::program

namespace {

/// Makes an operand of one operation again, right before it.
class Remaking {
public:
  explicit Remaking(Operation *reader) : reader(reader) {}

  /// Collects the kernels and views that make `value` of what is kept until after
  /// `reader`, producers first. False if something is not kept.
  bool collect(Value value) {
    if (isKept(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || steps.contains(op) || op->getNumResults() != 1)
      return op && steps.contains(op);
    if (auto rows = dyn_cast<RowsOp>(op)) {
      for (auto [index, input] : llvm::enumerate(rows.getInputs()))
        if (isRowForRow(rows, index) && !collect(input))
          return false;
    } else if (!isView(op) || !collect(op->getOperand(0))) {
      return false;
    }
    steps.insert(op);
    return true;
  }

  bool hasKernels() const {
    return llvm::any_of(steps, [](Operation *op) { return isa<RowsOp>(op); });
  }

  Value build(Value value) {
    OpBuilder builder(reader);
    IRMapping mapping;
    for (Operation *op : steps)
      builder.clone(*op, mapping);
    return mapping.lookup(value);
  }

private:
  // Whether something reads the buffer after `reader`, other than what is remade.
  bool isKept(Value value) {
    Value buffer = stripViews(value);
    return isa<BlockArgument>(buffer) || llvm::any_of(getReads(buffer), [&](OpOperand *read) {
             return reader->isBeforeInBlock(read->getOwner());
           });
  }

  // All else, vectors and tables, is small and can be kept.
  static bool isRowForRow(RowsOp rows, unsigned input) {
    return cast<AffineMapAttr>(rows.getMaps()[input]).getValue().isIdentity();
  }

  Operation *reader;
  llvm::SetVector<Operation *> steps;
};

struct RecomputeAttention : public program::impl::RecomputeAttentionBase<RecomputeAttention> {
  void runOnOperation() override {
    SmallVector<AttentionGradOp> gradients;
    getOperation().walk([&](AttentionGradOp op) { gradients.push_back(op); });
    for (AttentionGradOp op : gradients)
      for (OpOperand *operand : {&op.getQueryMutable(), &op.getKeyMutable(), &op.getValueMutable()})
        remake(op, *operand);
  }

private:
  void remake(AttentionGradOp op, OpOperand &operand) {
    bool isReadBefore = llvm::any_of(getReads(stripViews(operand.get())), [&](OpOperand *read) {
      return read->getOwner()->isBeforeInBlock(op);
    });
    Remaking remaking(op);
    if (!isReadBefore || !remaking.collect(operand.get()) || !remaking.hasKernels())
      return;
    operand.set(remaking.build(operand.get()));
    ++numRemade;
    remark::passed(op.getLoc(),
                   remark::RemarkOpts::name("recomputed").category("vernier-recompute-attention"))
        << remark::add("makes operand {0} again", operand.getOperandNumber());
  }
};

} // namespace
