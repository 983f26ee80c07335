//===- MemoryPlan.h - How the IR says where values lie --------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_PROGRAM_MEMORYPLAN_H
#define VERNIER_PROGRAM_MEMORYPLAN_H

#include "llvm/ADT/StringRef.h"

namespace vernier::program {

/// Where an argument or result of a phase lies: a byte offset in the arena.
/// Those of launches, products and tables stand in their `offsets`.
constexpr llvm::StringLiteral kOffsetAttr = "program.offset";

/// Of the module: bytes of the arena.
constexpr llvm::StringLiteral kArenaBytesAttr = "program.arena_bytes";

/// Of the module: a dictionary of the arena's bytes by what they hold, which
/// add up to the whole: parameters (with what is prepared from them),
/// gradients, optimizer (moments and step counts), constants, and of the
/// region that the phases share activations, workspace and inputs.
constexpr llvm::StringLiteral kMemoryAttr = "program.memory";

} // namespace vernier::program

#endif // VERNIER_PROGRAM_MEMORYPLAN_H
