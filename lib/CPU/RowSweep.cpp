//===- RowSweep.cpp - Loops over the columns of a row --------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "RowEmitter.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;
using namespace vernier::program;

// Sums have as many accumulators as vectors in a chunk, to hide the latency of
// additions.
static constexpr int64_t kReductionSlots = 4;
static constexpr int64_t kMapSlots = 2;

void RowEmitter::emitSweep(unsigned number) {
  const Sweep &sweep = plan.getSweeps()[number];
  int64_t slots = sweep.reductions.empty() ? kMapSlots : kReductionSlots;
  SmallVector<Reduction> reductions;
  SmallVector<Value> init;
  for (ReduceOp reduce : sweep.reductions) {
    reductions.emplace_back(reduce, target.getLanes(), slots, init.size());
    reductions.back().start(b, init);
  }
  auto body = [&](const Chunk &chunk, ValueRange carried) {
    SmallVector<Value> accumulators(carried);
    emitChunk(number, chunk, reductions, accumulators);
    return accumulators;
  };
  SmallVector<Value> last = forColumns(b, sweep.pieceLength, target.getLanes(), slots, init, body);
  for (Reduction &reduction : reductions)
    scalars.map(reduction.getOp().getResult(), reduction.finish(b, last));
}

// Everything is computed before anything is stored: a result may lie where an
// operand lies.
void RowEmitter::emitChunk(unsigned number, const Chunk &chunk, ArrayRef<Reduction> reductions,
                           MutableArrayRef<Value> accumulators) {
  const Sweep &sweep = plan.getSweeps()[number];
  SmallVector<PendingStore> stores;
  forVectors(chunk, [&](int64_t slot, int64_t offset, int64_t valid) {
    ColumnRange columns{chunk.first, offset, chunk.lanes, valid, number};
    for (const Reduction &reduction : reductions)
      for (int64_t base : getPieces(reduction.getOp().getRow(), sweep))
        reduction.add(b, compute(reduction.getOp().getRow(), base, columns), slot, valid,
                      accumulators);
    for (Value row : sweep.kept)
      for (int64_t base : getPieces(row, sweep))
        stores.push_back(
            {compute(row, base, columns), keptRows.lookup(row), chunk.first, base + offset, valid});
    for (unsigned output : sweep.outputs)
      computeOutput(output, columns, stores);
  });
  for (const PendingStore &pending : stores)
    b.store(pending.value,
            b.address(getElementTypeOrSelf(pending.value), pending.pointer, pending.first),
            b.constant(pending.offset), pending.valid);
}

void RowEmitter::computeOutput(unsigned output, ColumnRange &columns,
                               SmallVectorImpl<PendingStore> &stores) {
  Value row = body.getTerminator()->getOperand(output);
  bool isSum = cast<OutputKindAttr>(kernel.getOutputs()[output]).getValue() == OutputKind::Sum;
  for (int64_t base : getPieces(row, plan.getSweeps()[columns.sweep])) {
    Value value = compute(row, base, columns);
    if (isSum) {
      Value sum = loadColumns(row.getType(), resultRows[output], base, columns);
      value = isa<FloatType>(getElementTypeOrSelf(value))
                  ? Value(arith::AddFOp::create(b, sum, value, arith::FastMathFlags::contract))
                  : Value(arith::AddIOp::create(b, sum, value));
    }
    stores.push_back(
        {value, resultRows[output], columns.first, base + columns.offset, columns.valid});
  }
}

SmallVector<int64_t> RowEmitter::getPieces(Value row, const Sweep &sweep) const {
  SmallVector<int64_t> bases;
  for (int64_t base = 0; base < getRowLength(row); base += sweep.pieceLength)
    bases.push_back(base);
  return bases;
}
