//===- StockGraph.h - A model graph in stock form --------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_EXPORT_STOCKGRAPH_H
#define VERNIER_LIB_EXPORT_STOCKGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "vernier/Import/ModelConfig.h"
#include "vernier/Model/Vernier.h"

namespace vernier {

/// A linear map; the bias may be null.
struct StockLinear {
  ParamOp weight, bias;
};

/// A norm and what its result is multiplied by: offset + scale, or 1 without a
/// scale.
struct StockNorm {
  int64_t width = 0;
  ParamOp scale;
  double offset = 0;
};

struct StockLayer {
  StockNorm attentionNorm, ffnNorm;
  std::optional<StockNorm> queryNorm, keyNorm; ///< per head
  StockLinear query, key, value, output, gate, up, down;
  int64_t window = 0;
};

/// The parts of a decoder with pre-norm blocks. Of `config` everything is set
/// that does not depend on the family.
struct StockGraph {
  ModelConfig config;
  ParamOp embedding, head; ///< the same if tied
  StockNorm finalNorm;
  std::vector<StockLayer> layers;
};

/// Reads the parts from the flow of data in `@loss`, and from nothing else.
/// Whatever is not part of such a decoder is a diagnostic at the operation that
/// says what was expected there.
mlir::FailureOr<StockGraph> readStockGraph(mlir::ModuleOp module);

/// Which layers' parts have what the families differ in, and the family that
/// has all of it: sets family, biases and windows of the config. What no family
/// has together is a diagnostic at the module.
mlir::LogicalResult chooseFamily(mlir::ModuleOp module, StockGraph &graph);

} // namespace vernier

#endif // VERNIER_LIB_EXPORT_STOCKGRAPH_H
