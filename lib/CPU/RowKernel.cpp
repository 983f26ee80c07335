//===- RowKernel.cpp - The loop over the rows of a block -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FinishKernel.h"
#include "RowEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;
using namespace vernier::program;

LogicalResult cpu::lowerRowKernel(KernelOp kernel, const CPUTarget &target, OpBuilder &builder) {
  FailureOr<RowPlan> plan = RowPlan::create(kernel);
  if (failed(plan))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  RowEmitter(kernel, *plan, target, builder).emitBlock();
  builder.setInsertionPoint(kernel);
  createFinishFunction(kernel, target, builder);
  return success();
}

RowEmitter::RowEmitter(KernelOp kernel, const RowPlan &plan, const CPUTarget &target,
                       OpBuilder &builder)
    : kernel(kernel), plan(plan), target(target), geometry(getGeometry(kernel)),
      function(createKernelFunction(builder, kernel.getLoc(), kernel.getSymName(),
                                    plan.getScratchBytes())),
      b(kernel.getLoc(), builder), body(kernel.getBody().front()) {}

void RowEmitter::emitBlock() {
  loadBuffers();
  clearPartialSums();
  for (BlockArgument argument : body.getArguments())
    if (plan.isUniform(argument))
      scalars.map(argument,
                  b.load(argument.getType(), buffers[argument.getArgNumber()], b.constant(0)));
  for (unsigned level = 0; level < plan.getLevelCount(); ++level)
    emitScalars(level, /*uniform=*/true);
  Value begin = b.mul(function.block, geometry.rowsPerBlock);
  Value end = b.add(begin, geometry.rowsPerBlock);
  if (geometry.rows % geometry.rowsPerBlock != 0)
    end = arith::MinSIOp::create(b, end, b.constant(geometry.rows));
  forRange(b, begin, end, [&](Value row) { emitRow(row); });
}

void RowEmitter::loadBuffers() {
  int64_t count = body.getNumArguments() + body.getTerminator()->getNumOperands();
  for (int64_t index = 0; index < count + !geometry.partials.empty(); ++index)
    buffers.push_back(b.loadBuffer(function, index));
}

// The address of the block's partial sum of an output.
Value RowEmitter::getPartialSum(unsigned output) {
  for (const PartialSum &partial : geometry.partials)
    if (partial.output == output)
      return b.address(b.getI8Type(), buffers.back(),
                       b.add(b.mul(function.block, partial.stride), partial.offset));
  return nullptr;
}

void RowEmitter::clearPartialSums() {
  resultRows.assign(body.getTerminator()->getNumOperands(), nullptr);
  for (const PartialSum &partial : geometry.partials) {
    Value address = resultRows[partial.output] = getPartialSum(partial.output);
    Type type = getElementTypeOrSelf(body.getTerminator()->getOperand(partial.output).getType());
    Value zero =
        arith::ConstantOp::create(b, b.getZeroAttr(VectorType::get(target.getLanes(), type)));
    forColumns(b, partial.length, target.getLanes(), 1,
               [&](const Chunk &chunk) { b.store(zero, address, chunk.first, chunk.valid); });
  }
}

void RowEmitter::emitRow(Value row) {
  placeRow(row);
  for (BlockArgument argument : body.getArguments())
    if (!isRow(argument) && !plan.isUniform(argument))
      scalars.map(argument,
                  b.load(argument.getType(), operandRows[argument.getArgNumber()], b.constant(0)));
  for (unsigned level = 0; level < plan.getLevelCount(); ++level) {
    emitScalars(level, /*uniform=*/false);
    for (auto [number, sweep] : llvm::enumerate(plan.getSweeps()))
      if (sweep.level == level)
        emitSweep(number);
  }
  storeScalarOutputs();
}

// Finds the addresses of what belongs to a row of the space.
void RowEmitter::placeRow(Value row) {
  currentRow = row;
  operandRows.clear();
  for (BlockArgument argument : body.getArguments()) {
    Type element = getElementTypeOrSelf(argument.getType());
    operandRows.push_back(
        b.address(element, buffers[argument.getArgNumber()], getOperandIndex(argument, row)));
  }
  for (auto [index, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    if (cast<OutputKindAttr>(kernel.getOutputs()[index]).getValue() == OutputKind::Sum)
      continue;
    Value first = b.mul(row, isRow(value) ? getRowLength(value) : 1);
    resultRows[index] = b.address(getElementTypeOrSelf(value.getType()),
                                  buffers[body.getNumArguments() + index], first);
  }
  for (const Sweep &sweep : plan.getSweeps())
    for (Value value : sweep.kept) {
      const KeptRow *kept = plan.getKept(value);
      keptRows[value] = kept->result ? resultRows[*kept->result]
                                     : b.address(b.getI8Type(), function.scratch,
                                                 b.constant(kept->scratchOffset));
    }
}

// The index of an operand's first element for a row: `row` counts rows of the
// space, the operand's map picks some of its indices.
Value RowEmitter::getOperandIndex(BlockArgument operand, Value row) {
  int64_t length = isRow(operand) ? getRowLength(operand) : 1;
  AffineMap map = cast<AffineMapAttr>(kernel.getMaps()[operand.getArgNumber()]).getValue();
  if (map.isIdentity())
    return b.mul(row, length);
  ArrayRef<int64_t> space = kernel.getSpace();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(kernel.getFunctionType().getInput(operand.getArgNumber())).getShape();
  Value index = b.constant(0);
  for (auto [position, result] : llvm::enumerate(map.getResults())) {
    unsigned dim = cast<AffineDimExpr>(result).getPosition();
    int64_t inner = 1;
    for (int64_t size : space.drop_front(dim + 1))
      inner *= size;
    Value coordinate = arith::DivUIOp::create(b, row, b.constant(inner));
    if (dim != 0)
      coordinate = arith::RemUIOp::create(b, coordinate, b.constant(space[dim]));
    index = b.add(b.mul(index, shape[position]), coordinate);
  }
  return b.mul(index, length);
}

void RowEmitter::emitScalars(unsigned level, bool uniform) {
  for (Operation &op : body.without_terminator()) {
    bool isScalar = op.getNumResults() == 1 && !isRow(op.getResult(0)) && !isa<ReduceOp>(op);
    if (isScalar && plan.getLevel(op.getResult(0)) == level &&
        plan.isUniform(op.getResult(0)) == uniform)
      emitScalar(op);
  }
}

void RowEmitter::emitScalar(Operation &op) {
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  if (!extract) {
    b.clone(op, scalars);
    return;
  }
  Value index = scalars.lookup(extract.getIndices().front());
  ColumnRange column;
  column.first = arith::IndexCastOp::create(b, b.getI64Type(), index);
  scalars.map(extract.getResult(), compute(extract.getTensor(), 0, column));
}

void RowEmitter::storeScalarOutputs() {
  for (auto [index, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    if (isRow(value))
      continue;
    Value result = scalars.lookup(value), zero = b.constant(0);
    if (cast<OutputKindAttr>(kernel.getOutputs()[index]).getValue() == OutputKind::Sum) {
      Value sum = b.load(result.getType(), resultRows[index], zero);
      result = isa<FloatType>(result.getType()) ? Value(arith::AddFOp::create(b, sum, result))
                                                : Value(arith::AddIOp::create(b, sum, result));
    }
    b.store(result, resultRows[index], zero);
  }
}
