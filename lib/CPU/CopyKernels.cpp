//===- CopyKernels.cpp - Gather and scatter-add -------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Columns.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "vernier/Program/Geometry.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;
using namespace vernier::program;

static constexpr int64_t kCopySlots = 4;

// The address of the row of a table that an id chooses.
static Value getChosenRow(CodeBuilder &b, Type element, Value table, int64_t length, Value ids,
                          Value position) {
  Value id = arith::ExtSIOp::create(b, b.getI64Type(), b.load(b.getI32Type(), ids, position));
  return b.address(element, table, b.mul(id, length));
}

LogicalResult cpu::lowerGatherKernel(GatherKernelOp kernel, const CPUTarget &target,
                                     OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  Geometry geometry = getGeometry(kernel);
  KernelFunction function = createKernelFunction(builder, kernel.getLoc(), kernel.getSymName());
  CodeBuilder b(kernel.getLoc(), builder);
  auto table = cast<RankedTensorType>(kernel.getFunctionType().getInput(1));
  Type element = table.getElementType();
  int64_t length = table.getDimSize(1);
  Value ids = b.loadBuffer(function, 0), rows = b.loadBuffer(function, 1);
  Value result = b.loadBuffer(function, 2);
  Value begin = b.mul(function.block, geometry.rowsPerBlock);
  Value end =
      arith::MinSIOp::create(b, b.add(begin, geometry.rowsPerBlock), b.constant(geometry.rows));
  auto vector = VectorType::get(target.getLanes(), element);
  forRange(b, begin, end, [&](Value row) {
    Value from = getChosenRow(b, element, rows, length, ids, row);
    Value to = b.address(element, result, b.mul(row, length));
    forColumns(b, length, target.getLanes(), kCopySlots, [&](const Chunk &chunk) {
      forVectors(chunk, [&](int64_t, int64_t offset, int64_t valid) {
        Value column = b.add(chunk.first, offset);
        b.store(b.load(vector, from, column, valid), to, column, valid);
      });
    });
  });
  return success();
}

namespace {
/// Emits the sum over all tokens of some columns.
struct ScatterEmitter {
  CodeBuilder &b;
  VectorType vector;
  int64_t rows, length; ///< of the gradient
  Value gradient, ids, table;

  void emitColumns(Value firstColumn, int64_t columns) {
    Type element = vector.getElementType();
    forRange(b, b.constant(0), b.constant(rows), [&](Value row) {
      Value from = b.address(element, gradient, b.add(b.mul(row, length), firstColumn));
      Value to = b.address(element, getChosenRow(b, element, table, length, ids, row), firstColumn);
      forColumns(b, columns, vector.getNumElements(), kCopySlots,
                 [&](const Chunk &chunk) { addChunk(chunk, from, to); });
    });
  }

  void addChunk(const Chunk &chunk, Value from, Value to) {
    forVectors(chunk, [&](int64_t, int64_t offset, int64_t valid) {
      Value column = b.add(chunk.first, offset);
      Value sum = arith::AddFOp::create(b, b.load(vector, to, column, valid),
                                        b.load(vector, from, column, valid));
      b.store(sum, to, column, valid);
    });
  }
};
} // namespace

// A block adds some columns of all tokens, so that tokens that choose the same
// row are added in their order.
LogicalResult cpu::lowerScatterAddKernel(ScatterAddKernelOp kernel, const CPUTarget &target,
                                         OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  Geometry geometry = getGeometry(kernel);
  KernelFunction function = createKernelFunction(builder, kernel.getLoc(), kernel.getSymName());
  CodeBuilder b(kernel.getLoc(), builder);
  auto table = cast<RankedTensorType>(kernel.getFunctionType().getInput(2));
  int64_t length = table.getDimSize(1), columns = geometry.columnsPerBlock;
  ScatterEmitter emitter{b,
                         VectorType::get(target.getLanes(), table.getElementType()),
                         geometry.rows,
                         length,
                         b.loadBuffer(function, 0),
                         b.loadBuffer(function, 1),
                         b.loadBuffer(function, 3)};
  Value first = b.mul(function.block, columns);
  if (length % columns == 0) {
    emitter.emitColumns(first, columns);
    return success();
  }
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, function.block,
                                       b.constant(geometry.blocks - 1));
  auto branch = scf::IfOp::create(b, isLast, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  emitter.emitColumns(first, length % columns);
  b.setInsertionPointToStart(branch.elseBlock());
  emitter.emitColumns(first, columns);
  return success();
}
