//===- Roles.cpp - What each linear map and norm is for ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Model/Roles.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace vernier;

StringRef vernier::stringify(LinearRole role) {
  static constexpr StringRef names[] = {"q", "k", "v", "o", "gate", "up", "down", "head", "other"};
  return names[static_cast<int>(role)];
}

StringRef vernier::stringify(NormRole role) {
  return role == NormRole::Input ? "Input-Norm" : "Output-Norm";
}

StringRef vernier::stringify(NormSite site) {
  static constexpr StringRef names[] = {"attention-input", "ffn-input", "final", "qk",
                                        "sublayer-output", "embedding", "other"};
  return names[static_cast<int>(site)];
}

//===----------------------------------------------------------------------===//
// Following values
//===----------------------------------------------------------------------===//

/// Operations that keep what a value is: a branch's result is still the
/// query after a norm, a scale, a rotation or a change of shape. A residual
/// add ends the walk: behind it lies the stream, not the branch.
static bool keepsMeaning(Operation *op) {
  return isa<RMSNormOp, LayerNormOp, ScaleOp, RopeOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp>(op);
}

static bool isNorm(Operation *op) { return isa<RMSNormOp, LayerNormOp>(op); }

/// Directly in a module values may be used before they are made, even by what
/// makes them: following them might not end. Such operations have no role.
static bool isInModuleBody(Operation *op) { return isa_and_nonnull<ModuleOp>(op->getParentOp()); }

/// The uses of a value, looking through operations that keep its meaning
/// (of which it must be the data, operand 0).
static SmallVector<OpOperand *> findFinalUses(Value value) {
  SmallVector<OpOperand *> uses;
  SmallVector<Value> worklist{value};
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      if (keepsMeaning(use.getOwner()) && use.getOperandNumber() == 0)
        worklist.push_back(use.getOwner()->getResult(0));
      else
        uses.push_back(&use);
    }
  return uses;
}

