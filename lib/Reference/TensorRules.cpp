//===- TensorRules.cpp - Rules of shape operations and calls -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "vernier/Reference/Evaluator.h"

using namespace mlir;
using namespace vernier::reference;

static LogicalResult call(func::CallOp op, Operands in, Results out, Evaluator &evaluator) {
  std::vector<Tensor> arguments;
  for (const Tensor *operand : in)
    arguments.push_back(*operand);
  FailureOr<std::vector<Tensor>> results = evaluator.call(op.getCallee(), arguments);
  if (failed(results))
    return failure();
  llvm::move(*results, out.begin());
  return success();
}

// Row-major entries stay where they are.
template <typename OpT> static void reshape(OpT, Operands in, Results out) {
  out[0].data = in[0]->data;
}

static void splat(tensor::SplatOp, Operands in, Results out) {
  llvm::fill(out[0].data, in[0]->data[0]);
}

static LogicalResult extract(tensor::ExtractOp op, Operands in, Results out) {
  const Tensor &from = *in[0];
  int64_t position = 0;
  for (auto [size, index] : llvm::zip_equal(from.shape, in.drop_front())) {
    auto i = static_cast<int64_t>(index->data[0]);
    if (i < 0 || i >= size)
      return op.emitOpError() << "index " << i << " is outside the dimension of " << size;
    position = position * size + i;
  }
  out[0].data[0] = from.data[position];
  return success();
}

static LogicalResult extractSlice(tensor::ExtractSliceOp op, Operands in, Results out) {
  ArrayRef<int64_t> offsets = op.getStaticOffsets(), strides = op.getStaticStrides();
  if (in.size() > 1)
    return op.emitOpError() << "has offsets, sizes or strides that are values; only constant ones "
                               "are evaluated";
  // The slice's own sizes: a result of lower rank holds the same entries.
  SmallVector<int64_t> sizeStrides = computeSuffixProduct(op.getStaticSizes());
  for (int64_t i = 0; i < out[0].size(); ++i) {
    int64_t position = 0;
    for (auto [d, index] : llvm::enumerate(delinearize(i, sizeStrides)))
      position = position * in[0]->shape[d] + offsets[d] + index * strides[d];
    out[0].data[i] = in[0]->data[position];
  }
  return success();
}

static void concat(tensor::ConcatOp op, Operands in, Results out) {
  auto dimension = static_cast<size_t>(op.getDim());
  // Everything from the dimension on is contiguous in each operand.
  int64_t outer = 1;
  for (size_t d = 0; d < dimension; ++d)
    outer *= out[0].shape[d];
  double *to = out[0].data.data();
  for (int64_t o = 0; o < outer; ++o)
    for (const Tensor *operand : in) {
      int64_t chunk = operand->size() / outer;
      to = std::copy_n(operand->data.data() + o * chunk, chunk, to);
    }
}

static void fromElements(tensor::FromElementsOp, Operands in, Results out) {
  for (auto [entry, operand] : llvm::zip_equal(out[0].data, in))
    entry = operand->data[0];
}

void vernier::reference::populateTensorRules(RuleTable &rules) {
  rules.add<func::CallOp>(call);
  rules.add<tensor::ExpandShapeOp>(reshape<tensor::ExpandShapeOp>);
  rules.add<tensor::CollapseShapeOp>(reshape<tensor::CollapseShapeOp>);
  rules.add<tensor::SplatOp>(splat);
  rules.add<tensor::ExtractOp>(extract);
  rules.add<tensor::ExtractSliceOp>(extractSlice);
  rules.add<tensor::ConcatOp>(concat);
  rules.add<tensor::FromElementsOp>(fromElements);
}
