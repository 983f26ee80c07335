//===- ModelGraph.h - From a config to a model graph ------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_IMPORT_MODELGRAPH_H
#define VERNIER_IMPORT_MODELGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "vernier/Import/ModelConfig.h"

namespace vernier {

/// Builds the module with the parameters and `@loss` (docs/Architecture.md) for
/// a config that `checkSizes` accepts. Parameters are named as in the checkpoint,
/// and each op's location is the name of the checkpoint's module it stands for
/// ("model.layers.3.self_attn.q_proj"). Loads the dialects it needs
/// into the context.
mlir::OwningOpRef<mlir::ModuleOp> buildModelGraph(mlir::MLIRContext *context,
                                                  const ModelConfig &config, BatchShape shape);

} // namespace vernier

#endif // VERNIER_IMPORT_MODELGRAPH_H
