//===- GraphChecks.h - Everything that must hold for a model graph *- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_RANDOMGRAPHS_GRAPHCHECKS_H
#define VERNIER_TEST_RANDOMGRAPHS_GRAPHCHECKS_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace vernier::test {

/// What does not hold: "" if all does.
struct GraphFailure {
  std::string check;   ///< "verify", "gradients", "compiled", or the passes that broke it
  std::string message; ///< with numbers
  explicit operator bool() const { return !check.empty(); }
};

/// Verifies a graph with a function @loss, compares its gradients with finite
/// differences, the compiled program (poisoned memory, guarded buffers, two threads,
/// two micro-batches a step) with the evaluator, and the function that it computes
/// before and after every rewrite that must keep it. The graph is not changed.
/// `isNoise`: whether rounding to f32 moves the gradients so far that compiled ones
/// say nothing; they are then not compared.
GraphFailure checkGraph(mlir::ModuleOp graph, uint64_t seed, bool &isNoise);

} // namespace vernier::test

#endif // VERNIER_TEST_RANDOMGRAPHS_GRAPHCHECKS_H
