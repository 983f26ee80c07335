//===- ApplyScaleToWeights.cpp - Scales on weights, not on activations ------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaleCost.h"
#include "vernier/Scale/ModelEditor.h"
#include "vernier/Scale/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

namespace vernier {
#define GEN_PASS_DEF_APPLYSCALETOWEIGHTS
#include "vernier/Scale/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

enum class Side { Auto, Weights, Activations };

/// The scales that read one value and that linear maps read, and these: they go
/// to the weights together, since what one of them saves is another reading of
/// the value.
struct Site {
  llvm::SetVector<ScaleOp> scales;
  SmallVector<LinearOp> linears;
};

/// Bytes in a step.
struct Costs {
  int64_t weights = 0, activations = 0;
};

class WeightApplication {
public:
  WeightApplication(ModelEditor &editor, const Selection &selection, Side side,
                    int64_t microBatches)
      : editor(editor), selection(selection), side(side), cost(microBatches) {}

  /// Moves what can be moved and is worth it, until nothing is left: a scale of
  /// a scaled value is reached when the one behind it is gone.
  void run() {
    while (moveOnce())
      ;
    for (auto &[op, why] : declined)
      editor.declined(op, why);
  }

  unsigned getNumWeights() const { return scaledWeights.size(); }

private:
  bool moveOnce();
  std::string findObstacle(ScaleOp scale);
  bool isShared(Value weight);
  int64_t costOfWeight(LinearOp linear);
  Costs estimate(Value value, const Site &site);
  bool decide(ScaleOp scale, StringRef branches, const Costs &costs);
  bool moveInputs(Value value, const Site &site);
  void setWeight(LinearOp linear, Value weight);

  ModelEditor &editor;
  const Selection &selection;
  Side side;
  ScaleCost cost;
  llvm::DenseSet<Operation *> scaledWeights; ///< by linear map
  SmallVector<std::pair<Operation *, std::string>> declined;
};

struct ApplyScaleToWeights : vernier::impl::ApplyScaleToWeightsBase<ApplyScaleToWeights> {
  using ApplyScaleToWeightsBase::ApplyScaleToWeightsBase;
  void runOnOperation() override;

private:
  FailureOr<Side> parseSide();
};

} // namespace

//===----------------------------------------------------------------------===//
// What may be moved
//===----------------------------------------------------------------------===//

static bool dependsOnParametersOnly(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), dependsOnParametersOnly);
}

static bool isF32(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType().isF32();
}

/// Why a scale cannot go to the weights of the linear maps behind it; empty if it
/// can.
std::string WeightApplication::findObstacle(ScaleOp scale) {
  SmallVector<LinearOp> fed = findFedLinears(scale.getResult());
  if (fed.empty())
    return "no linear map stands directly behind it, or something else reads it, too";
  if (!dependsOnParametersOnly(scale.getScale()))
    return "its vector is not computed from parameters alone";
  auto hasType = [](LinearOp linear) { return isF32(linear.getWeight()); };
  if (!isF32(scale.getResult()) || !isF32(scale.getScale()) || !llvm::all_of(fed, hasType))
    return "it is not f32: a scaled weight is rounded elsewhere";
  for (LinearOp linear : fed)
    if (!dependsOnParametersOnly(linear.getWeight()))
      return ("the weight of " + stringify(editor.getRoles().getLinear(linear).role) +
              " is not computed from parameters alone")
          .str();
  return "";
}

//===----------------------------------------------------------------------===//
// Whether it pays
//===----------------------------------------------------------------------===//

/// Whether the parameter has other uses.
bool WeightApplication::isShared(Value weight) {
  auto read = weight.getDefiningOp<GetParamOp>();
  return read && editor.countUses(read.getParam()) > 1;
}

int64_t WeightApplication::costOfWeight(LinearOp linear) {
  if (scaledWeights.contains(linear)) // and read and written in any case
    return 0;
  return cost.ofWeight(linear, isShared(linear.getWeight()));
}

