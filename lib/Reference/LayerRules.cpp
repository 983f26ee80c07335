//===- LayerRules.cpp - Rules of the layers of a model -------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Reference/Evaluator.h"
#include "vernier/Reference/Formulas.h"
#include <cmath>

using namespace mlir;
using namespace vernier;
using namespace vernier::reference;

static LogicalResult getParam(GetParamOp op, Operands, Results out, Evaluator &evaluator) {
  const Tensor *value = evaluator.findParam(op.getParam());
  if (!value)
    return op.emitOpError() << "there is no value for parameter '" << op.getParam() << "'";
  if (value->shape != out[0].shape)
    return op.emitOpError() << "parameter '" << op.getParam() << "' is given with " << value->size()
                            << " entries in another shape than " << op.getType();
  out[0] = *value;
  return success();
}

// Ids are checked here too, since any file may hold anything.
static FailureOr<int64_t> rowOfId(Operation *op, const Tensor &ids, int64_t position,
                                  const Tensor &table) {
  auto id = static_cast<int64_t>(ids.data[position]);
  if (id < 0 || id >= table.shape[0])
    return op->emitOpError() << "id " << id << " at position " << position
                             << " is outside the table of " << table.shape[0] << " rows";
  return id;
}

LogicalResult vernier::reference::gatherRows(Operation *op, const Tensor &ids, const Tensor &table,
                                             Tensor &result) {
  for (int64_t r = 0; r < ids.size(); ++r) {
    FailureOr<int64_t> id = rowOfId(op, ids, r, table);
    if (failed(id))
      return failure();
    std::copy_n(table.row(*id), table.width(), result.row(r));
  }
  return success();
}

LogicalResult vernier::reference::scatterAddRows(Operation *op, const Tensor &rows,
                                                 const Tensor &ids, Tensor &table) {
  for (int64_t r = 0; r < ids.size(); ++r) {
    FailureOr<int64_t> id = rowOfId(op, ids, r, table);
    if (failed(id))
      return failure();
    addScaled(1, rows.row(r), table.row(*id), table.width());
  }
  return success();
}

static LogicalResult embedding(EmbeddingOp op, Operands in, Results out) {
  return gatherRows(op, *in[0], *in[1], out[0]);
}

// y[r, o] = sum_i x[r, i] w[o, i] + b[o]
static void linear(LinearOp op, Operands in, Results out) {
  const Tensor &x = *in[0], &w = *in[1];
  const Tensor *bias = op.getBias() ? in[2] : nullptr;
  for (int64_t r = 0; r < x.rows(); ++r)
    for (int64_t o = 0; o < w.rows(); ++o)
      out[0].row(r)[o] = dot(x.row(r), w.row(o), x.width()) + (bias ? bias->data[o] : 0);
}

static void rmsNorm(RMSNormOp op, Operands in, Results out) {
  const Tensor &x = *in[0];
  int64_t d = x.width();
  for (int64_t r = 0; r < x.rows(); ++r) {
    double squares = dot(x.row(r), x.row(r), d);
    double scale = 1 / std::sqrt(squares / d + op.getEpsilon().convertToDouble());
    for (int64_t j = 0; j < d; ++j)
      out[0].row(r)[j] = x.row(r)[j] * scale;
  }
}

static void layerNorm(LayerNormOp op, Operands in, Results out) {
  const Tensor &x = *in[0];
  int64_t d = x.width();
  for (int64_t r = 0; r < x.rows(); ++r) {
    double mean = 0, variance = 0;
    for (int64_t j = 0; j < d; ++j)
      mean += x.row(r)[j] / d;
    for (int64_t j = 0; j < d; ++j)
      variance += (x.row(r)[j] - mean) * (x.row(r)[j] - mean) / d;
    double scale = 1 / std::sqrt(variance + op.getEpsilon().convertToDouble());
    for (int64_t j = 0; j < d; ++j)
      out[0].row(r)[j] = (x.row(r)[j] - mean) * scale;
  }
}

static void scale(ScaleOp op, Operands in, Results out) {
  const Tensor &x = *in[0], &gamma = *in[1];
  double offset = op.getOffset().convertToDouble();
  for (int64_t r = 0; r < x.rows(); ++r)
    for (int64_t j = 0; j < x.width(); ++j)
      out[0].row(r)[j] = (offset + gamma.data[j]) * x.row(r)[j];
}

static void scaleRows(ScaleRowsOp op, Operands in, Results out) {
  const Tensor &x = *in[0], &gamma = *in[1];
  double offset = op.getOffset().convertToDouble();
  for (int64_t r = 0; r < x.rows(); ++r)
    for (int64_t j = 0; j < x.width(); ++j)
      out[0].row(r)[j] = (offset + gamma.data[r]) * x.row(r)[j];
}

static void add(AddOp, Operands in, Results out) {
  for (int64_t i = 0; i < out[0].size(); ++i)
    out[0].data[i] = in[0]->data[i] + in[1]->data[i];
}

static void mul(MulOp, Operands in, Results out) {
  for (int64_t i = 0; i < out[0].size(); ++i)
    out[0].data[i] = in[0]->data[i] * in[1]->data[i];
}

static void glu(GluOp op, Operands in, Results out) {
  for (int64_t i = 0; i < out[0].size(); ++i)
    out[0].data[i] = activation(op.getActivation(), in[0]->data[i]).value * in[1]->data[i];
}

void vernier::reference::populateLayerRules(RuleTable &rules) {
  rules.add<GetParamOp>(getParam);
  rules.add<EmbeddingOp>(embedding);
  rules.add<LinearOp>(linear);
  rules.add<RMSNormOp>(rmsNorm);
  rules.add<LayerNormOp>(layerNorm);
  rules.add<ScaleOp>(scale);
  rules.add<ScaleRowsOp>(scaleRows);
  rules.add<AddOp>(add);
  rules.add<MulOp>(mul);
  rules.add<GluOp>(glu);
}
