//===- ExportedGraph.h - A rewritten graph and its stock form - -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_EXPORT_EXPORTEDGRAPH_H
#define VERNIER_TEST_EXPORT_EXPORTEDGRAPH_H

#include "../Scale/RewrittenGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "vernier/Export/StockCheckpoint.h"

namespace vernier::test {

/// The graph as it was before the tests' logits became its second result.
inline mlir::OwningOpRef<mlir::ModuleOp> withoutLogits(mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  auto loss = copy->lookupSymbol<mlir::func::FuncOp>("loss");
  loss.getBody().front().getTerminator()->eraseOperand(1);
  (void)loss.eraseResult(1);
  return copy;
}

inline mlir::FailureOr<StockCheckpoint> exportGraph(RewrittenGraph &graph) {
  return makeStockCheckpoint(*withoutLogits(*graph.after), graph.newValues);
}

} // namespace vernier::test

#endif // VERNIER_TEST_EXPORT_EXPORTEDGRAPH_H
