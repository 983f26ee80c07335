//===- ScaleVector.h - A scale operation and its parameters ---*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_SCALE_SCALEVECTOR_H
#define VERNIER_SCALE_SCALEVECTOR_H

#include "vernier/Scale/Selection.h"
#include "llvm/ADT/SmallVector.h"

namespace vernier {

/// Where a scale stands: the site of its norm, or `branch-output` at the result
/// of a linear map without one; and the linear maps that it belongs to, which are
/// those that it feeds alone, or the one whose result it scales.
struct ScalePlace {
  std::string site;
  std::optional<int64_t> layer;
  llvm::SmallVector<LinearOp> branches;
  bool feedsBranches = false;     ///< on the input side of `branches`
  bool isBehindInputNorm = false; ///< as the paper has it, whatever the site
};
ScalePlace locate(ScaleOp scale, const RoleAnalysis &roles);

/// Whether a place is selected. One that belongs to several branches is if one
/// of them is.
bool isSelected(const ScalePlace &place, const Selection &selection, const RoleAnalysis &roles);

/// The branches of a selected place that are not selected themselves.
std::string listUnselected(const ScalePlace &place, const Selection &selection,
                           const RoleAnalysis &roles);

/// "q, k, v".
std::string listBranches(llvm::ArrayRef<LinearOp> branches, const RoleAnalysis &roles);

/// The linear maps that a value is the data of; empty if it has any other use.
/// In the order of the graph.
llvm::SmallVector<LinearOp> findFedLinears(mlir::Value value);

/// What the vector of a scale is computed by, from parameters alone: a
/// `get_param`, or a reparameterization of several.
class ScaleVector {
public:
  /// Nothing if the vector depends on anything but parameters and constants.
  static std::optional<ScaleVector> find(ScaleOp scale);

  /// In an order of execution; the last one's result is the vector.
  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }
  /// The names of the parameters among them.
  llvm::SmallVector<llvm::StringRef> getParams() const;

private:
  llvm::SmallVector<mlir::Operation *> ops;
};

} // namespace vernier

#endif // VERNIER_SCALE_SCALEVECTOR_H
