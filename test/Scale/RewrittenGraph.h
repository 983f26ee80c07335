//===- RewrittenGraph.h - A graph before and after rewrites - -*- C++ -*--===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_SCALE_REWRITTENGRAPH_H
#define VERNIER_TEST_SCALE_REWRITTENGRAPH_H

#include "mlir/IR/Diagnostics.h"
#include "vernier/Model/Vernier.h"
#include "vernier/Reference/Evaluator.h"
#include "vernier/Reference/MapParameters.h"
#include "vernier/Reference/RandomValues.h"
#include "gtest/gtest.h"

namespace vernier::test {

using Values = llvm::StringMap<reference::Tensor>;
using Tensors = std::vector<reference::Tensor>;

/// A model graph whose @loss returns the logits, too, random values and moments
/// of its parameters, and the same after passes.
class RewrittenGraph {
  mlir::MLIRContext context; // outlives the modules
  mlir::ScopedDiagnosticHandler handler;

public:
  RewrittenGraph();

  /// A model of test/golden, a graph of Inputs/ ("gemma"), or text.
  void load(llvm::StringRef model);
  void importGolden(llvm::StringRef model);
  void parse(llvm::StringRef text);

  /// A module without a loss, and a call of one of its functions.
  void parseFunctions(llvm::StringRef text);
  Tensors call(llvm::StringRef function, const Tensors &arguments);

  /// Runs passes (in the form of --pass-pipeline, without the module) on a copy
  /// and maps values and moments; both may be repeated.
  bool rewrite(llvm::StringRef passes);

  /// Makes the rewritten graph the first one, with other random values: as after
  /// training, when nothing is at its start any more.
  void train();

  bool isChanged();

  /// What the rewritten graph's parameters become if the first graph's are `old`.
  Values mapValues(const Values &old);

  /// The loss and the logits.
  Tensors evaluateBefore() { return evaluate(*before, oldValues); }
  Tensors evaluateAfter() { return evaluate(*after, newValues); }
  /// The same batch through another graph.
  Tensors evaluate(mlir::ModuleOp module, const Values &values);
  /// The gradients of the loss, by name.
  Values gradientsBefore() { return differentiate(*before, oldValues); }
  Values gradientsAfter() { return differentiate(*after, newValues); }

  mlir::OwningOpRef<mlir::ModuleOp> before, after;
  Values oldValues, newValues;
  reference::Moments oldMoments, newMoments;
  std::string errors;

private:
  void prepare();
  void takeRandomValues(uint64_t seed);
  Values differentiate(mlir::ModuleOp module, const Values &values);

  Tensors batch; ///< ids, targets
};

} // namespace vernier::test

#endif // VERNIER_TEST_SCALE_REWRITTENGRAPH_H
