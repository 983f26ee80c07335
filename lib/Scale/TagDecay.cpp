//===- TagDecay.cpp - Which parameters decay --------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecayOverride.h"
#include "vernier/Model/ParameterTable.h"
#include "vernier/Scale/ModelEditor.h"
#include "vernier/Scale/Passes.h"

namespace vernier {
#define GEN_PASS_DEF_TAGDECAY
#include "vernier/Scale/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

struct Decision {
  DecayGroup group;
  std::string why;
  bool isOverride = false;
};

struct TagDecay : vernier::impl::TagDecayBase<TagDecay> {
  using TagDecayBase::TagDecayBase;
  void runOnOperation() override;

private:
  Decision decide(ParamOp param, const ParamFacts &facts);
  Decision decideByInput(ParamOp param, const ParamFacts &facts);
  FailureOr<SmallVector<DecayOverride>> parseOverrides();
  void apply(ModelEditor &editor, ParamOp param, const Decision &decision);
};

} // namespace

/// Where parameters are used, from the linear maps and scales of a graph.
static llvm::StringMap<ParamFacts> findFacts(ModelEditor &editor) {
  const RoleAnalysis &roles = editor.getRoles();
  llvm::StringMap<ParamFacts> facts;
  for (LinearOp linear : editor.collect<LinearOp>())
    for (Value operand : linear->getOperands().drop_front())
      if (auto read = operand.getDefiningOp<GetParamOp>())
        facts[read.getParam()].branches.insert(stringify(roles.getLinear(linear).role));
  for (ScaleOp scale : editor.collect<ScaleOp>()) {
    std::optional<ScaleVector> vector = ScaleVector::find(scale);
    if (!vector)
      continue;
    ScalePlace place = locate(scale, roles);
    for (StringRef param : vector->getParams()) {
      ParamFacts &of = facts[param];
      ++(place.isBehindInputNorm ? of.inputScales : of.outputScales);
      of.sites.insert(place.site);
      for (LinearOp branch : place.branches)
        of.branches.insert(stringify(roles.getLinear(branch).role));
    }
  }
  return facts;
}

/// Decay Input-Norm scales, and no other scale.
Decision TagDecay::decideByInput(ParamOp param, const ParamFacts &facts) {
  if (param.getKind() == ParamKind::Bias)
    return {DecayGroup::None, "bias"};
  if (param.getKind() == ParamKind::Magnitude && !decayMagnitude)
    return {DecayGroup::None, "magnitude"};
  if (facts.inputScales && facts.outputScales)
    return {DecayGroup::None, "scales an Input-Norm and something else"};
  if (facts.inputScales)
    return {DecayGroup::Decay, "Input-Norm"};
  if (facts.outputScales)
    return {DecayGroup::None, "scales no Input-Norm"};
  return {DecayGroup::None, "scales nothing"};
}

Decision TagDecay::decide(ParamOp param, const ParamFacts &facts) {
  ParamKind kind = param.getKind();
  if (kind == ParamKind::Direction)
    return {DecayGroup::None, "the length of a direction has no meaning"};
  if (policy == "all")
    return {DecayGroup::Decay, "policy all"};
  if (policy == "none")
    return {DecayGroup::None, "policy none"};
  if (kind == ParamKind::Matrix || kind == ParamKind::Embedding)
    return {DecayGroup::Decay, stringifyParamKind(kind).str()};
  if (policy == "matrices")
    return {DecayGroup::None, "not a matrix"};
  return decideByInput(param, facts);
}

FailureOr<SmallVector<DecayOverride>> TagDecay::parseOverrides() {
  SmallVector<DecayOverride> parsed;
  for (StringRef text : overrides) {
    FailureOr<DecayOverride> one = DecayOverride::parse(getOperation().getLoc(), text);
    if (failed(one))
      return failure();
    parsed.push_back(std::move(*one));
  }
  return parsed;
}

void TagDecay::apply(ModelEditor &editor, ParamOp param, const Decision &decision) {
  bool decays = decision.group == DecayGroup::Decay;
  std::string text = "'" + param.getSymName().str() + "' " +
                     (decays ? "decays" : "does not decay") + ": " + decision.why;
  Attribute reason =
      decision.isOverride ? StringAttr::get(&getContext(), decision.why) : Attribute();
  ++(decays ? numDecaying : numNotDecaying);
  if (param.getDecay() == decision.group && param->getDiscardableAttr(decayReasonName) == reason)
    return editor.note(param, text);
  param.setDecay(decision.group);
  if (reason)
    param->setDiscardableAttr(decayReasonName, reason);
  else
    param->removeDiscardableAttr(decayReasonName);
  editor.done(param, text);
}

void TagDecay::runOnOperation() {
  ModuleOp module = getOperation();
  if (!llvm::is_contained({"iwd", "all", "none", "matrices"}, policy)) {
    emitError(module.getLoc()) << "there is no policy '" << policy
                               << "'; expected iwd, all, none or matrices";
    return signalPassFailure();
  }
  auto parsed = parseOverrides();
  if (failed(parsed))
    return signalPassFailure();
  ModelEditor editor(module, *this);
  llvm::StringMap<ParamFacts> facts = findFacts(editor);
  SmallVector<std::pair<ParamOp, Decision>> decisions;
  for (ParamOp param : module.getOps<ParamOp>()) {
    Decision decision = decide(param, facts[param.getSymName()]);
    for (DecayOverride &override : *parsed)
      if (override.matches(param, facts[param.getSymName()]))
        decision = {override.getGroup(), "override " + override.getText(), true};
    decisions.emplace_back(param, decision);
  }
  for (DecayOverride &override : *parsed)
    if (!override.hasMatched()) {
      emitError(module.getLoc()) << "override '" << override.getText()
                                 << "' matches no parameter that it may change";
      return signalPassFailure();
    }
  for (auto &[param, decision] : decisions)
    apply(editor, param, decision);
  editor.finish();
}
