//===- Roles.h - What each linear map and norm is for -------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_MODEL_ROLES_H
#define VERNIER_MODEL_ROLES_H

#include "vernier/Model/Vernier.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace vernier {

/// What a linear map is, by where its result goes and its input comes from.
enum class LinearRole { Query, Key, Value, Output, Gate, Up, Down, Head, Other };

/// "q", "k", "v", "o", "gate", "up", "down", "head", "other".
llvm::StringRef stringify(LinearRole role);

/// An Input-Norm's scaled result is used only as the data operand of linear
/// maps; any other norm is an Output-Norm (arXiv 2605.26895, see docs).
enum class NormRole { Input, Output };

/// "Input-Norm", "Output-Norm".
llvm::StringRef stringify(NormRole role);

/// Where in the model a norm stands.
enum class NormSite { AttentionInput, FFNInput, Final, QK, SublayerOutput, Embedding, Other };

/// "attention-input", "ffn-input", "final", "qk", "sublayer-output",
/// "embedding", "other".
llvm::StringRef stringify(NormSite site);

/// The role of a linear map; `layer` counts attentions (for q, k, v, o) or
/// gated units (for gate, up, down) from 0, and is empty for the head.
struct LinearInfo {
  LinearRole role = LinearRole::Other;
  std::optional<int64_t> layer;
};

/// The role of a norm, in the layer of what it feeds or follows.
struct NormInfo {
  NormRole role = NormRole::Output;
  NormSite site = NormSite::Other;
  std::optional<int64_t> layer;
};

/// Finds, from the flow of data alone, what each `vernier.linear` and each
/// norm below an operation is. Names and locations play no part, so renaming
/// every symbol changes nothing. Recomputed when needed, never stored.
///
/// Constructed by `getAnalysis<RoleAnalysis>()` or directly; it holds pointers
/// to the operations it has seen.
class RoleAnalysis {
public:
  explicit RoleAnalysis(mlir::Operation *root);

  /// The default ("other") for a map that was not below the root.
  LinearInfo getLinear(LinearOp op) const { return linears.lookup(op); }

  /// `op` is a `vernier.rms_norm` or `vernier.layer_norm`.
  NormInfo getNorm(mlir::Operation *op) const { return norms.lookup(op); }

  /// Where a parameter is used, in the words above; several uses are joined:
  /// "embedding, head" for a tied embedding. Empty if it is never read.
  std::string getSite(llvm::StringRef param) const { return sites.lookup(param); }

private:
  void classifyLinears(mlir::Operation *root);
  void classifyNorms(mlir::Operation *root);
  void locateParams(mlir::Operation *root);
  LinearInfo classifyLinear(LinearOp op) const;
  NormInfo classifyNorm(mlir::Operation *op) const;
  std::string describeUse(mlir::OpOperand &use) const;

  llvm::DenseMap<mlir::Operation *, int64_t> layers; ///< of attentions and glus
  llvm::DenseMap<mlir::Operation *, LinearInfo> linears;
  llvm::DenseMap<mlir::Operation *, NormInfo> norms;
  llvm::StringMap<std::string> sites;
};

} // namespace vernier

#endif // VERNIER_MODEL_ROLES_H
