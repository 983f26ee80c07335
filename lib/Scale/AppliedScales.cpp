//===- AppliedScales.cpp - The scale vectors that a graph applies -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Scale/AppliedScales.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace vernier;

/// Whether two vectors are the same computation of the same parameters.
static bool isSame(const ScaleVector &a, const ScaleVector &b) {
  llvm::DenseMap<Value, Value> counterparts;
  return llvm::equal(a.getOps(), b.getOps(), [&](Operation *x, Operation *y) {
    return OperationEquivalence::isEquivalentTo(
        x, y, [&](Value v, Value w) { return success(counterparts.lookup(v) == w); },
        [&](Value v, Value w) { counterparts[v] = w; }, OperationEquivalence::IgnoreLocations);
  });
}

/// Adds a word to a list of words, "a, b", unless it is there.
static void addWord(std::string &list, StringRef word) {
  SmallVector<StringRef> words;
  StringRef(list).split(words, ", ");
  if (!llvm::is_contained(words, word))
    list += (list.empty() ? "" : ", ") + word.str();
}

static void addPlace(AppliedScale &applied, const ScalePlace &place, const RoleAnalysis &roles) {
  addWord(applied.site, place.site);
  for (LinearOp branch : place.branches)
    addWord(applied.branches, stringify(roles.getLinear(branch).role));
  if (applied.layer != place.layer)
    applied.layer.reset();
}

/// What all names begin with; the first one, if that is nothing.
static std::string findLabel(ArrayRef<StringRef> names) {
  StringRef label = names.front();
  for (StringRef name : names)
    while (!name.starts_with(label))
      label = label.drop_back();
  label = label.rtrim(".");
  return (label.empty() ? names.front() : label).str();
}

static AppliedScale describe(ScaleOp scale, const ScaleVector &vector, const ScalePlace &place,
                             ModuleOp module) {
  AppliedScale applied;
  applied.vector = vector;
  applied.value = scale.getScale();
  applied.offset = scale.getOffset().convertToDouble();
  applied.label = findLabel(vector.getParams());
  applied.layer = place.layer;
  for (Operation *op : vector.getOps())
    if (auto composed = dyn_cast<ScaleFromDirectionOp>(op))
      applied.form = composed.getForm();
  for (StringRef name : vector.getParams())
    if (module.lookupSymbol<ParamOp>(name).getKind() == ParamKind::Magnitude)
      applied.magnitude = name.str();
  return applied;
}

/// Two that begin alike, a vector with and without an offset, get numbers.
static void makeLabelsDifferent(std::vector<AppliedScale> &applied) {
  llvm::StringMap<unsigned> seen;
  for (AppliedScale &scale : applied)
    if (unsigned number = ++seen[scale.label]; number > 1)
      scale.label += "#" + std::to_string(number);
}

static std::vector<AppliedScale> findAppliedScales(ModuleOp module, const RoleAnalysis &roles) {
  std::vector<AppliedScale> found;
  auto loss = module.lookupSymbol<func::FuncOp>("loss");
  if (!loss)
    return found;
  loss.walk([&](ScaleOp scale) {
    std::optional<ScaleVector> vector = ScaleVector::find(scale);
    if (!vector || vector->getParams().empty())
      return;
    ScalePlace place = locate(scale, roles);
    double offset = scale.getOffset().convertToDouble();
    auto known = llvm::find_if(found, [&](const AppliedScale &other) {
      return other.offset == offset && isSame(other.vector, *vector);
    });
    if (known == found.end())
      known = found.insert(known, describe(scale, *vector, place, module));
    addPlace(*known, place, roles);
  });
  makeLabelsDifferent(found);
  return found;
}

std::vector<AppliedScale> vernier::findAppliedScales(ModuleOp module) {
  return ::findAppliedScales(module, RoleAnalysis(module));
}

std::vector<std::string> vernier::findParameterGroups(ModuleOp module) {
  RoleAnalysis roles(module);
  llvm::StringMap<std::string> places; // of what scale vectors are computed from
  for (const AppliedScale &applied : ::findAppliedScales(module, roles))
    for (StringRef param : applied.vector.getParams())
      places[param] = applied.site + (applied.branches.empty() ? "" : "/" + applied.branches);
  std::vector<std::string> groups;
  for (ParamOp param : module.getOps<ParamOp>()) {
    auto place = places.find(param.getSymName());
    std::string where =
        place == places.end() ? roles.getSite(param.getSymName()) : place->getValue();
    std::string group = (stringifyParamKind(param.getKind()) + "/" + where).str();
    for (size_t comma; (comma = group.find(", ")) != std::string::npos;)
      group.replace(comma, 2, "+");
    groups.push_back(group);
  }
  return groups;
}
