//===- Subcommands.h - The subcommands of vernier ---------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TOOLS_VERNIER_SUBCOMMANDS_H
#define VERNIER_TOOLS_VERNIER_SUBCOMMANDS_H

#include "llvm/Support/CommandLine.h"

namespace vernier {

/// A subcommand: its options hang on `options`, and `run` does the work when
/// they are parsed. `run` gives the exit code, and has printed its own errors.
struct Subcommand {
  llvm::cl::SubCommand &options;
  int (*run)();
};

// One file each. A new one is declared here and listed in main.cpp.
extern const Subcommand benchSubcommand;
extern const Subcommand checkGradientsSubcommand;
extern const Subcommand compareSubcommand;
extern const Subcommand evaluateSubcommand;
extern const Subcommand exportSubcommand;
extern const Subcommand generateSubcommand;
extern const Subcommand importSubcommand;
extern const Subcommand inspectSubcommand;
extern const Subcommand rewriteSubcommand;
extern const Subcommand trainSubcommand;

} // namespace vernier

#endif // VERNIER_TOOLS_VERNIER_SUBCOMMANDS_H
