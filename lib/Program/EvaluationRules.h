//===- EvaluationRules.h - How kernel programs are evaluated ---*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_PROGRAM_EVALUATIONRULES_H
#define VERNIER_LIB_PROGRAM_EVALUATIONRULES_H

#include "vernier/Program/Evaluation.h"
#include "vernier/Program/Program.h"

namespace vernier::program {

/// A launch of a row kernel.
llvm::LogicalResult launchRows(LaunchOp op, KernelOp kernel, reference::Operands in,
                               reference::Results out, reference::Evaluator &evaluator);

/// `program.rows` and what only bodies of row kernels hold.
void populateRowRules(reference::RuleTable &rules);

} // namespace vernier::program

#endif // VERNIER_LIB_PROGRAM_EVALUATIONRULES_H
