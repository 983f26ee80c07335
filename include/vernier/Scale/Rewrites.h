//===- Rewrites.h - Which rewrites a graph has had -------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_SCALE_REWRITES_H
#define VERNIER_SCALE_REWRITES_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace vernier {

/// A pass that has changed a graph.
struct Rewrite {
  std::string pass; ///< with options, as in a pipeline
  bool keepsFunction = true;
};

/// The rewrites since the graph was made, in order. They are kept in the
/// module's attribute `vernier.rewrites`, so a checkpoint's graph tells them.
std::vector<Rewrite> getRewrites(mlir::ModuleOp module);
void addRewrite(mlir::ModuleOp module, const Rewrite &rewrite);

} // namespace vernier

#endif // VERNIER_SCALE_REWRITES_H
