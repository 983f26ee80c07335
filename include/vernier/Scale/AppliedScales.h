//===- AppliedScales.h - The scale vectors that a graph applies -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_SCALE_APPLIEDSCALES_H
#define VERNIER_SCALE_APPLIEDSCALES_H

#include "vernier/Scale/ScaleVector.h"

namespace vernier {

/// A scale vector as the model applies it: computed from parameters, with the
/// offset of a `1 + w` scale in it. Places that apply the same one are one.
struct AppliedScale {
  ScaleVector vector;
  mlir::Value value; ///< what the scale operations read, without the offset
  double offset = 0;
  /// What its parameters' names begin with: a label, different for each.
  std::string label;
  std::string site;                     ///< as ScalePlace has it; several are joined: "a, b"
  std::string branches;                 ///< "q, k, v"; empty if there are none
  std::optional<int64_t> layer;         ///< nothing too where places lie in several layers
  std::optional<ScaleForm> form;        ///< of a reparameterized vector
  std::optional<std::string> magnitude; ///< and its parameter of that kind
};

/// All of them, in the order in which `@loss` first applies them. Decided by the
/// flow of data; names only make labels.
std::vector<AppliedScale> findAppliedScales(mlir::ModuleOp module);

/// Which parameters' gradients belong together: those of one kind at one place,
/// "matrix/q", "scale/attention-input/q+k+v", "embedding/embedding+head".
/// Parameters that scale vectors are computed from have the place of the vector.
/// In the order of the parameters of the module.
std::vector<std::string> findParameterGroups(mlir::ModuleOp module);

} // namespace vernier

#endif // VERNIER_SCALE_APPLIEDSCALES_H
