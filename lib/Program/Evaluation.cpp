//===- Evaluation.cpp - Evaluation of kernel programs --------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Program/Evaluation.h"
#include "EvaluationRules.h"
#include "mlir/IR/SymbolTable.h"
#include "vernier/Reference/Evaluator.h"
#include "vernier/Reference/Formulas.h"
#include <cmath>

using namespace mlir;
using namespace vernier;
using namespace vernier::program;
using namespace vernier::reference;

static Tensor transpose(const Tensor &matrix) {
  Tensor result({matrix.shape[1], matrix.shape[0]});
  for (int64_t i = 0; i < matrix.rows(); ++i)
    for (int64_t j = 0; j < matrix.width(); ++j)
      result.row(j)[i] = matrix.row(i)[j];
  return result;
}

static void multiply(ProductOp op, Operands in, Results out) {
  Tensor lhs = op.getTransposeLhs() ? transpose(*in[0]) : *in[0];
  Tensor rhs = op.getTransposeRhs() ? transpose(*in[1]) : *in[1];
  if (op.getInit())
    out[0] = *in[2];
  for (int64_t i = 0; i < lhs.rows(); ++i)
    for (int64_t k = 0; k < lhs.width(); ++k)
      addScaled(lhs.row(i)[k], rhs.row(k), out[0].row(i), rhs.width());
}

static void ropeTable(RopeTableOp op, Operands, Results out) {
  int64_t half = out[0].width();
  double theta = op.getTheta().convertToDouble();
  for (int64_t t = 0; t < out[0].rows(); ++t)
    for (int64_t i = 0; i < half; ++i) {
      double angle = t * ropeFrequency(i, 2 * half, theta, op.getScalingAttr());
      out[0].row(t)[i] = std::cos(angle);
      out[1].row(t)[i] = std::sin(angle);
    }
}

static void launchAttention(AttentionKernelOp kernel, Operands in, Results out) {
  AttentionOptions options;
  options.scale = kernel.getScale().convertToDouble();
  options.causal = kernel.getCausal();
  options.window = kernel.getWindow();
  if (kernel.getBackward())
    attentionGrad(options, {*in[0], *in[1], *in[2], *in[3], *in[4], *in[5]}, out[0], out[1],
                  out[2]);
  else
    attention(options, *in[0], *in[1], *in[2], out[0], out[1]);
}

static LogicalResult launch(LaunchOp op, Operands in, Results out, Evaluator &evaluator) {
  Operation *kernel = SymbolTable::lookupNearestSymbolFrom(op, op.getKernelAttr());
  if (auto rows = dyn_cast_or_null<KernelOp>(kernel))
    return launchRows(op, rows, in, out, evaluator);
  if (isa_and_nonnull<GatherKernelOp>(kernel))
    return gatherRows(op, *in[0], *in[1], out[0]);
  if (isa_and_nonnull<ScatterAddKernelOp>(kernel)) {
    out[0] = *in[2];
    return scatterAddRows(op, *in[0], *in[1], out[0]);
  }
  if (auto attention = dyn_cast_or_null<AttentionKernelOp>(kernel)) {
    launchAttention(attention, in, out);
    return success();
  }
  return op.emitOpError() << "'" << op.getKernel() << "' is no kernel that can be evaluated";
}

void vernier::program::populateEvaluationRules(RuleTable &rules) {
  populateRowRules(rules);
  rules.add<ProductOp>(multiply);
  rules.add<RopeTableOp>(ropeTable);
  rules.add<LaunchOp>(launch);
}

const RuleTable &vernier::program::getEvaluationRules() {
  static const RuleTable table = [] {
    RuleTable rules = getGraphRules();
    populateEvaluationRules(rules);
    return rules;
  }();
  return table;
}
