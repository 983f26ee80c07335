//===- Initialize.h - Values that parameters start with ----------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_INITIALIZE_H
#define VERNIER_RUNTIME_INITIALIZE_H

#include "runtime/TrainingEngine.h"

namespace vernier::runtime {

/// Fills `entries` (row-major) with the parameter's start values. Normal ones
/// depend on the seed, the parameter's name and the entry's index only: not on
/// other parameters, the order or the number of threads. They are computed in
/// f64 and rounded to f32, also for a result in f64, so that the compiled
/// program and the reference evaluator start from the same values.
void initialize(const Parameter &parameter, uint64_t seed, llvm::MutableArrayRef<float> entries);
void initialize(const Parameter &parameter, uint64_t seed, llvm::MutableArrayRef<double> entries);

/// Initializes all parameters of an engine, and zeroes its optimizer state.
void initialize(TrainingEngine &engine, uint64_t seed);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_INITIALIZE_H
