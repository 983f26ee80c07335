//===- MapParameters.cpp - Values for a rewritten graph -------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Reference/MapParameters.h"
#include "vernier/Reference/Evaluator.h"
#include "vernier/Scale/ParameterValues.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace vernier;
using namespace vernier::reference;

using Values = llvm::StringMap<Tensor>;

/// What a state function takes, and what it returns, by role.
using Before = std::map<SlotRole, const Values *>;
using After = std::map<SlotRole, Values>;

static constexpr StringRef slotName = "vernier.slot";

static SlotAttr slotOf(func::FuncOp function, unsigned argument) {
  return function.getArgAttrOfType<SlotAttr>(argument, slotName);
}

static FailureOr<std::vector<Tensor>> collectArguments(func::FuncOp function, const Before &state) {
  std::vector<Tensor> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    SlotAttr slot = slotOf(function, i);
    if (!slot || !slot.getName())
      return function.emitError() << "argument " << i << " has no slot with a name";
    auto values = state.find(slot.getRole());
    if (values == state.end() || !values->second->contains(slot.getName().getValue()))
      return function.emitError() << "there is no " << stringifySlotRole(slot.getRole())
                                  << " for parameter " << slot.getName();
    arguments.push_back(values->second->lookup(slot.getName().getValue()));
  }
  return arguments;
}

/// The results of a state function, by role and name.
static FailureOr<After> callStateFunction(ModuleOp module, func::FuncOp function,
                                          const Before &before) {
  auto arguments = collectArguments(function, before);
  if (failed(arguments))
    return failure();
  Values none;
  auto results = Evaluator(module, none, Precision::Exact).call(function.getSymName(), *arguments);
  if (failed(results))
    return failure();
  After after;
  for (auto [number, result] : llvm::enumerate(*results)) {
    auto slot = function.getResultAttrOfType<SlotAttr>(number, slotName);
    after[slot.getRole()][slot.getName().getValue()] = std::move(result);
  }
  return after;
}

//===----------------------------------------------------------------------===//
// Vectors that a form declines
//===----------------------------------------------------------------------===//

/// The parameters that a value is computed from.
static std::string listSources(func::FuncOp function, Value value) {
  llvm::SetVector<StringAttr> names;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next))
      names.insert(slotOf(function, argument.getArgNumber()).getName());
    else
      llvm::append_range(worklist, next.getDefiningOp()->getOperands());
  }
  return llvm::join(llvm::map_range(names, [](StringAttr name) { return "'" + name.str() + "'"; }),
                    ", ");
}

static LogicalResult checkForm(func::FuncOp function, ScaleToDirectionOp op, const Tensor &vector) {
  bool isExponential = op.getForm() == ScaleForm::Exponential;
  if (!isExponential && llvm::all_of(vector.data, [](double entry) { return entry == 0; }))
    return function.emitError() << "the scale vector of " << listSources(function, op.getScale())
                                << " is zero, which has no direction";
  for (auto [number, entry] : llvm::enumerate(vector.data))
    if (isExponential && !(entry > 0))
      return function.emitError() << "entry " << number << " of the scale vector of "
                                  << listSources(function, op.getScale()) << " is " << entry
                                  << "; the exponential form has positive ones only (the "
                                     "original form takes any vector but zero)";
  return success();
}

