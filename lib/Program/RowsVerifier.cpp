//===- RowsVerifier.cpp - Verifiers of program.rows and program.kernel -===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "vernier/Program/Program.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace {

/// Checks the constraints that `program.rows` and `program.kernel` share.
class RowsVerifier {
public:
  RowsVerifier(Operation *op, ArrayRef<int64_t> space, ArrayAttr maps, ArrayAttr outputs,
               Region &body, TypeRange inputs, TypeRange results)
      : op(op), space(space), maps(maps), outputs(outputs), body(body), inputs(inputs),
        results(results) {}

  LogicalResult verify() {
    if (failed(verifyCounts()))
      return failure();
    for (unsigned i = 0; i < inputs.size(); ++i)
      if (failed(verifyInput(i)))
        return failure();
    for (unsigned i = 0; i < results.size(); ++i)
      if (failed(verifyResult(i)))
        return failure();
    return verifyBody();
  }

private:
  LogicalResult verifyCounts() {
    for (int64_t size : space)
      if (size <= 0)
        return op->emitOpError() << "space has size " << size << ", but sizes must be positive";
    if (maps.size() != inputs.size())
      return op->emitOpError() << "has " << maps.size() << " maps for " << inputs.size()
                               << " inputs";
    if (outputs.size() != results.size())
      return op->emitOpError() << "has " << outputs.size() << " output kinds for " << results.size()
                               << " results";
    if (body.empty() || body.front().getNumArguments() != inputs.size())
      return op->emitOpError() << "body has " << (body.empty() ? 0 : body.front().getNumArguments())
                               << " arguments for " << inputs.size() << " inputs";
    yield = body.front().empty() ? nullptr : dyn_cast<YieldOp>(body.front().back());
    if (!yield)
      return op->emitOpError() << "body does not end with program.yield";
    if (yield->getNumOperands() != results.size())
      return op->emitOpError() << "body yields " << yield->getNumOperands() << " values for "
                               << results.size() << " results";
    return success();
  }

  // The row, or the number, of which a tensor with these leading dimensions
  // consists.
  static Type getRow(RankedTensorType tensor, unsigned leading) {
    if (tensor.getRank() == leading)
      return tensor.getElementType();
    return RankedTensorType::get(tensor.getShape().drop_front(leading), tensor.getElementType());
  }

  LogicalResult verifyInput(unsigned index) {
    auto type = dyn_cast<RankedTensorType>(inputs[index]);
    if (!type || !type.hasStaticShape())
      return op->emitOpError() << "input " << index << " has type " << inputs[index]
                               << ", but must be a tensor with a static shape";
    AffineMap map = cast<AffineMapAttr>(maps[index]).getValue();
    if (map.getNumInputs() != space.size() || map.getNumSymbols() != 0)
      return op->emitOpError() << maps[index] << " of input " << index << " has "
                               << map.getNumInputs() << " dimensions, but the space has "
                               << space.size();
    int64_t left = type.getRank() - map.getNumResults();
    if (left != 0 && left != 1)
      return op->emitOpError() << maps[index] << " leaves " << left << " dimensions of input "
                               << index << " of type " << type << ", but a row has 0 or 1";
    if (failed(verifyMap(index, map, type)))
      return failure();
    Type row = getRow(type, map.getNumResults());
    Type argument = body.front().getArgument(index).getType();
    if (argument != row)
      return op->emitOpError() << "argument " << index << " of the body has type " << argument
                               << ", but the rows of input " << index << " are " << row;
    return success();
  }

  LogicalResult verifyMap(unsigned index, AffineMap map, RankedTensorType type) {
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto position = dyn_cast<AffineDimExpr>(expr);
      if (!position)
        return op->emitOpError() << maps[index] << " of input " << index
                                 << " must only pick dimensions";
      int64_t expected = space[position.getPosition()];
      if (type.getDimSize(dim) != expected)
        return op->emitOpError() << "dimension " << dim << " of input " << index << " is "
                                 << type.getDimSize(dim) << ", but dimension "
                                 << position.getPosition() << " of the space is " << expected;
    }
    return success();
  }

  LogicalResult verifyResult(unsigned index) {
    Type yielded = yield->getOperand(index).getType();
    bool sums = cast<OutputKindAttr>(outputs[index]).getValue() == OutputKind::Sum;
    SmallVector<int64_t> shape;
    if (!sums)
      llvm::append_range(shape, space);
    if (auto row = dyn_cast<RankedTensorType>(yielded))
      llvm::append_range(shape, row.getShape());
    Type element = getElementTypeOrSelf(yielded);
    if (sums && !element.isF32() && !element.isF64() && !element.isInteger(32) &&
        !element.isInteger(64))
      return op->emitOpError() << "result " << index << " sums up " << element
                               << ", but sums are of f32, f64, i32 or i64";
    auto expected = RankedTensorType::get(shape, element);
    if (results[index] != expected)
      return op->emitOpError() << "result " << index << " has type " << results[index]
                               << ", but the body makes " << expected;
    return success();
  }

  LogicalResult verifyBody() {
    for (Operation &nested : body.front()) {
      bool known = isa<YieldOp, ReduceOp, ColumnIndexOp, tensor::SplatOp, tensor::ExtractOp,
                       tensor::ExtractSliceOp, tensor::ConcatOp>(nested) ||
                   isa_and_nonnull<arith::ArithDialect, math::MathDialect>(nested.getDialect());
      if (!known)
        return nested.emitOpError() << "has no place in the body of " << op->getName();
    }
    return success();
  }

  Operation *op;
  ArrayRef<int64_t> space;
  ArrayAttr maps, outputs;
  Region &body;
  TypeRange inputs, results;
  YieldOp yield;
};

} // namespace

LogicalResult RowsOp::verifyRegions() {
  return RowsVerifier(*this, getSpace(), getMaps(), getOutputs(), getBody(), getInputs().getTypes(),
                      getResultTypes())
      .verify();
}

LogicalResult KernelOp::verifyRegions() {
  FunctionType type = getFunctionType();
  return RowsVerifier(*this, getSpace(), getMaps(), getOutputs(), getBody(), type.getInputs(),
                      type.getResults())
      .verify();
}
