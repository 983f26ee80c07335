//===- AttentionEmitter.cpp - What attention's two kernels share -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "vernier/Program/Geometry.h"
#include <numeric>

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;

AttentionProblem::AttentionProblem(program::AttentionKernelOp kernel) {
  unsigned query = kernel.getBackward() ? 1 : 0;
  auto shapeOf = [&](unsigned input) {
    return cast<RankedTensorType>(kernel.getFunctionType().getInput(input)).getShape();
  };
  batch = shapeOf(query)[0];
  sequence = shapeOf(query)[1];
  heads = shapeOf(query)[2];
  headDim = shapeOf(query)[3];
  keyHeads = shapeOf(query + 1)[2];
  scale = kernel.getScale().convertToDouble();
  causal = kernel.getCausal();
  // A window that holds the whole sequence hides nothing.
  if (kernel.getWindow() && int64_t(*kernel.getWindow()) < sequence)
    window = *kernel.getWindow();
}

AttentionEmitter::AttentionEmitter(program::AttentionKernelOp op, const CPUTarget &target,
                                   OpBuilder &builder)
    : problem(op), kernel(createKernelFunction(builder, op.getLoc(), op.getSymName())),
      b(op.getLoc(), builder, target), tile(getRegisterTile(target)),
      queryBlock(program::getGeometry(op).rowsPerBlock),
      padded(llvm::alignTo(problem.headDim, target.getLanes())) {}

Value AttentionEmitter::allocate(int64_t count) {
  Value result = b.at(kernel.scratch, allocated);
  allocated += llvm::alignTo(count, 16);
  return result;
}

void AttentionEmitter::setScratchSize() {
  kernel.function->setAttr(kScratchBytesAttr, b.getI64IntegerAttr(4 * allocated));
}

Value AttentionEmitter::rowAddress(Value tensor, int64_t heads, Value batch, Value position,
                                   Value head) {
  Value row = b.plus(b.times(batch, problem.sequence), position);
  row = b.plus(b.times(row, heads), head);
  return b.at(tensor, b.times(row, problem.headDim));
}

Value AttentionEmitter::countFrom(Value first, int64_t block) {
  if (problem.sequence % block == 0)
    return b.constant(block);
  return b.smaller(b.constant(block), b.minus(b.constant(problem.sequence), first));
}

void AttentionEmitter::packRows(Value from, int64_t heads, Value to, Value rows, Value paddedRows) {
  b.loop(b.constant(0), rows, 1, [&](Value row) {
    Value source = b.at(from, b.times(row, heads * problem.headDim));
    Value target = b.at(to, b.times(row, padded));
    b.sweepRow(problem.headDim, [&](Value column, int64_t valid) {
      b.storeVector(b.loadVector(b.at(source, column), valid), b.at(target, column));
    });
  });
  b.loop(rows, paddedRows, 1, [&](Value row) {
    Value target = b.at(to, b.times(row, padded));
    b.sweepRow(padded,
               [&](Value column, int64_t) { b.storeVector(b.vector(0.0), b.at(target, column)); });
  });
}

void AttentionEmitter::transposeRows(Value from, Value to, Value rows, double factor) {
  int64_t lanes = b.getLanes();
  b.loop(b.constant(0), rows, lanes, [&](Value row) {
    b.sweepRow(padded, [&](Value column, int64_t) {
      Value source = b.at(from, b.plus(b.times(row, padded), column));
      Value target = b.at(to, b.plus(b.times(column, queryBlock), row));
      SmallVector<Value> square;
      for (int64_t i = 0; i < lanes; ++i)
        square.push_back(b.loadVector(b.at(source, i * padded)));
      for (auto [i, value] : llvm::enumerate(b.transpose(square))) {
        if (factor != 1.0)
          value = b.mulf(value, b.vector(factor));
        b.storeVector(value, b.at(target, i * queryBlock));
      }
    });
  });
}

KeyRange AttentionEmitter::getVisibleKeys(Value first, Value last, Value firstKey, Value keys) {
  KeyRange range{b.constant(0), b.constant(0), keys, keys};
  if (problem.causal) {
    auto endFor = [&](Value query) { return b.clamp(b.minus(b.plus(query, 1), firstKey), keys); };
    range.end = endFor(last);
    range.innerEnd = endFor(first);
  }
  if (problem.window) {
    auto beginFor = [&](Value query) {
      return b.clamp(b.minus(b.plus(query, 1 - *problem.window), firstKey), keys);
    };
    range.begin = beginFor(first);
    range.innerBegin = beginFor(last);
  }
  return range;
}

std::pair<Value, Value> AttentionEmitter::getVisibleBy(Value firstKey, Value firstQuery,
                                                       Value queries) {
  Value begin = b.constant(0), end = queries;
  if (problem.causal)
    begin = b.clamp(b.minus(firstKey, firstQuery), queries);
  if (problem.window) {
    Value last = b.plus(firstKey, tile.rows - 1);
    end = b.clamp(b.minus(b.plus(last, *problem.window), firstQuery), queries);
  }
  return {begin, end};
}

std::pair<Value, Value> AttentionEmitter::getKeyBlocks(Value first, Value queries) {
  Value begin = b.constant(0), end = b.constant(problem.sequence);
  if (problem.causal)
    end = b.plus(first, queries);
  if (problem.window)
    begin = b.roundDown(b.larger(b.plus(first, 1 - *problem.window), b.constant(0)), kKeyBlock);
  return {begin, end};
}

// Query and key count from the tile's first query: key j is seen by lane i if
// j <= i, and with a window w if j + w > i.
void AttentionEmitter::maskScores(Value scores, Value begin, Value end, Value firstQuery,
                                  Value firstKey, double fill) {
  auto integers = b.getVectorType().clone(b.getI32Type());
  Value distance = b.minus(firstKey, firstQuery);
  auto splat = [&](Value index) -> Value {
    Value narrow = arith::TruncIOp::create(b, b.getI32Type(), index);
    return vector::BroadcastOp::create(b, integers, narrow);
  };
  b.loop(begin, end, 1, [&](Value row) {
    Value key = b.plus(distance, row);
    for (int64_t v = 0; v < tile.vectors; ++v) {
      SmallVector<int32_t> lanes(b.getLanes());
      std::iota(lanes.begin(), lanes.end(), v * b.getLanes());
      Value query =
          arith::ConstantOp::create(b, DenseElementsAttr::get(integers, ArrayRef<int32_t>(lanes)));
      Value seen = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, splat(key), query);
      if (problem.window) {
        Value near = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                                           splat(b.plus(key, *problem.window)), query);
        seen = arith::AndIOp::create(b, seen, near);
      }
      Value at = b.at(scores, b.plus(b.times(row, queryBlock), v * b.getLanes()));
      b.storeVector(arith::SelectOp::create(b, seen, b.loadVector(at), b.vector(fill)), at);
    }
  });
}

void AttentionEmitter::maskRange(Value scores, const KeyRange &range, Value begin, Value end,
                                 Value firstQuery, Value firstKey, double fill) {
  if (problem.window)
    maskScores(scores, begin, b.smaller(range.innerBegin, end), firstQuery, firstKey, fill);
  if (problem.causal)
    maskScores(scores, b.larger(range.innerEnd, begin), end, firstQuery, firstKey, fill);
}

void AttentionEmitter::clearScores(Value scores, Value begin, Value end) {
  b.loop(begin, end, 1, [&](Value row) {
    for (int64_t v = 0; v < tile.vectors; ++v)
      b.storeVector(b.vector(0.0),
                    b.at(scores, b.plus(b.times(row, queryBlock), v * b.getLanes())));
  });
}
