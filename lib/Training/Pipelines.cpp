//===- Pipelines.cpp - The pipeline from model graph to training graph ----===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "vernier/Training/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace vernier;

/// An unknown name has every phase made, so that the error lists them.
constexpr StringLiteral allPhases[] = {"prepare",  "accumulate_first", "accumulate",
                                       "update",   "gradients",        "gradient_norms",
                                       "evaluate", "logits",           "scales"};

static BuildUpdateOptions getUpdateOptions(const TrainingGraphOptions &options) {
  BuildUpdateOptions update;
  update.beta1 = options.beta1;
  update.beta2 = options.beta2;
  update.epsilon = options.epsilon;
  update.weightDecay = options.weightDecay;
  update.clipNorm = options.clipNorm;
  return update;
}

void vernier::buildTrainingGraphPipeline(OpPassManager &pm, const TrainingGraphOptions &options) {
  // What a phase is made by runs only if it is wanted: to generate text, a graph
  // need not be differentiable.
  auto isWanted = [&](ArrayRef<StringRef> phases) {
    return options.phases.empty() || llvm::any_of(options.phases, [&](const std::string &phase) {
             return llvm::is_contained(phases, phase) || !llvm::is_contained(allPhases, phase);
           });
  };
  if (isWanted({"scales", "gradient_norms"}))
    pm.addPass(createBuildStatistics());
  pm.addPass(createSplitLoss());
  if (isWanted({"accumulate_first", "accumulate"}))
    pm.addPass(createBuildAccumulate());
  if (isWanted({"update", "gradients", "gradient_norms"}))
    pm.addPass(createBuildUpdate(getUpdateOptions(options)));
  if (isWanted({"evaluate", "logits"}))
    pm.addPass(createBuildEvaluate());
  SelectPhasesOptions select;
  llvm::append_range(select.phases, options.phases);
  pm.addPass(createSelectPhases(select));
  pm.addNestedPass<func::FuncOp>(createCSEPass());
}

void vernier::registerTrainingPipelines() {
  PassPipelineRegistration<TrainingGraphOptions>(
      "vernier-training-graph", "turn a model graph into the phases of a training step",
      buildTrainingGraphPipeline);
}
