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

/// The scales that read one value and that linear maps read, these linear maps, and
/// the scales at their results. Input scales go to the weights together, since what
/// one of them saves is another reading of the value. An output scale of a linear map
/// without an input scale is a site of its own.
struct Site {
  Value value;
  llvm::SetVector<ScaleOp> inputs;
  SmallVector<LinearOp> linears;
  llvm::MapVector<LinearOp, ScaleOp> outputs;
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
  /// a scaled value is reached when the one next to the linear map is gone.
  void run() {
    while (moveOnce())
      ;
    for (auto &[op, why] : declined)
      editor.declined(op, why);
  }

  unsigned getNumWeights() const { return scaledWeights.size(); }

private:
  bool moveOnce();
  SmallVector<Site> findSites();
  std::string findObstacle(ScaleOp scale);
  std::string findObstacle(ScaleOp scale, LinearOp linear);
  bool isShared(Value weight);
  int64_t costOfWeight(LinearOp linear);
  Costs estimate(const Site &site);
  bool isWorthwhile(const Costs &costs) const;
  bool moveSite(const Site &site);
  bool moveOutputIfWorthwhile(LinearOp linear, ScaleOp scale);
  void moveInput(LinearOp linear);
  void moveOutput(LinearOp linear, ScaleOp scale);
  void setWeight(LinearOp linear, Value weight);
  std::string nameOf(LinearOp linear) {
    return stringify(editor.getRoles().getLinear(linear).role).str();
  }

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

/// Whether a scale belongs to the linear map before it. If it feeds others, it belongs to these.
static LinearOp findLinearBefore(ScaleOp scale) {
  return findFedLinears(scale.getResult()).empty() ? scale.getInput().getDefiningOp<LinearOp>()
                                                   : LinearOp();
}

/// Why a scale cannot go to the weight of one linear map; empty if it can.
std::string WeightApplication::findObstacle(ScaleOp scale, LinearOp linear) {
  if (!isF32(scale.getResult()) || !isF32(scale.getScale()) || !isF32(linear.getWeight()) ||
      !isF32(linear.getResult()))
    return "it is not f32: a scaled weight is rounded elsewhere";
  if (!dependsOnParametersOnly(linear.getWeight()))
    return "the weight of " + nameOf(linear) + " is not computed from parameters alone";
  return "";
}

/// Why a scale cannot go to the weights next to it; empty if it can.
std::string WeightApplication::findObstacle(ScaleOp scale) {
  SmallVector<LinearOp> linears = findFedLinears(scale.getResult());
  if (LinearOp before = findLinearBefore(scale)) {
    if (!before->hasOneUse())
      return "the result of " + nameOf(before) + " has other uses";
    if (before.getBias() && !dependsOnParametersOnly(before.getBias()))
      return "the bias of " + nameOf(before) + " is not computed from parameters alone";
    linears = {before};
  }
  if (linears.empty())
    return "no linear map stands directly before or behind it, or something else reads it, too";
  if (!dependsOnParametersOnly(scale.getScale()))
    return "its vector is not computed from parameters alone";
  for (LinearOp linear : linears)
    if (std::string obstacle = findObstacle(scale, linear); !obstacle.empty())
      return obstacle;
  return "";
}

/// All that can be moved in the graph as it is.
SmallVector<Site> WeightApplication::findSites() {
  llvm::MapVector<Value, Site> sites; // by the value that is read, or the linear map's result
  llvm::MapVector<LinearOp, ScaleOp> outputs;
  llvm::DenseMap<Operation *, Value> siteOf;
  for (ScaleOp scale : editor.collect<ScaleOp>()) {
    if (dependsOnParametersOnly(scale.getInput()) ||
        !isSelected(locate(scale, editor.getRoles()), selection, editor.getRoles()))
      continue;
    if (std::string obstacle = findObstacle(scale); !obstacle.empty()) {
      declined.emplace_back(scale, "stays with the activations: " + obstacle);
    } else if (LinearOp before = findLinearBefore(scale)) {
      outputs[before] = scale;
    } else {
      Site &site = sites[scale.getInput()];
      site.value = scale.getInput();
      site.inputs.insert(scale);
      for (LinearOp linear : findFedLinears(scale.getResult())) {
        site.linears.push_back(linear);
        siteOf[linear] = site.value;
      }
    }
  }
  for (auto &[linear, scale] : outputs) {
    bool isAlone = !siteOf.contains(linear);
    sites[isAlone ? linear.getResult() : siteOf[linear]].outputs[linear] = scale;
  }
  return llvm::map_to_vector(sites, [](auto &entry) { return entry.second; });
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

/// All of a site on the side of weights; or its inputs on that of activations, and
/// each output where it is cheaper.
Costs WeightApplication::estimate(const Site &site) {
  Costs costs;
  if (!site.inputs.empty())
    costs.activations = cost.ofInput(site.value, site.inputs.size());
  for (LinearOp linear : site.linears) {
    int64_t weight = costOfWeight(linear);
    costs.weights += weight;
    if (ScaleOp output = site.outputs.lookup(linear))
      costs.activations += std::min(weight, cost.ofOutput(output));
  }
  return costs;
}

bool WeightApplication::isWorthwhile(const Costs &costs) const {
  return side == Side::Weights || costs.weights < costs.activations;
}

static std::string describe(const Costs &costs) {
  return llvm::formatv(": {0:N} bytes a step on the side of weights, {1:N} on that of activations",
                       costs.weights, costs.activations);
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

void WeightApplication::setWeight(LinearOp linear, Value weight) {
  linear.getWeightMutable().assign(weight);
  scaledWeights.insert(linear);
}

/// W diag(g)
void WeightApplication::moveInput(LinearOp linear) {
  auto scale = linear.getInput().getDefiningOp<ScaleOp>();
  OpBuilder builder(linear);
  Value weight = linear.getWeight();
  setWeight(linear, ScaleOp::create(builder, linear.getLoc(), weight.getType(), weight,
                                    scale.getScale(), scale.getOffsetAttr()));
  linear.getInputMutable().assign(scale.getInput());
  if (scale.use_empty())
    scale.erase();
}

/// diag(g) W, and g times the bias
void WeightApplication::moveOutput(LinearOp linear, ScaleOp scale) {
  std::optional<ScaleVector> vector = ScaleVector::find(scale);
  for (Operation *op : vector->getOps())
    if (!op->isBeforeInBlock(linear))
      op->moveBefore(linear);
  OpBuilder builder(linear);
  Value weight = linear.getWeight(), bias = linear.getBias();
  setWeight(linear, ScaleRowsOp::create(builder, linear.getLoc(), weight.getType(), weight,
                                        scale.getScale(), scale.getOffsetAttr()));
  if (bias)
    linear.getBiasMutable().assign(ScaleOp::create(builder, linear.getLoc(), bias.getType(), bias,
                                                   scale.getScale(), scale.getOffsetAttr()));
  scale.replaceAllUsesWith(linear.getResult());
  scale.erase();
}

bool WeightApplication::moveOutputIfWorthwhile(LinearOp linear, ScaleOp scale) {
  Costs costs{costOfWeight(linear), cost.ofOutput(scale)};
  std::string what = "scale at the output of " + nameOf(linear);
  if (!isWorthwhile(costs)) {
    declined.emplace_back(scale, what + " stays with the activations" + describe(costs));
    return false;
  }
  editor.done(scale, what + " applied to its weight" + describe(costs));
  moveOutput(linear, scale);
  return true;
}

bool WeightApplication::moveSite(const Site &site) {
  bool moved = false;
  if (!site.inputs.empty()) {
    Costs costs = estimate(site);
    std::string what = "scale of " + listBranches(site.linears, editor.getRoles());
    moved = isWorthwhile(costs);
    if (moved) {
      editor.done(site.inputs.front(), what + " applied to weights" + describe(costs));
      for (LinearOp linear : site.linears)
        moveInput(linear);
    } else {
      declined.emplace_back(site.inputs.front(),
                            what + " stays with the activations" + describe(costs));
    }
  }
  for (auto [linear, scale] : site.outputs)
    moved |= moveOutputIfWorthwhile(linear, scale);
  return moved;
}

/// Moves what can be moved in the graph as it is. False if that is nothing.
bool WeightApplication::moveOnce() {
  declined.clear();
  bool moved = false;
  for (const Site &site : findSites())
    moved |= moveSite(site);
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
  ModelEditor editor(module, *this);
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
