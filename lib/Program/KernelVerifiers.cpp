//===- KernelVerifiers.cpp - Verifiers of kernels without a body -------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "vernier/Program/Program.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

// Operands and results are static tensors, so and so many.
static LogicalResult verifyCounts(Operation *op, FunctionType type, unsigned inputs,
                                  unsigned results) {
  if (type.getNumInputs() != inputs || type.getNumResults() != results)
    return op->emitOpError() << "takes " << type.getNumInputs() << " and gives "
                             << type.getNumResults() << " values, but must take " << inputs
                             << " and give " << results;
  SmallVector<Type> all(type.getInputs());
  llvm::append_range(all, type.getResults());
  for (Type tensor : all) {
    auto ranked = dyn_cast<RankedTensorType>(tensor);
    if (!ranked || !ranked.hasStaticShape())
      return op->emitOpError() << "has " << tensor << " in its type, but must have tensors of "
                               << "static shape only";
  }
  return success();
}

static ArrayRef<int64_t> shapeOf(Type type) { return cast<RankedTensorType>(type).getShape(); }

static LogicalResult verifySame(Operation *op, StringRef what, Type found, Type expected) {
  if (found == expected)
    return success();
  return op->emitOpError() << what << " has type " << found << ", but must have " << expected;
}

static LogicalResult verifyElement(Operation *op, StringRef what, Type type, bool fits,
                                   StringRef expected) {
  if (fits)
    return success();
  return op->emitOpError() << what << " has type " << type << ", but must have " << expected;
}

// `rows` is a tensor with a row of `table` for each of `ids`.
static LogicalResult verifyIndexed(Operation *op, Type rows, Type ids, Type table) {
  auto tableType = cast<RankedTensorType>(table);
  if (failed(verifyElement(op, "ids", ids, getElementTypeOrSelf(ids).isInteger(32),
                           "elements of i32")) ||
      failed(verifyElement(op, "table", table, tableType.getRank() == 2, "two dimensions")))
    return failure();
  SmallVector<int64_t> shape(shapeOf(ids));
  shape.push_back(tableType.getDimSize(1));
  if (shapeOf(rows) == ArrayRef<int64_t>(shape))
    return success();
  return op->emitOpError() << "rows have type " << rows << ", but ids and table make "
                           << RankedTensorType::get(shape, getElementTypeOrSelf(rows));
}

LogicalResult GatherKernelOp::verify() {
  FunctionType type = getFunctionType();
  if (failed(verifyCounts(*this, type, 2, 1)))
    return failure();
  return verifyIndexed(*this, type.getResult(0), type.getInput(0), type.getInput(1));
}

LogicalResult ScatterAddKernelOp::verify() {
  FunctionType type = getFunctionType();
  if (failed(verifyCounts(*this, type, 3, 1)) ||
      failed(verifyIndexed(*this, type.getInput(0), type.getInput(1), type.getInput(2))))
    return failure();
  return verifySame(*this, "result", type.getResult(0), type.getInput(2));
}

// Constraints (1) to (5) of `vernier.attention`.
static LogicalResult verifyHeads(Operation *op, Type query, Type key, Type value, Type output,
                                 Type logSumExp) {
  ArrayRef<int64_t> q = shapeOf(query), k = shapeOf(key);
  if (q.size() != 4 || k.size() != 4)
    return op->emitOpError() << "has a query of type " << query << " and a key of type " << key
                             << ", but both must have four dimensions";
  if (q[0] != k[0] || q[1] != k[1] || q[3] != k[3])
    return op->emitOpError() << "has a query of type " << query << " and a key of type " << key
                             << ", but batch, sequence and head_dim must agree";
  if (k[2] == 0 || q[2] % k[2] != 0)
    return op->emitOpError() << "has " << q[2] << " query heads, which is no multiple of its "
                             << k[2] << " key heads";
  auto numbers = RankedTensorType::get(q.drop_back(), Float32Type::get(op->getContext()));
  if (failed(verifySame(op, "value", value, key)) ||
      failed(verifySame(op, "output", output, query)))
    return failure();
  return verifySame(op, "log_sum_exp", logSumExp, numbers);
}

LogicalResult AttentionKernelOp::verify() {
  FunctionType type = getFunctionType();
  if (failed(verifyCounts(*this, type, getBackward() ? 6 : 3, getBackward() ? 3 : 2)))
    return failure();
  if (!getScale().isFiniteNonZero() || getScale().isNegative())
    return emitOpError() << "scale is " << getScale().convertToDouble()
                         << ", but must be positive and finite";
  if (auto window = getWindow(); window && static_cast<int64_t>(*window) <= 0)
    return emitOpError() << "window is " << static_cast<int64_t>(*window)
                         << ", but must be positive";
  if (getWindow() && !getCausal())
    return emitOpError() << "has a window, but is not causal";
  if (!getBackward())
    return verifyHeads(*this, type.getInput(0), type.getInput(1), type.getInput(2),
                       type.getResult(0), type.getResult(1));
  if (failed(verifyHeads(*this, type.getInput(1), type.getInput(2), type.getInput(3),
                         type.getInput(4), type.getInput(5))) ||
      failed(verifySame(*this, "output_grad", type.getInput(0), type.getInput(4))))
    return failure();
  for (auto [name, index] : {std::pair("query_grad", 0), {"key_grad", 1}, {"value_grad", 2}})
    if (failed(verifySame(*this, name, type.getResult(index), type.getInput(index + 1))))
      return failure();
  return success();
}
