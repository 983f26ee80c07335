//===- ParameterValues.cpp - How values follow rewrites ---------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Scale/ParameterValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace vernier;

void vernier::dropStateFunctions(ModuleOp module) {
  for (StringRef name : {valuesFunctionName, momentsFunctionName})
    if (auto function = module.lookupSymbol<func::FuncOp>(name))
      function.erase();
}

ParameterValues::ParameterValues(ModuleOp module)
    : values(module, valuesFunctionName), moments(module, momentsFunctionName) {}

Value ParameterValues::get(ParamOp param) {
  SlotAttr slot = values.slotOf(SlotRole::Param, param.getSymName());
  if (Value result = values.findResult(slot))
    return result;
  return values.getArgument(slot, param.getTensorType(), param.getLoc());
}

void ParameterValues::set(ParamOp param, Value value) {
  values.setResult(values.slotOf(SlotRole::Param, param.getSymName()), value);
  dropMoments(param.getSymName());
}

void ParameterValues::drop(StringRef param) {
  values.dropResult(values.slotOf(SlotRole::Param, param));
  dropMoments(param);
}

void ParameterValues::dropMoments(StringRef param) {
  for (SlotRole role : {SlotRole::FirstMoment, SlotRole::SecondMoment, SlotRole::Steps})
    moments.dropResult(moments.slotOf(role, param));
}

//===----------------------------------------------------------------------===//
// Moments
//===----------------------------------------------------------------------===//

ParameterMoments ParameterValues::makeZeros(ParamOp param) {
  OpBuilder &b = moments.getBuilder();
  auto zero = [&](RankedTensorType type) {
    return arith::ConstantOp::create(b, getLoc(), b.getZeroAttr(type)).getResult();
  };
  Value entries = zero(param.getTensorType());
  return {entries, entries, zero(RankedTensorType::get({}, b.getI64Type()))};
}

ParameterMoments ParameterValues::getMoments(ParamOp param) {
  StringRef name = param.getSymName();
  SlotAttr first = moments.slotOf(SlotRole::FirstMoment, name),
           second = moments.slotOf(SlotRole::SecondMoment, name),
           steps = moments.slotOf(SlotRole::Steps, name);
  if (Value result = moments.findResult(first))
    return {result, moments.findResult(second), moments.findResult(steps)};
  if (values.findResult(values.slotOf(SlotRole::Param, name)))
    return makeZeros(param);
  RankedTensorType type = param.getTensorType();
  auto count = RankedTensorType::get({}, moments.getBuilder().getI64Type());
  Location loc = param.getLoc();
  return {moments.getArgument(first, type, loc), moments.getArgument(second, type, loc),
          moments.getArgument(steps, count, loc)};
}

void ParameterValues::setMoments(ParamOp param, const ParameterMoments &state) {
  StringRef name = param.getSymName();
  moments.setResult(moments.slotOf(SlotRole::FirstMoment, name), state.first);
  moments.setResult(moments.slotOf(SlotRole::SecondMoment, name), state.second);
  moments.setResult(moments.slotOf(SlotRole::Steps, name), state.steps);
}

ParameterMoments ParameterValues::takeShare(const ParameterMoments &state, int64_t share,
                                            int64_t of) {
  OpBuilder &b = moments.getBuilder();
  // Two operations: a quotient such as 1/3 would be rounded to f32.
  auto times = [&](Value value, int64_t factor, int64_t divisor) {
    auto type = cast<RankedTensorType>(value.getType());
    auto fill = [&](int64_t number) {
      auto entries = DenseElementsAttr::get(type, static_cast<float>(number));
      return arith::ConstantOp::create(b, getLoc(), entries);
    };
    if (factor != 1)
      value = arith::MulFOp::create(b, getLoc(), value, fill(factor));
    return arith::DivFOp::create(b, getLoc(), value, fill(divisor)).getResult();
  };
  return {times(state.first, share, of), times(state.second, share * share, of * of), state.steps};
}

Value ParameterValues::inMoments(Value value) {
  if (Value copy = copied.lookupOrNull(value))
    return copy;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Value same = moments.getArgument(values.getSlot(argument), value.getType(), value.getLoc());
    copied.map(value, same);
    return same;
  }
  for (Value operand : value.getDefiningOp()->getOperands())
    inMoments(operand);
  moments.getBuilder().clone(*value.getDefiningOp(), copied);
  return copied.lookup(value);
}
