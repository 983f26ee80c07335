//===- Evaluation.h - Kernel programs in the reference evaluator ---*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_PROGRAM_EVALUATION_H
#define VERNIER_PROGRAM_EVALUATION_H

#include "vernier/Reference/Rules.h"

namespace vernier::program {

/// Rules for the operations of kernel programs: `program.rows`, launches of all
/// kinds of kernels, products and rope tables. Offsets in the arena mean
/// nothing here. So decomposition and fusion are checked without generating
/// code.
void populateEvaluationRules(reference::RuleTable &rules);

/// Those, and the rules of graphs.
const reference::RuleTable &getEvaluationRules();

} // namespace vernier::program

#endif // VERNIER_PROGRAM_EVALUATION_H
