//===- RegisterAll.h - Everything Vernier registers --------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_COMPILER_REGISTERALL_H
#define VERNIER_COMPILER_REGISTERALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace vernier {

/// Adds Vernier's dialects, the upstream ones it lowers to, and all external
/// models of interfaces.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers Vernier's passes and pipelines, and the upstream ones that its
/// pipelines use.
void registerAllPasses();

} // namespace vernier

#endif // VERNIER_COMPILER_REGISTERALL_H
