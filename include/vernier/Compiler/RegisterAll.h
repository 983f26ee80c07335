//===- RegisterAll.h - Everything Vernier registers --------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_COMPILER_REGISTERALL_H
#define VERNIER_COMPILER_REGISTERALL_H

#include "mlir/IR/DialectRegistry.h"

namespace vernier {

/// Adds Vernier's own dialects and all its external models of interfaces:
/// what a plugin adds to a tool that has upstream's.
void registerVernierDialects(mlir::DialectRegistry &registry);

/// Registers Vernier's own passes and pipelines.
void registerVernierPasses();

/// Vernier's and upstream's dialects, with upstream's extensions.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Vernier's and upstream's passes.
void registerAllPasses();

} // namespace vernier

#endif // VERNIER_COMPILER_REGISTERALL_H