/// What made a value, looking through operations that keep its meaning.
static Operation *findProducer(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && keepsMeaning(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

//===----------------------------------------------------------------------===//
// Linear maps
//===----------------------------------------------------------------------===//

RoleAnalysis::RoleAnalysis(Operation *root) {
  int64_t attentions = 0, glus = 0;
  root->walk([&](Operation *op) {
    if (isa<AttentionOp>(op))
      layers[op] = attentions++;
    else if (isa<GluOp>(op))
      layers[op] = glus++;
  });
  classifyLinears(root);
  classifyNorms(root);
  locateParams(root);
}

void RoleAnalysis::classifyLinears(Operation *root) {
  root->walk([&](LinearOp op) {
    if (!isInModuleBody(op))
      linears[op] = classifyLinear(op);
  });
}

/// What a branch is whose result has this use, if the use says so.
static std::optional<LinearRole> roleOfUse(OpOperand &use) {
  static constexpr LinearRole attentionRoles[] = {LinearRole::Query, LinearRole::Key,
                                                  LinearRole::Value};
  unsigned number = use.getOperandNumber();
  if (isa<AttentionOp>(use.getOwner()))
    return attentionRoles[number];
  if (isa<GluOp>(use.getOwner()))
    return number == 0 ? LinearRole::Gate : LinearRole::Up;
  if (isa<CrossEntropyOp>(use.getOwner()) && number == 0)
    return LinearRole::Head;
  return std::nullopt;
}

LinearInfo RoleAnalysis::classifyLinear(LinearOp op) const {
  LinearInfo info;
  for (OpOperand *use : findFinalUses(op.getResult())) {
    std::optional<LinearRole> role = roleOfUse(*use);
    if (!role)
      continue;
    if (info.role != LinearRole::Other && info.role != *role)
      return {}; // two roles at once: neither
    info.role = *role;
    if (*role != LinearRole::Head)
      info.layer = layers.lookup(use->getOwner());
  }
  if (info.role != LinearRole::Other)
    return info;
  Operation *producer = findProducer(op.getInput());
  if (isa_and_nonnull<AttentionOp>(producer))
    return {LinearRole::Output, layers.lookup(producer)};
  if (isa_and_nonnull<GluOp>(producer))
    return {LinearRole::Down, layers.lookup(producer)};
  return {};
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

void RoleAnalysis::classifyNorms(Operation *root) {
  root->walk([&](Operation *op) {
    if (isNorm(op) && !isInModuleBody(op))
      norms[op] = classifyNorm(op);
  });
}

/// The linear maps that a norm's (scaled) result is the data of; empty if it
/// has any other use.
static SmallVector<LinearOp> findFedLinears(Operation *norm) {
  SmallVector<LinearOp> fed;
  SmallVector<Value> worklist{norm->getResult(0)};
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      if (use.getOperandNumber() != 0)
        return {};
      if (auto scale = dyn_cast<ScaleOp>(use.getOwner()))
        worklist.push_back(scale.getResult());
      else if (auto linear = dyn_cast<LinearOp>(use.getOwner()))
        fed.push_back(linear);
      else
        return {};
    }
  return fed;
}

static NormSite siteOfInputNorm(LinearRole role) {
  switch (role) {
  case LinearRole::Query:
  case LinearRole::Key:
  case LinearRole::Value:
    return NormSite::AttentionInput;
  case LinearRole::Gate:
  case LinearRole::Up:
    return NormSite::FFNInput;
  case LinearRole::Head:
    return NormSite::Final;
  default:
    return NormSite::Other;
  }
}

NormInfo RoleAnalysis::classifyNorm(Operation *op) const {
  SmallVector<LinearOp> fed = findFedLinears(op);
  if (!fed.empty()) {
    LinearInfo first = linears.lookup(fed.front());
    return {NormRole::Input, siteOfInputNorm(first.role), first.layer};
  }
  for (OpOperand *use : findFinalUses(op->getResult(0)))
    if (isa<AttentionOp>(use->getOwner()) && use->getOperandNumber() < 2)
      return {NormRole::Output, NormSite::QK, layers.lookup(use->getOwner())};
  Operation *producer = findProducer(op->getOperand(0));
  if (isa_and_nonnull<EmbeddingOp>(producer))
    return {NormRole::Output, NormSite::Embedding, std::nullopt};
  if (auto linear = dyn_cast_if_present<LinearOp>(producer)) {
    LinearInfo info = linears.lookup(linear);
    bool endsSublayer = info.role == LinearRole::Output || info.role == LinearRole::Down;
    return {NormRole::Output, endsSublayer ? NormSite::SublayerOutput : NormSite::Other,
            info.layer};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

std::string RoleAnalysis::describeUse(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (auto linear = dyn_cast<LinearOp>(user))
    return stringify(linears.lookup(linear).role).str();
  if (isa<EmbeddingOp>(user))
    return "embedding";
  if (auto vector = dyn_cast<ScaleFromDirectionOp>(user); vector && !vector->use_empty())
    return describeUse(*vector->use_begin());
  if (auto scale = dyn_cast<ScaleOp>(user)) {
    Operation *producer = scale.getInput().getDefiningOp();
    while (isa_and_nonnull<ScaleOp>(producer))
      producer = producer->getOperand(0).getDefiningOp();
    if (producer && isNorm(producer))
      return stringify(norms.lookup(producer).site).str();
    if (auto linear = dyn_cast_if_present<LinearOp>(producer))
      return stringify(linears.lookup(linear).role).str() + "-output";
  }
  return "other";
}

void RoleAnalysis::locateParams(Operation *root) {
  llvm::StringMap<SmallVector<std::string>> uses;
  root->walk([&](GetParamOp op) {
    if (isInModuleBody(op))
      return;
    for (OpOperand &use : op->getUses()) {
      std::string site = describeUse(use);
      auto &known = uses[op.getParam()];
      if (!llvm::is_contained(known, site))
        known.push_back(site);
    }
  });
  for (auto &[name, where] : uses) {
    llvm::sort(where);
    sites[name] = llvm::join(where, ", ");
  }
}
