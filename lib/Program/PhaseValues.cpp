//===- PhaseValues.cpp - Which values of a phase share a buffer --------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseValues.h"
#include "Views.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

static constexpr llvm::StringLiteral kSlotAttr = "vernier.slot";

SlotAttr program::getArgumentSlot(func::FuncOp phase, unsigned index) {
  return phase.getArgAttrOfType<SlotAttr>(index, kSlotAttr);
}

SlotAttr program::getResultSlot(func::FuncOp phase, unsigned index) {
  return phase.getResultAttrOfType<SlotAttr>(index, kSlotAttr);
}

bool program::isState(SlotAttr slot) { return slot && slot.getRole() <= SlotRole::Prepared; }

bool program::isPhase(func::FuncOp function) {
  if (function.isExternal())
    return false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (getArgumentSlot(function, i))
      return true;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (getResultSlot(function, i))
      return true;
  return false;
}

OpOperand *program::getOverwritten(Operation *op) {
  if (auto product = dyn_cast<ProductOp>(op))
    return product.getInit() ? &op->getOpOperand(2) : nullptr;
  if (isa<EmbeddingGradOp>(op))
    return &op->getOpOperand(2);
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom(op, launch.getKernelAttr());
    if (isa_and_nonnull<ScatterAddKernelOp>(kernel))
      return &op->getOpOperand(2);
  }
  return nullptr;
}

Value program::getFirstInPlace(Value value) {
  value = stripViews(value);
  while (Operation *op = value.getDefiningOp()) {
    OpOperand *overwritten = getOverwritten(op);
    if (!overwritten)
      return value;
    value = stripViews(overwritten->get());
  }
  return value;
}

SmallVector<OpOperand *> program::getReads(Value value) {
  SmallVector<OpOperand *> reads;
  SmallVector<Value> seen{value};
  for (unsigned i = 0; i < seen.size(); ++i)
    for (OpOperand &use : seen[i].getUses()) {
      if (isView(use.getOwner()))
        seen.push_back(use.getOwner()->getResult(0));
      else
        reads.push_back(&use);
    }
  return reads;
}
