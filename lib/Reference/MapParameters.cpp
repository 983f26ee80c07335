//===- MapParameters.cpp - Values for a rewritten graph -------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Reference/MapParameters.h"
#include "vernier/Reference/Evaluator.h"
#include "vernier/Scale/ParameterValues.h"
#include <cmath>

using namespace mlir;
using namespace vernier;
using namespace vernier::reference;

/// The name in an argument's or result's slot; empty if it has none.
static StringRef nameOf(Attribute attribute) {
  auto slot = dyn_cast_if_present<SlotAttr>(attribute);
  return slot && slot.getName() ? slot.getName().getValue() : StringRef();
}

static FailureOr<std::vector<Tensor>> collectArguments(func::FuncOp function,
                                                       const llvm::StringMap<Tensor> &before) {
  std::vector<Tensor> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    StringRef name = nameOf(function.getArgAttr(i, "vernier.slot"));
    auto value = before.find(name);
    if (value == before.end())
      return function.emitError() << "there is no value for parameter '" << name << "'";
    arguments.push_back(value->second);
  }
  return arguments;
}

static LogicalResult checkValue(ParamOp param, const Tensor &value) {
  ArrayRef<int64_t> shape = param.getTensorType().getShape();
  if (shape != ArrayRef<int64_t>(value.shape))
    return param.emitOpError() << "'" << param.getSymName() << "' has type "
                               << param.getTensorType() << ", but is given a value of "
                               << value.size() << " entries in another shape";
  for (double entry : value.data)
    if (!std::isfinite(entry))
      return param.emitOpError() << "'" << param.getSymName() << "' would get the value " << entry
                                 << ": its form has no number for the value that it replaces";
  return success();
}

FailureOr<llvm::StringMap<Tensor>>
vernier::reference::mapParameters(ModuleOp module, const llvm::StringMap<Tensor> &before) {
  llvm::StringMap<Tensor> computed, after;
  if (auto function = module.lookupSymbol<func::FuncOp>(valuesFunctionName)) {
    auto arguments = collectArguments(function, before);
    if (failed(arguments))
      return failure();
    Evaluator evaluator(module, before, Precision::Exact);
    auto results = evaluator.call(valuesFunctionName, *arguments);
    if (failed(results))
      return failure();
    for (auto [number, result] : llvm::enumerate(*results))
      computed[nameOf(function.getResultAttr(number, "vernier.slot"))] = std::move(result);
  }
  for (auto param : module.getOps<ParamOp>()) {
    StringRef name = param.getSymName();
    const llvm::StringMap<Tensor> &from = computed.contains(name) ? computed : before;
    auto value = from.find(name);
    if (value == from.end())
      return param.emitOpError() << "there is no value for parameter '" << name << "'";
    if (failed(checkValue(param, value->second)))
      return failure();
    after[name] = value->second;
  }
  return after;
}
