//===- Phases.cpp - Functions whose arguments and results have slots ------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Training/Phases.h"

using namespace mlir;
using namespace vernier;

SlotAttr vernier::getArgumentSlot(func::FuncOp function, unsigned index) {
  return function.getArgAttrOfType<SlotAttr>(index, slotAttrName);
}

SlotAttr vernier::getResultSlot(func::FuncOp function, unsigned index) {
  return function.getResultAttrOfType<SlotAttr>(index, slotAttrName);
}

void vernier::eraseUnusedOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

FailureOr<func::FuncOp> vernier::findPhase(ModuleOp module, StringRef name, StringRef pass) {
  if (auto function = module.lookupSymbol<func::FuncOp>(name))
    return function;
  return emitError(module.getLoc())
         << "the module has no function '" << name << "', which '" << pass << "' makes";
}

PhaseBuilder::PhaseBuilder(ModuleOp module, StringRef name, Location loc)
    : builder(module.getContext()) {
  builder.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(builder, loc, name, builder.getFunctionType({}, {}));
  block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
}

SlotAttr PhaseBuilder::getSlot(SlotRole role, StringRef name) const {
  MLIRContext *context = builder.getContext();
  return SlotAttr::get(context, role, name.empty() ? StringAttr() : StringAttr::get(context, name));
}

Value PhaseBuilder::addArgument(Type type, SlotAttr slot, Location loc) {
  Value argument = block->addArgument(type, loc);
  argumentSlots.push_back(slot);
  arguments[slot] = argument;
  return argument;
}

Value PhaseBuilder::addArgument(Type type, SlotRole role, StringRef name, Location loc) {
  return addArgument(type, getSlot(role, name), loc);
}

void PhaseBuilder::addResult(Value value, SlotAttr slot) {
  results.push_back(value);
  resultSlots.push_back(slot);
}

void PhaseBuilder::addResult(Value value, SlotRole role, StringRef name) {
  addResult(value, getSlot(role, name));
}

void PhaseBuilder::addArgumentsOf(func::FuncOp source, ArrayRef<SlotRole> without) {
  for (BlockArgument argument : source.getArguments()) {
    SlotAttr slot = getArgumentSlot(source, argument.getArgNumber());
    if (!llvm::is_contained(without, slot.getRole()))
      addArgument(argument.getType(), slot, argument.getLoc());
  }
}

SmallVector<Operation *> PhaseBuilder::cloneBodyOf(func::FuncOp source) {
  for (BlockArgument argument : source.getArguments())
    if (Value here = getArgument(getArgumentSlot(source, argument.getArgNumber())))
      mapping.map(argument, here);
  SmallVector<Operation *> cloned;
  for (Operation &op : source.getBody().front().without_terminator())
    cloned.push_back(builder.clone(op, mapping));
  return cloned;
}

// All at once: setting one after the other takes time quadratic in their number.
static SmallVector<DictionaryAttr> toDictionaries(OpBuilder &builder, ArrayRef<SlotAttr> slots) {
  return llvm::map_to_vector(slots, [&](SlotAttr slot) {
    return builder.getDictionaryAttr(builder.getNamedAttr(slotAttrName, slot));
  });
}

void PhaseBuilder::finish() {
  func::ReturnOp::create(builder, function.getLoc(), results);
  function.setType(
      builder.getFunctionType(block->getArgumentTypes(), ValueRange(results).getTypes()));
  function.setAllArgAttrs(toDictionaries(builder, argumentSlots));
  function.setAllResultAttrs(toDictionaries(builder, resultSlots));
  eraseUnusedOps(*block);
}
