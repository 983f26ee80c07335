//===- SharedPlaces.cpp - States that lie in one place ---------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedPlaces.h"
#include "Views.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace {

/// A phase's arguments and results by slot.
struct PhaseStates {
  explicit PhaseStates(func::FuncOp phase) {
    for (BlockArgument argument : phase.getArguments())
      arguments[getArgumentSlot(phase, argument.getArgNumber())] = argument;
    for (OpOperand &result : phase.getBody().front().getTerminator()->getOpOperands())
      results[getResultSlot(phase, result.getOperandNumber())] = result.get();
  }

  llvm::DenseMap<SlotAttr, Value> arguments, results;
};

} // namespace

bool program::mayShare(SlotAttr a, SlotAttr b) {
  if (a.getRole() == SlotRole::Gradient)
    std::swap(a, b);
  return a.getRole() == SlotRole::Prepared && b.getRole() == SlotRole::Gradient &&
         a.getName() == b.getName();
}

/// The last operation that reads a value; null if none does.
static Operation *findLastReader(Value value) {
  Operation *last = nullptr;
  for (OpOperand *read : getReads(value))
    if (!last || last->isBeforeInBlock(read->getOwner()))
      last = read->getOwner();
  return last;
}

/// Whether an operation may stand behind a later one: nothing reads its result
/// before, and nothing overwrites what it reads.
static bool mayMoveBehind(Operation *op, Operation *later) {
  for (Value result : op->getResults())
    for (OpOperand *read : getReads(result))
      if (!later->isBeforeInBlock(read->getOwner()))
        return false;
  for (Operation *next = op->getNextNode(); next != later->getNextNode();
       next = next->getNextNode())
    if (OpOperand *overwritten = getOverwritten(next))
      for (Value operand : op->getOperands())
        if (getFirstInPlace(operand) == getFirstInPlace(overwritten->get()))
          return false;
  return true;
}

/// Sees to it that a phase makes a gradient after it has read the value. False if
/// that is not possible.
static bool makeAfterReads(Value value, Value gradient) {
  Operation *maker = getFirstInPlace(gradient).getDefiningOp();
  Operation *reader = findLastReader(value);
  if (!maker || reader == maker || isa_and_nonnull<func::ReturnOp>(reader))
    return false;
  if (!reader || reader->isBeforeInBlock(maker))
    return true;
  if (!mayMoveBehind(maker, reader))
    return false;
  // Views of the result stay in front of their readers.
  SmallVector<Operation *> moved{maker};
  for (unsigned i = 0; i < moved.size(); ++i)
    for (Operation *user : moved[i]->getUsers())
      if (isView(user) && user->isBeforeInBlock(reader))
        moved.push_back(user);
  for (Operation *op : llvm::reverse(moved))
    op->moveAfter(reader);
  return true;
}

/// Whether a phase lets a gradient be made where its value lies.
static bool allows(const PhaseStates &phase, SlotAttr prepared, SlotAttr gradient) {
  Value value = phase.arguments.lookup(prepared);
  Value made = phase.results.lookup(gradient);
  bool takesGradient = phase.arguments.contains(gradient);
  bool givesValue = phase.results.contains(prepared);
  if ((value && takesGradient) || (givesValue && (made || takesGradient)))
    return false;
  return !value || !made || (value.getType() == made.getType() && makeAfterReads(value, made));
}

llvm::DenseMap<SlotAttr, SlotAttr> program::findSharedPlaces(ModuleOp module) {
  SmallVector<PhaseStates> phases;
  llvm::SetVector<SlotAttr> prepared;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isPhase(function))
      continue;
    PhaseStates &phase = phases.emplace_back(function);
    for (auto &states : {phase.arguments, phase.results})
      for (auto [slot, value] : states)
        if (slot && slot.getRole() == SlotRole::Prepared)
          prepared.insert(slot);
  }
  llvm::DenseMap<SlotAttr, SlotAttr> shared;
  for (SlotAttr slot : prepared) {
    auto gradient = SlotAttr::get(module.getContext(), SlotRole::Gradient, slot.getName());
    if (llvm::all_of(phases,
                     [&](const PhaseStates &phase) { return allows(phase, slot, gradient); }))
      shared[slot] = gradient;
  }
  return shared;
}
