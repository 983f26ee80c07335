//===- SharedPlaces.h - States that lie in one place ------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_PROGRAM_SHAREDPLACES_H
#define VERNIER_LIB_PROGRAM_SHAREDPLACES_H

#include "PhaseValues.h"

namespace vernier::program {

/// The prepared values whose gradients, as slots, may be made where they lie: no
/// phase takes both or gives both, and a phase that takes the value and gives
/// the gradient has read the value when it makes the gradient. To this end the
/// operation that makes it is moved behind the last that reads the value, if
/// nothing stands against it. So it is where a step has one micro-batch; the
/// value is gone then, until it is prepared again.
llvm::DenseMap<SlotAttr, SlotAttr> findSharedPlaces(mlir::ModuleOp module);

/// Whether two slots may be in one place: a prepared value's and its gradient's.
bool mayShare(SlotAttr a, SlotAttr b);

} // namespace vernier::program

#endif // VERNIER_LIB_PROGRAM_SHAREDPLACES_H
