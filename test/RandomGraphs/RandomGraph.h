//===- RandomGraph.h - Valid model graphs by chance -------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_RANDOMGRAPHS_RANDOMGRAPH_H
#define VERNIER_TEST_RANDOMGRAPHS_RANDOMGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace vernier::test {

/// A model graph that nobody would write and that the dialect allows: odd
/// widths, parameters that are shared, tied or computed from others, norms in a
/// row, biases everywhere, results that nothing uses. Every parameter has an
/// effect on the loss. The same seed gives the same graph.
mlir::OwningOpRef<mlir::ModuleOp> makeRandomGraph(mlir::MLIRContext &context, uint64_t seed);

/// Whether the graph has a kink (relu), at which differences are no derivatives.
bool hasKink(mlir::ModuleOp graph);

} // namespace vernier::test

#endif // VERNIER_TEST_RANDOMGRAPHS_RANDOMGRAPH_H