Costs WeightApplication::estimate(Value value, const Site &site) {
  Costs costs;
  costs.activations = cost.ofInput(value, site.scales.size());
  for (LinearOp linear : site.linears)
    costs.weights += costOfWeight(linear);
  return costs;
}

bool WeightApplication::decide(ScaleOp scale, StringRef branches, const Costs &costs) {
  std::string figures = llvm::formatv("{0:N} bytes a step on the side of weights, {1:N} on that "
                                      "of activations",
                                      costs.weights, costs.activations);
  if (side == Side::Auto && costs.weights >= costs.activations) {
    declined.emplace_back(
        scale, ("scale of " + branches + " stays with the activations: " + figures).str());
    return false;
  }
  editor.done(scale, "scale of " + branches + " applied to weights: " + figures);
  return true;
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

void WeightApplication::setWeight(LinearOp linear, Value weight) {
  linear.getWeightMutable().assign(weight);
  scaledWeights.insert(linear);
}

bool WeightApplication::moveInputs(Value value, const Site &site) {
  std::string branches = listBranches(site.linears, editor.getRoles());
  if (!decide(site.scales.front(), branches, estimate(value, site)))
    return false;
  for (LinearOp linear : site.linears) {
    auto scale = linear.getInput().getDefiningOp<ScaleOp>();
    OpBuilder builder(linear);
    Value weight = linear.getWeight();
    setWeight(linear, ScaleOp::create(builder, linear.getLoc(), weight.getType(), weight,
                                      scale.getScale(), scale.getOffsetAttr()));
    linear.getInputMutable().assign(scale.getInput());
    if (scale.use_empty())
      scale.erase();
  }
  return true;
}

/// Moves what can be moved in the graph as it is. False if that is nothing.
bool WeightApplication::moveOnce() {
  declined.clear();
  llvm::MapVector<Value, Site> sites;
  for (ScaleOp scale : editor.collect<ScaleOp>()) {
    if (dependsOnParametersOnly(scale.getInput()) ||
        !isSelected(locate(scale, editor.getRoles()), selection, editor.getRoles()))
      continue;
    if (std::string obstacle = findObstacle(scale); !obstacle.empty()) {
      declined.emplace_back(scale, "stays with the activations: " + obstacle);
      continue;
    }
    Site &site = sites[scale.getInput()];
    site.scales.insert(scale);
    llvm::append_range(site.linears, findFedLinears(scale.getResult()));
  }
  bool moved = false;
  for (auto &[value, site] : sites)
    moved |= moveInputs(value, site);
  return moved;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

FailureOr<Side> ApplyScaleToWeights::parseSide() {
  Location loc = getOperation().getLoc();
  if (microBatches < 1)
    return emitError(loc) << "a step has at least one micro-batch, found micro-batches="
                          << microBatches.getValue();
  auto parsed = llvm::StringSwitch<std::optional<Side>>(side)
                    .Case("auto", Side::Auto)
                    .Case("weights", Side::Weights)
                    .Case("activations", Side::Activations)
                    .Default(std::nullopt);
  if (!parsed)
    return emitError(loc) << "there is no side '" << side
                          << "'; expected auto, weights or activations";
  return *parsed;
}

void ApplyScaleToWeights::runOnOperation() {
  ModuleOp module = getOperation();
  auto selection = Selection::parse(module.getLoc(), {sites, branches, layers});
  FailureOr<Side> chosen = parseSide();
  if (failed(selection) || failed(chosen))
    return signalPassFailure();
  ModelEditor editor(module, getArgument());
  if (*chosen != Side::Activations) {
    WeightApplication application(editor, *selection, *chosen, microBatches);
    application.run();
    numWeights += application.getNumWeights();
  }
  numApplied += editor.getNumDone();
  editor.finish();
  if (editor.getNumDone() == 0)
    markAllAnalysesPreserved();
}
