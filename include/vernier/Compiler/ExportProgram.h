//===- ExportProgram.h - A planned module as the runtime's program -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_COMPILER_EXPORTPROGRAM_H
#define VERNIER_COMPILER_EXPORTPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/Program.h"

namespace vernier {

/// Everything of a program that the pipeline `vernier-kernel-program` has
/// decided: phases, steps, slots, constants, kernels without their machine code
/// (`run` and `finish` are null). The parameters, batch and vocabulary are the
/// model graph's and are left as they are. An operation that is no step of a
/// program, or has no place in the arena, gives a diagnostic.
mlir::FailureOr<runtime::Program> exportProgram(mlir::ModuleOp planned);

} // namespace vernier

#endif // VERNIER_COMPILER_EXPORTPROGRAM_H
