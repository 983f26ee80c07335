//===- GuardState.cpp - Copies where nothing may be overwritten --------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseValues.h"
#include "RowsBuilder.h"
#include "Views.h"
#include "mlir/IR/Remarks.h"
#include "vernier/Program/Passes.h"
#include "vernier/Program/Reuse.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace vernier::program {
#define GEN_PASS_DEF_GUARDSTATE
#include "vernier/Program/Passes.h.inc"
} // namespace vernier::program

namespace {

class Guard {
public:
  explicit Guard(func::FuncOp phase)
      : phase(phase), end(phase.getBody().front().getTerminator()), rewriter(phase.getContext()) {
    for (unsigned i = 0; i < phase.getNumArguments(); ++i)
      if (SlotAttr slot = getArgumentSlot(phase, i); isState(slot))
        before[slot] = phase.getArgument(i);
  }

  void run() {
    for (Operation &op : llvm::make_early_inc_range(phase.getBody().front()))
      if (OpOperand *overwritten = getOverwritten(&op))
        if (!mayOverwrite(*overwritten))
          copy(*overwritten, &op);
    // What lies in a state's place and is returned under another name is read
    // before anything overwrites it.
    for (OpOperand &result : end->getOpOperands())
      if (returnsFromStatesPlace(result))
        copy(result, end);
    for (OpOperand &result : end->getOpOperands())
      if (SlotAttr slot = getResultSlot(phase, result.getOperandNumber()); isState(slot))
        if (!placed.insert(stripViews(result.get())).second || !mayLieIn(slot, result.get()))
          copy(result, end);
  }

private:
  // Whether a result lies where a state lies and has to leave: to a state of
  // another name, or because that state gets another value.
  bool returnsFromStatesPlace(OpOperand &result) {
    auto argument = dyn_cast<BlockArgument>(getFirstInPlace(result.get()));
    if (!argument)
      return false;
    SlotAttr from = getArgumentSlot(phase, argument.getArgNumber());
    SlotAttr to = getResultSlot(phase, result.getOperandNumber());
    if (isState(to))
      return from != to;
    return isState(from) && llvm::any_of(end->getOpOperands(), [&](OpOperand &other) {
             return getResultSlot(phase, other.getOperandNumber()) == from &&
                    stripViews(other.get()) != stripViews(result.get());
           });
  }

  // Whether the op that overwrites an operand is its last reader, and what it
  // overwrites is no state of which the op's result is not the next value.
  bool mayOverwrite(OpOperand &operand) {
    Value value = stripViews(operand.get());
    for (OpOperand *read : getReads(value))
      if (read != &operand && (read->getOwner() == operand.getOwner() ||
                               !read->getOwner()->isBeforeInBlock(operand.getOwner())))
        return false;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      SlotAttr slot = getArgumentSlot(phase, argument.getArgNumber());
      return !isState(slot) || becomes(argument, slot);
    }
    return !isa<RopeTableOp>(value.getDefiningOp());
  }

  // Whether the result with the slot of an argument is made in its place.
  bool becomes(BlockArgument argument, SlotAttr slot) {
    for (OpOperand &result : end->getOpOperands())
      if (getResultSlot(phase, result.getOperandNumber()) == slot)
        return getFirstInPlace(result.get()) == argument;
    return false;
  }

  // Whether a state's next value can be made where the old one lies.
  bool mayLieIn(SlotAttr slot, Value value) {
    Value old = before.lookup(slot), first = getFirstInPlace(value);
    if (old == first)
      return true;
    Operation *maker = first.getDefiningOp();
    if (!maker || isa<RopeTableOp>(maker)) // it lies where an argument or a table does
      return false;
    if (!old)
      return true;
    unsigned result = cast<OpResult>(first).getResultNumber();
    SmallVector<Value> inPlace{old}; // and what overwrites it
    for (unsigned i = 0; i < inPlace.size(); ++i)
      for (OpOperand *read : getReads(inPlace[i])) {
        Operation *reader = read->getOwner();
        bool isBefore = reader == maker ? isa<RowsOp>(maker) &&
                                              mayReuse(maker, read->getOperandNumber(), result)
                                        : reader->isBeforeInBlock(maker);
        if (!isBefore)
          return false;
        if (getOverwritten(reader) == read)
          inPlace.push_back(reader->getResult(0));
      }
    return true;
  }

  void copy(OpOperand &operand, Operation *reader) {
    remark::missed(operand.get().getLoc(),
                   remark::RemarkOpts::name("copied").category("vernier-guard-state"))
        << remark::reason("a copy of {0}, which must not be overwritten yet",
                          operand.get().getType());
    rewriter.setInsertionPoint(reader);
    Value value = operand.get();
    RowsBuilder rows(rewriter, value.getLoc(), getRowSpace(value.getType()), "copy");
    bool isNumber = cast<RankedTensorType>(value.getType()).getRank() == 0;
    rows.store(rows.read(value, isNumber ? rows.same() : rows.identity()), value.getType());
    operand.set(rows.finish()->getResult(0));
  }

  func::FuncOp phase;
  Operation *end;
  PatternRewriter rewriter;
  llvm::DenseMap<SlotAttr, Value> before; ///< states as they are when the phase begins
  llvm::DenseSet<Value> placed;           ///< results that have a state's place
};

struct GuardState : public program::impl::GuardStateBase<GuardState> {
  void runOnOperation() override {
    if (isPhase(getOperation()))
      Guard(getOperation()).run();
  }
};

} // namespace
