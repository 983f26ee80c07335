//===- ParameterValues.cpp - How values follow rewrites ---------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Scale/ParameterValues.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace vernier;

static constexpr StringLiteral slotName = "vernier.slot";

ParameterValues::ParameterValues(ModuleOp module)
    : builder(module.getContext()),
      function(module.lookupSymbol<func::FuncOp>(valuesFunctionName)) {
  if (!function) {
    builder.setInsertionPointToEnd(module.getBody());
    function = func::FuncOp::create(builder, module.getLoc(), valuesFunctionName,
                                    builder.getFunctionType({}, {}));
    function.setPrivate();
    builder.setInsertionPointToStart(function.addEntryBlock());
    func::ReturnOp::create(builder, module.getLoc());
  }
  builder.setInsertionPoint(getReturn());
}

ParameterValues::~ParameterValues() {
  if (function.getNumResults() == 0)
    function.erase();
}

Operation *ParameterValues::getReturn() { return function.getBody().front().getTerminator(); }

SlotAttr ParameterValues::slotOf(StringRef param) {
  return SlotAttr::get(builder.getContext(), SlotRole::Param, builder.getStringAttr(param));
}

std::optional<unsigned> ParameterValues::findResult(StringRef param) {
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (function.getResultAttr(i, slotName) == slotOf(param))
      return i;
  return std::nullopt;
}

Value ParameterValues::get(ParamOp param) {
  StringRef name = param.getSymName();
  if (std::optional<unsigned> result = findResult(name))
    return getReturn()->getOperand(*result);
  SlotAttr slot = slotOf(name);
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, slotName) == slot)
      return function.getArgument(i);
  unsigned number = function.getNumArguments();
  auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(slotName, slot));
  (void)function.insertArgument(number, param.getTensorType(), attributes, param.getLoc());
  return function.getArgument(number);
}

void ParameterValues::set(ParamOp param, Value value) {
  if (std::optional<unsigned> result = findResult(param.getSymName()))
    return getReturn()->setOperand(*result, value);
  unsigned number = function.getNumResults();
  getReturn()->insertOperands(number, value);
  auto slot = builder.getNamedAttr(slotName, slotOf(param.getSymName()));
  (void)function.insertResult(number, value.getType(), builder.getDictionaryAttr(slot));
}

void ParameterValues::drop(StringRef param) {
  std::optional<unsigned> result = findResult(param);
  if (!result)
    return;
  getReturn()->eraseOperand(*result);
  (void)function.eraseResult(*result);
}
