//===- WeightFolding.h - Scale vectors into weights ------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_SCALE_WEIGHTFOLDING_H
#define VERNIER_LIB_SCALE_WEIGHTFOLDING_H

#include "vernier/Scale/ModelEditor.h"

namespace vernier {

/// Multiplies the scale vector into the weights of the linear maps that it feeds
/// (W diag(g)), or of the one whose result it scales (diag(g) W, and g times the
/// bias), and takes the operation out of the graph. The weights' values follow,
/// and so do their initializers.
///
/// Returns why that is not possible, and changes nothing then; empty if done.
/// The parameters of the vector stay until `ModelEditor::finish`.
std::string foldIntoWeights(ModelEditor &editor, ScaleOp scale);

/// The same for one of the linear maps that a scale feeds; the others go on
/// reading the scaled value.
std::string foldIntoWeight(ModelEditor &editor, ScaleOp scale, LinearOp branch);

} // namespace vernier

#endif // VERNIER_LIB_SCALE_WEIGHTFOLDING_H
