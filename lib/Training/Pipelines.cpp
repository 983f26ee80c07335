//===- Pipelines.cpp - The pipeline from model graph to training graph ----===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "vernier/Training/Passes.h"

using namespace mlir;
using namespace vernier;

void vernier::buildTrainingGraphPipeline(OpPassManager &pm, const TrainingGraphOptions &options) {
  pm.addPass(createSplitLoss());
  pm.addPass(createBuildAccumulate());
  BuildUpdateOptions update;
  update.beta1 = options.beta1;
  update.beta2 = options.beta2;
  update.epsilon = options.epsilon;
  update.weightDecay = options.weightDecay;
  update.clipNorm = options.clipNorm;
  pm.addPass(createBuildUpdate(update));
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