/// Runs the function as far as it makes directions of vectors, so that those
/// without one are named as they were before.
static LogicalResult checkForms(ModuleOp module, func::FuncOp function, const Before &before) {
  OwningOpRef<func::FuncOp> copy = function.clone();
  SmallVector<ScaleToDirectionOp> ops;
  copy->walk([&](ScaleToDirectionOp op) { ops.push_back(op); });
  if (ops.empty())
    return success();
  Block &block = copy->getBody().front();
  SmallVector<Value> vectors;
  for (ScaleToDirectionOp op : ops)
    vectors.push_back(op.getScale());
  block.getTerminator()->setOperands(vectors);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op) && !isa<ScaleToDirectionOp>(op))
      op.erase();
  auto arguments = collectArguments(function, before);
  if (failed(arguments))
    return failure();
  Values none;
  auto results = Evaluator(module, none, Precision::Exact).run(block, *arguments);
  if (failed(results))
    return failure();
  for (auto [op, vector] : llvm::zip_equal(ops, *results))
    if (failed(checkForm(*copy, op, vector)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static LogicalResult checkValue(ParamOp param, const Tensor &value) {
  ArrayRef<int64_t> shape = param.getTensorType().getShape();
  if (shape != ArrayRef<int64_t>(value.shape))
    return param.emitOpError() << "'" << param.getSymName() << "' has type "
                               << param.getTensorType() << ", but is given a value of "
                               << value.size() << " entries in another shape";
  for (auto [number, entry] : llvm::enumerate(value.data))
    if (!std::isfinite(entry))
      return param.emitOpError() << "entry " << number << " of '" << param.getSymName()
                                 << "' would be " << entry;
  return success();
}

FailureOr<Values> vernier::reference::mapParameters(ModuleOp module, const Values &before) {
  Before state{{SlotRole::Param, &before}};
  After computed;
  if (auto function = module.lookupSymbol<func::FuncOp>(valuesFunctionName)) {
    if (failed(checkForms(module, function, state)))
      return failure();
    auto results = callStateFunction(module, function, state);
    if (failed(results))
      return failure();
    computed = std::move(*results);
  }
  Values after;
  for (auto param : module.getOps<ParamOp>()) {
    StringRef name = param.getSymName();
    const Values &from =
        computed[SlotRole::Param].contains(name) ? computed[SlotRole::Param] : before;
    auto value = from.find(name);
    if (value == from.end())
      return param.emitOpError() << "there is no value for parameter '" << name << "'";
    if (failed(checkValue(param, value->second)))
      return failure();
    after[name] = value->second;
  }
  return after;
}

//===----------------------------------------------------------------------===//
// Moments
//===----------------------------------------------------------------------===//

/// The parameters that the rewrites have given a value.
static llvm::StringSet<> findChanged(ModuleOp module) {
  llvm::StringSet<> changed;
  if (auto function = module.lookupSymbol<func::FuncOp>(valuesFunctionName))
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      changed.insert(function.getResultAttrOfType<SlotAttr>(i, slotName).getName().getValue());
  return changed;
}

FailureOr<Moments> vernier::reference::mapMoments(ModuleOp module, const Values &params,
                                                  const Moments &before) {
  Before state{{SlotRole::Param, &params},
               {SlotRole::FirstMoment, &before.first},
               {SlotRole::SecondMoment, &before.second},
               {SlotRole::Steps, &before.steps}};
  After computed;
  if (auto function = module.lookupSymbol<func::FuncOp>(momentsFunctionName)) {
    auto results = callStateFunction(module, function, state);
    if (failed(results))
      return failure();
    computed = std::move(*results);
  }
  llvm::StringSet<> changed = findChanged(module);
  Moments after;
  for (auto [role, to] :
       {std::pair(SlotRole::FirstMoment, &after.first),
        std::pair(SlotRole::SecondMoment, &after.second), std::pair(SlotRole::Steps, &after.steps)})
    for (auto param : module.getOps<ParamOp>()) {
      StringRef name = param.getSymName();
      ArrayRef<int64_t> shape = param.getTensorType().getShape();
      if (computed[role].contains(name))
        (*to)[name] = computed[role][name];
      else if (changed.contains(name))
        (*to)[name] = role == SlotRole::Steps ? Tensor({}, {0}) : Tensor(shape.vec());
      else if (state[role]->contains(name))
        (*to)[name] = state[role]->lookup(name);
      else
        return param.emitOpError()
               << "there is no " << stringifySlotRole(role) << " for parameter '" << name << "'";
    }
  return after;
}
