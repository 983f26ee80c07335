//===- GradientCheck.h - Gradients against finite differences ---*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_REFERENCE_GRADIENTCHECK_H
#define VERNIER_REFERENCE_GRADIENTCHECK_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace vernier::reference {

struct GradientCheckOptions {
  uint64_t seed = 1;
  /// Of the differences, which are central ones of three lengths extrapolated
  /// to sixth order: the error is of the order of step^6 and of 1e-16 / step.
  double step = 3e-4;
};

/// A derivative of <u, f> in the direction v, got in both ways, for random u
/// and v.
struct DerivativePair {
  std::string with;      ///< "argument 0", "parameter 'w'", "all"
  double adjoint = 0;    ///< <J^T u, v> by the vector-Jacobian product
  double difference = 0; ///< by finite differences
  double scale = 0;      ///< the size that such a derivative has on average
  double noise = 0;      ///< of the difference: by how much two extrapolations differ

  /// Of what is beyond the noise, relative to the scale, so that a derivative near
  /// zero by chance, or one that has to be zero, does not count as wrong.
  double error() const;
};

/// Checks the function `NAME_vjp` that `vernier-differentiate` put beside
/// `function` against finite differences of `function`, by the evaluator in
/// f64: in the direction of each float argument and each parameter alone, and
/// of all together. Diagnostics and failure if one of the two cannot be
/// evaluated, or has results that do not fit the other's.
mlir::FailureOr<std::vector<DerivativePair>>
checkGradients(mlir::ModuleOp module, llvm::StringRef function,
               const GradientCheckOptions &options = {});

/// The largest error; infinite where there is nothing to compare.
double largestError(llvm::ArrayRef<DerivativePair> pairs);

/// A line for each pair.
void print(llvm::ArrayRef<DerivativePair> pairs, llvm::raw_ostream &stream);

} // namespace vernier::reference

#endif // VERNIER_REFERENCE_GRADIENTCHECK_H
