//===- StateFunction.cpp - How state follows rewrites -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Scale/StateFunction.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace vernier;

static constexpr StringRef slotName = "vernier.slot";

StateFunction::StateFunction(ModuleOp module, StringRef name)
    : builder(module.getContext()), function(module.lookupSymbol<func::FuncOp>(name)) {
  if (!function) {
    builder.setInsertionPointToEnd(module.getBody());
    function =
        func::FuncOp::create(builder, module.getLoc(), name, builder.getFunctionType({}, {}));
    function.setPrivate();
    builder.setInsertionPointToStart(function.addEntryBlock());
    func::ReturnOp::create(builder, module.getLoc());
  }
  builder.setInsertionPoint(getReturn());
}

/// What a later rewrite made useless goes, too.
StateFunction::~StateFunction() {
  if (function.getNumResults() == 0) {
    function.erase();
    return;
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

SlotAttr StateFunction::slotOf(SlotRole role, StringRef param) {
  return SlotAttr::get(builder.getContext(), role, builder.getStringAttr(param));
}

SlotAttr StateFunction::getSlot(BlockArgument argument) {
  return function.getArgAttrOfType<SlotAttr>(argument.getArgNumber(), slotName);
}

std::optional<unsigned> StateFunction::findNumber(SlotAttr slot) {
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (function.getResultAttr(i, slotName) == slot)
      return i;
  return std::nullopt;
}

Value StateFunction::getArgument(SlotAttr slot, Type type, Location loc) {
  for (BlockArgument argument : function.getArguments())
    if (getSlot(argument) == slot)
      return argument;
  unsigned number = function.getNumArguments();
  auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(slotName, slot));
  (void)function.insertArgument(number, type, attributes, loc);
  return function.getArgument(number);
}

Value StateFunction::findResult(SlotAttr slot) {
  std::optional<unsigned> number = findNumber(slot);
  return number ? getReturn()->getOperand(*number) : Value();
}

void StateFunction::setResult(SlotAttr slot, Value value) {
  if (std::optional<unsigned> number = findNumber(slot))
    return getReturn()->setOperand(*number, value);
  unsigned number = function.getNumResults();
  getReturn()->insertOperands(number, value);
  auto attribute = builder.getNamedAttr(slotName, slot);
  (void)function.insertResult(number, value.getType(), builder.getDictionaryAttr(attribute));
}

void StateFunction::dropResult(SlotAttr slot) {
  std::optional<unsigned> number = findNumber(slot);
  if (!number)
    return;
  getReturn()->eraseOperand(*number);
  (void)function.eraseResult(*number);
}
