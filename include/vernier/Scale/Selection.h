//===- Selection.h - Which places a scale pass works on -----*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_SCALE_SELECTION_H
#define VERNIER_SCALE_SELECTION_H

#include "vernier/Model/Roles.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace vernier {

/// The options `sites`, `branches` and `layers` that all scale passes have, as
/// they were given. An empty list selects everything.
struct SelectionOptions {
  std::vector<std::string> sites, branches, layers;
};

/// What is selected, by role and never by name.
class Selection {
public:
  /// An error at `loc` for a site or branch that there is no such word for, or a
  /// range that is none ("3", "0-5").
  static mlir::FailureOr<Selection> parse(mlir::Location loc, const SelectionOptions &options);

  bool namesSites() const { return !options.sites.empty(); }
  bool namesBranches() const { return !options.branches.empty(); }

  bool hasSite(llvm::StringRef site) const;
  bool hasBranch(LinearRole role) const;
  /// What is in no layer (the final norm, the head) is selected unless layers
  /// are named.
  bool hasLayer(std::optional<int64_t> layer) const;

private:
  SelectionOptions options;
  llvm::SmallVector<std::pair<int64_t, int64_t>> layers; ///< first, last
};

} // namespace vernier

#endif // VERNIER_SCALE_SELECTION_H
