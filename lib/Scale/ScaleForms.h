//===- ScaleForms.h - From one form of a scale vector to another -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_SCALE_SCALEFORMS_H
#define VERNIER_LIB_SCALE_SCALEFORMS_H

#include "vernier/Scale/ModelEditor.h"

namespace vernier {

/// Computes the vector of a scale from a direction and a magnitude, or, with no
/// form, makes it one parameter again. Values follow, and so does what the vector
/// decays toward. The offset of a `1 + w` scale becomes part of the vector.
///
/// Returns why that is not possible, and changes nothing then; empty if done.
std::string changeForm(ModelEditor &editor, ScaleOp scale, std::optional<ScaleForm> form);

} // namespace vernier

#endif // VERNIER_LIB_SCALE_SCALEFORMS_H
