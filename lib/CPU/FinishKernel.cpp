//===- FinishKernel.cpp - Adds up the partial sums of blocks ------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FinishKernel.h"
#include "Columns.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "vernier/Program/Geometry.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;
using namespace vernier::program;

// Additions of several columns at a time hide each other's latency.
static constexpr int64_t kFinishSlots = 4;

namespace {
/// Emits the sum of one output.
struct PartialSumEmitter {
  CodeBuilder &b;
  const PartialSum &partial;
  int64_t blocks;
  int64_t lanes;
  Type element;
  Value workspace, result;

  // Adds up `length` columns from `column` on (i64).
  void emitColumns(Value column, int64_t length) {
    forColumns(b, length, lanes, kFinishSlots,
               [&](const Chunk &chunk) { emitChunk(b.add(column, chunk.first), chunk); });
  }

  void emitChunk(Value column, const Chunk &chunk) {
    Type type = VectorType::get(lanes, element);
    SmallVector<Value> sums(chunk.vectors, arith::ConstantOp::create(b, b.getZeroAttr(type)));
    auto loop = scf::ForOp::create(b, b.constant(0), b.constant(blocks), b.constant(1), sums);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value offset = b.add(b.mul(loop.getInductionVar(), partial.stride), partial.offset);
      Value row = b.address(element, b.address(b.getI8Type(), workspace, offset), column);
      SmallVector<Value> next(loop.getRegionIterArgs());
      forVectors(chunk, [&](int64_t slot, int64_t first, int64_t valid) {
        Value &sum = next[slot - chunk.firstSlot];
        sum = addNumbers(sum, b.load(type, row, b.constant(first), valid));
      });
      scf::YieldOp::create(b, next);
    }
    Value to = b.address(element, result, column);
    forVectors(chunk, [&](int64_t slot, int64_t first, int64_t valid) {
      b.store(loop.getResult(slot - chunk.firstSlot), to, b.constant(first), valid);
    });
  }

  Value addNumbers(Value lhs, Value rhs) {
    if (isa<FloatType>(element))
      return arith::AddFOp::create(b, lhs, rhs);
    return arith::AddIOp::create(b, lhs, rhs);
  }
};
} // namespace

static void ifBlock(CodeBuilder &b, arith::CmpIPredicate predicate, Value block, int64_t limit,
                    llvm::function_ref<void()> body) {
  Value holds = arith::CmpIOp::create(b, predicate, block, b.constant(limit));
  auto branch = scf::IfOp::create(b, holds, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

void cpu::createFinishFunction(KernelOp kernel, const CPUTarget &target, OpBuilder &builder) {
  Geometry geometry = getGeometry(kernel);
  if (geometry.partials.empty())
    return;
  std::string name = (kernel.getSymName() + kFinishSuffix).str();
  KernelFunction function = createKernelFunction(builder, kernel.getLoc(), name);
  CodeBuilder b(kernel.getLoc(), builder);
  FunctionType type = kernel.getFunctionType();
  Value workspace = b.loadBuffer(function, type.getNumInputs() + type.getNumResults());
  for (const PartialSum &partial : geometry.partials) {
    Type element = getElementTypeOrSelf(type.getResult(partial.output));
    Value result = b.loadBuffer(function, type.getNumInputs() + partial.output);
    PartialSumEmitter emitter{b,       partial,   geometry.blocks, target.getLanes(),
                              element, workspace, result};
    Value column = b.mul(function.block, kFinishColumns);
    int64_t whole = partial.length / kFinishColumns, rest = partial.length % kFinishColumns;
    if (whole)
      ifBlock(b, arith::CmpIPredicate::slt, function.block, whole,
              [&] { emitter.emitColumns(column, kFinishColumns); });
    if (rest)
      ifBlock(b, arith::CmpIPredicate::eq, function.block, whole,
              [&] { emitter.emitColumns(column, rest); });
  }
}
