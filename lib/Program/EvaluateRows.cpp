//===- EvaluateRows.cpp - Evaluation of row kernels ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluationRules.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "vernier/Program/Program.h"
#include "vernier/Reference/Evaluator.h"

using namespace mlir;
using namespace vernier::program;
using namespace vernier::reference;

// An operand's row for the row of the kernel with that index: the entries at
// the leading indices that the map gives, in all dimensions that it leaves out.
static FailureOr<Tensor> readRow(Operation *op, const Tensor &operand, AffineMap map,
                                 ArrayRef<int64_t> index) {
  int64_t row = 0;
  for (auto [dimension, position] : llvm::enumerate(map.compose(index))) {
    int64_t size = operand.shape[dimension];
    if (position < 0 || position >= size)
      return op->emitOpError() << "reads index " << position << " of a dimension of " << size;
    row = row * size + position;
  }
  auto rest = ArrayRef<int64_t>(operand.shape).drop_front(map.getNumResults());
  Tensor result(rest.vec());
  std::copy_n(operand.data.begin() + row * result.size(), result.size(), result.data.begin());
  return result;
}

// Puts a row's value in its place, or adds it to the sum over all rows.
static void writeRow(OutputKind kind, int64_t row, const Tensor &value, Tensor &result) {
  for (int64_t i = 0; i < value.size(); ++i)
    if (kind == OutputKind::Map)
      result.data[row * value.size() + i] = value.data[i];
    else
      result.data[i] += value.data[i];
}

// `kernel` says what is computed, `op` is where errors are reported.
template <typename OpT>
static LogicalResult evaluateRows(OpT kernel, Operation *op, Operands in, Results out,
                                  Evaluator &evaluator) {
  auto maps = kernel.getMaps().template getAsValueRange<AffineMapAttr>();
  auto kinds = kernel.getOutputs().template getAsRange<OutputKindAttr>();
  SmallVector<int64_t> strides = computeSuffixProduct(kernel.getSpace());
  for (int64_t row = 0, count = computeProduct(kernel.getSpace()); row < count; ++row) {
    SmallVector<int64_t> index = delinearize(row, strides);
    std::vector<Tensor> arguments;
    for (auto [operand, map] : llvm::zip_equal(in, maps)) {
      FailureOr<Tensor> argument = readRow(op, *operand, map, index);
      if (failed(argument))
        return failure();
      arguments.push_back(std::move(*argument));
    }
    auto yielded = evaluator.run(kernel.getBody().front(), std::move(arguments));
    if (failed(yielded))
      return failure();
    for (auto [kind, value, result] : llvm::zip_equal(kinds, *yielded, out))
      writeRow(kind.getValue(), row, value, result);
  }
  return success();
}

static LogicalResult rows(RowsOp op, Operands in, Results out, Evaluator &evaluator) {
  return evaluateRows(op, op, in, out, evaluator);
}

LogicalResult vernier::program::launchRows(LaunchOp op, KernelOp kernel, Operands in, Results out,
                                           Evaluator &evaluator) {
  return evaluateRows(kernel, op, in, out, evaluator);
}

static void reduce(ReduceOp op, Operands in, Results out) {
  double &result = out[0].data[0];
  if (op.getKind() == ReduceKind::Max)
    result = *llvm::max_element(in[0]->data);
  else
    for (double entry : in[0]->data)
      result += entry;
}

static void columnIndex(ColumnIndexOp, Operands, Results out) {
  for (int64_t i = 0; i < out[0].size(); ++i)
    out[0].data[i] = static_cast<double>(i);
}

void vernier::program::populateRowRules(RuleTable &rules) {
  rules.add<RowsOp>(rows);
  rules.add<ReduceOp>(reduce);
  rules.add<ColumnIndexOp>(columnIndex);
}
