//===- ProgramChecks.h - Whether a program may be executed -------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_PROGRAMCHECKS_H
#define VERNIER_RUNTIME_PROGRAMCHECKS_H

#include "runtime/Program.h"
#include "runtime/Status.h"

namespace vernier::runtime {

/// Checks that everything a program names lies in its arena, aligned as kernels
/// expect it, that launches fit their kernels, and that values which live from
/// phase to phase have one place. Reports the first fault.
Error checkProgram(const Program &program);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_PROGRAMCHECKS_H
