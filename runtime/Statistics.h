//===- Statistics.h - How the parameters of a run train -----------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_STATISTICS_H
#define VERNIER_RUNTIME_STATISTICS_H

#include "runtime/Program.h"
#include "runtime/Status.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace vernier::runtime {

class TrainingEngine;

/// Of the entries of a vector, which has at least one: sums are in f64 and in
/// order, so that they do not depend on threads.
struct Summary {
  double mean = 0, rms = 0, min = 0, max = 0;
};
Summary summarize(llvm::ArrayRef<double> entries);

/// What one scale vector is: itself, as the model applies it, and the parameter
/// that is its magnitude, if it is reparameterized.
struct ScaleStatistics {
  ScaleVector vector;
  Summary summary;
  std::optional<double> magnitude;
};

/// Those of all scale vectors, with the parameters as they are now.
Expected<std::vector<ScaleStatistics>> summarizeScales(TrainingEngine &engine);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_STATISTICS_H
