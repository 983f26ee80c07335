//===- ToyProgram.h - A program made by hand ---------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_RUNTIME_TOYPROGRAM_H
#define VERNIER_TEST_RUNTIME_TOYPROGRAM_H

#include "runtime/Program.h"

namespace vernier::runtime::toy {

/// A model with one parameter w[4], batches of 1 x 4 tokens, and the loss
/// sum over valid targets of (w[id] - target)^2 / divisor. Its kernels are C++
/// functions. The update is w -= rate * clip * gradient with the gradient's
/// norm clipped to 1; like a compiled one it counts the step before it knows
/// the norm. `evaluate` takes 2 w, prepared, for w.
Program makeProgram();

/// Has gradients made where the prepared value lies, under its name, as in programs
/// for one micro-batch a step.
void putGradientsOverPrepared(Program &program);

/// How often `prepare` ran since the program was made.
int countPreparations();

} // namespace vernier::runtime::toy

#endif // VERNIER_TEST_RUNTIME_TOYPROGRAM_H
