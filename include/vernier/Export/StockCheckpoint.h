//===- StockCheckpoint.h - A model as stock code loads it ------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_EXPORT_STOCKCHECKPOINT_H
#define VERNIER_EXPORT_STOCKCHECKPOINT_H

#include "mlir/IR/BuiltinOps.h"
#include "vernier/Import/ModelConfig.h"
#include "vernier/Reference/Tensor.h"
#include "llvm/ADT/StringMap.h"

namespace vernier {

struct StockTensor {
  std::string name; ///< as Hugging Face transformers calls it
  reference::Tensor value;
};

/// A model in the form of one of the families that are imported: its
/// config.json, and the tensors that belong to it. `isFolded` says whether scale
/// vectors went into weights.
struct StockCheckpoint {
  ModelConfig config;
  std::vector<StockTensor> tensors;
  bool isFolded = false;
};

/// The stock form of a graph and the values of its parameters, by name; it
/// computes the same function. The family follows from the graph. A graph in
/// stock form keeps its values; otherwise scale vectors and reparameterizations
/// are folded into weights first (and norms whose scale is gone get ones). What
/// no family can express is a diagnostic at the operation.
mlir::FailureOr<StockCheckpoint>
makeStockCheckpoint(mlir::ModuleOp module, const llvm::StringMap<reference::Tensor> &values);

/// The text of config.json, which transformers 4 and 5 and `vernier import` read.
std::string writeHuggingFaceConfig(const ModelConfig &config);

/// Writes config.json and model.safetensors (f32) into a new folder, or nothing.
llvm::Error writeHuggingFaceFolder(const StockCheckpoint &checkpoint, llvm::StringRef folder);

} // namespace vernier

#endif // VERNIER_EXPORT_STOCKCHECKPOINT_H
