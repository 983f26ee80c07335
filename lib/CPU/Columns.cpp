//===- Columns.cpp - Loops over the columns of a row --------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Columns.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;

// The loop over whole chunks; none if it would run once.
static SmallVector<Value> emitChunkLoop(CodeBuilder &b, int64_t chunks, Chunk chunk,
                                        SmallVector<Value> carried, ChunkBody body) {
  int64_t step = chunk.vectors * chunk.lanes;
  if (chunks == 0)
    return carried;
  if (chunks == 1) {
    chunk.first = b.constant(0);
    return body(chunk, carried);
  }
  auto loop =
      scf::ForOp::create(b, b.constant(0), b.constant(chunks * step), b.constant(step), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  chunk.first = loop.getInductionVar();
  SmallVector<Value> next = body(chunk, loop.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(b, next);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> cpu::forColumns(CodeBuilder &b, int64_t length, int64_t lanes, int64_t unroll,
                                   ValueRange init, ChunkBody body) {
  int64_t chunks = length / (unroll * lanes), done = chunks * unroll * lanes;
  int64_t vectors = (length - done) / lanes, tail = length % lanes;
  SmallVector<Value> carried =
      emitChunkLoop(b, chunks, {nullptr, unroll, lanes}, SmallVector<Value>(init), body);
  if (vectors)
    carried = body({b.constant(done), vectors, lanes}, carried);
  if (tail)
    carried = body({b.constant(length - tail), 1, lanes, vectors, tail}, carried);
  return carried;
}

void cpu::forColumns(CodeBuilder &b, int64_t length, int64_t lanes, int64_t unroll,
                     llvm::function_ref<void(const Chunk &)> body) {
  forColumns(b, length, lanes, unroll, {}, [&](const Chunk &chunk, ValueRange) {
    body(chunk);
    return SmallVector<Value>();
  });
}

void cpu::forVectors(const Chunk &chunk, llvm::function_ref<void(int64_t, int64_t, int64_t)> body) {
  for (int64_t i = 0; i < chunk.vectors; ++i)
    body(chunk.firstSlot + i, i * chunk.lanes, i + 1 == chunk.vectors ? chunk.valid : -1);
}

void cpu::forRange(CodeBuilder &b, Value begin, Value end, llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, begin, end, b.constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}
