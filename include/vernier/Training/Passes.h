//===- Passes.h - Passes that make training graphs ----------- -*- C++ -*--===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TRAINING_PASSES_H
#define VERNIER_TRAINING_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"
#include "vernier/Model/Vernier.h"

namespace vernier {

#define GEN_PASS_DECL
#include "vernier/Training/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "vernier/Training/Passes.h.inc"

/// Options of the pipeline `vernier-training-graph`.
struct TrainingGraphOptions : mlir::PassPipelineOptions<TrainingGraphOptions> {
  Option<double> beta1{*this, "beta1", llvm::cl::desc("decay of the first moment"),
                       llvm::cl::init(0.9)};
  Option<double> beta2{*this, "beta2", llvm::cl::desc("decay of the second moment"),
                       llvm::cl::init(0.95)};
  Option<double> epsilon{*this, "epsilon", llvm::cl::desc("added to the root of the second moment"),
                         llvm::cl::init(1e-8)};
  Option<double> weightDecay{*this, "weight-decay",
                             llvm::cl::desc("of parameters in the group `decay`"),
                             llvm::cl::init(0.1)};
  Option<double> clipNorm{
      *this, "clip-norm",
      llvm::cl::desc("the largest global norm of the gradients; 0: no clipping"),
      llvm::cl::init(1.0)};
  ListOption<std::string> phases{*this, "phases",
                                 llvm::cl::desc("the phases to make; all, if none is named")};
};

/// From a model graph, a module with a function `@loss`, to the phases of
/// docs/Architecture.md.
void buildTrainingGraphPipeline(mlir::OpPassManager &pm, const TrainingGraphOptions &options);

void registerTrainingPipelines();

} // namespace vernier

#endif // VERNIER_TRAINING_PASSES_H
