//===- RopeTable.h - Angles of the rotary embedding -------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_COMPILER_ROPETABLE_H
#define VERNIER_LIB_COMPILER_ROPETABLE_H

#include "vernier/Program/Program.h"
#include <vector>

namespace vernier {

/// Row-major [sequence, head_dim / 2] each.
struct RopeTable {
  std::vector<float> cosines, sines;
};

/// Evaluates a `program.rope_table` in f64 and rounds each entry once.
RopeTable evaluateRopeTable(program::RopeTableOp op);

} // namespace vernier

#endif // VERNIER_LIB_COMPILER_ROPETABLE_H
