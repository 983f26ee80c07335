//===- ParameterTable.h - All parameters of a model, for people -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_MODEL_PARAMETERTABLE_H
#define VERNIER_MODEL_PARAMETERTABLE_H

#include "mlir/IR/BuiltinOps.h"
#include "vernier/Model/Vernier.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace vernier {

/// The attribute of a parameter whose decay group was asked for by name instead of
/// following from its role: what was asked for, which the table shows.
inline constexpr llvm::StringLiteral decayReasonName = "vernier.decay_reason";

/// What a run adds to the table; left out, where nothing is known of it.
struct ParameterTableOptions {
  std::optional<double> rate;        ///< peak learning rate
  std::optional<double> weightDecay; ///< of the group that decays
};

/// Prints a line for each parameter in the order of the module: name, shape,
/// kind, site (where it is used), optimizer, whether it decays and towards what,
/// and why. A `1 + w` scale is said to decay towards what it, not w, tends to. Widths fit the
/// contents; no column depends on anything but the module and the options, so tables of two runs
/// can be compared.
void printParameterTable(mlir::ModuleOp module, llvm::raw_ostream &stream,
                         const ParameterTableOptions &options = {});

/// Where each parameter is used, and why it is in its decay group, in the words
/// of the table; in the order of the module.
struct ParameterExplanation {
  std::string site, why;
};
std::vector<ParameterExplanation> explainParameters(mlir::ModuleOp module);

/// Numbers of parameters and of scale vectors. A shared parameter counts once.
struct ParameterCounts {
  int64_t parameters = 0;
  int64_t scaleEntries = 0; ///< entries of kinds scale, magnitude and direction
  int64_t scaleVectors = 0;
};
ParameterCounts countParameters(mlir::ModuleOp module);

/// "596,049,920 parameters, 65,536 of them (0.011 %) in 113 scale vectors".
void printParameterCounts(mlir::ModuleOp module, llvm::raw_ostream &stream);

} // namespace vernier

#endif // VERNIER_MODEL_PARAMETERTABLE_H
