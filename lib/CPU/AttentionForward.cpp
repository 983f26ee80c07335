//===- AttentionForward.cpp - Attention's output and log-sum-exp -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block is a run of queries of one head. Its blocks of keys come one after
// the other; each query keeps the largest score so far and the sum of
// exponentials below it, by which the output is rescaled when a larger score
// comes (Dao et al., FlashAttention-2, arXiv:2307.08691, algorithm 1). Scores
// are taken to base 2: the queries are scaled by `scale log2(e)`.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;

// What a key that is not seen scores, and a lower bound of the maximum that is
// so far above it that exp2 of the difference is zero, also in a row that sees
// no key of a block.
static constexpr double kMasked = -1e30, kLowest = -1e29;

namespace {
class ForwardEmitter : AttentionEmitter {
public:
  using AttentionEmitter::AttentionEmitter;
  void emit();

private:
  void locate();
  void start();
  void emitKeyBlock(Value firstKey);
  void emitScores(Value query, const KeyRange &range);
  void emitSoftmax(Value query, const KeyRange &range);
  TileValues updateMaximum(Value query, const KeyRange &range);
  void emitOutput(Value firstKey, Value keys);
  void finishSums();
  void finish();

  Value batch, head, firstQuery, queryCount;
  Value outputs; ///< of this block, in the result
  Value sums;    ///< of this block's first query, in the result `log_sum_exp`
  Value scratchQueries, scratchKeys, scratchValues, scratchScores, scratchOutput;
  Value maxima, totals, rescales; ///< of each query
};
} // namespace

void ForwardEmitter::locate() {
  int64_t tiles = llvm::divideCeil(problem.sequence, queryBlock);
  Value unit = b.divide(kernel.block, tiles);
  firstQuery = b.times(b.remainder(kernel.block, tiles), queryBlock);
  queryCount = countFrom(firstQuery, queryBlock);
  batch = b.divide(unit, problem.heads);
  head = b.remainder(unit, problem.heads);
  outputs = rowAddress(b.loadBuffer(kernel, 3), problem.heads, batch, firstQuery, head);
  Value position = b.plus(b.times(batch, problem.sequence), firstQuery);
  sums = b.at(b.loadBuffer(kernel, 4), b.plus(b.times(position, problem.heads), head));

  scratchQueries = allocate(padded * queryBlock);
  scratchOutput = allocate(queryBlock * padded);
  scratchScores = allocate((kKeyBlock + tile.rows) * queryBlock);
  scratchKeys = allocate(kKeyBlock * padded);
  scratchValues = allocate(kKeyBlock * padded);
  maxima = allocate(queryBlock);
  totals = allocate(queryBlock);
  rescales = allocate(queryBlock);
}

// Packs the queries, by way of the output's memory, and starts the sums.
void ForwardEmitter::start() {
  Value queries = rowAddress(b.loadBuffer(kernel, 0), problem.heads, batch, firstQuery, head);
  Value rows = b.roundUp(queryCount, getTileQueries());
  packRows(queries, problem.heads, scratchOutput, queryCount, rows);
  transposeRows(scratchOutput, scratchQueries, rows, problem.scale / M_LN2);
  b.loop(b.constant(0), b.constant(queryBlock * padded), b.getLanes(),
         [&](Value i) { b.storeVector(b.vector(0.0), b.at(scratchOutput, i)); });
  b.loop(b.constant(0), b.constant(queryBlock), b.getLanes(), [&](Value query) {
    b.storeVector(b.vector(kLowest), b.at(maxima, query));
    b.storeVector(b.vector(0.0), b.at(totals, query));
  });
}

// Scores of a tile of queries in lanes.
void ForwardEmitter::emitScores(Value query, const KeyRange &range) {
  Value at = b.at(scratchQueries, query);
  b.loop(b.roundDown(range.begin, tile.rows), range.end, tile.rows, [&](Value key) {
    TileFactors factors{b.at(scratchKeys, b.times(key, padded)), padded, 1, at, queryBlock};
    TileValues scores = emitTileProduct(b, tile, factors, b.constant(0),
                                        b.constant(problem.headDim), zeroTile(b, tile));
    storeTile(b, tile, scores, b.at(scratchScores, b.plus(b.times(key, queryBlock), query)),
              queryBlock);
  });
}

// Includes the range's scores in the maxima of a tile of queries. Returns them
// and sets the factors by which the sums shrink.
TileValues ForwardEmitter::updateMaximum(Value query, const KeyRange &range) {
  TileValues before = loadTile(b, {1, tile.vectors}, b.at(maxima, query), 0);
  TileValues after = b.loop(range.begin, range.end, 1, before, [&](Value key, ValueRange largest) {
    Value at = b.at(scratchScores, b.plus(b.times(key, queryBlock), query));
    TileValues scores = loadTile(b, {1, tile.vectors}, at, 0);
    for (auto [score, value] : llvm::zip(scores, largest))
      score = b.maximum(score, value);
    return scores;
  });
  storeTile(b, {1, tile.vectors}, after, b.at(maxima, query), 0);
  TileValues shrink;
  for (auto [old, value] : llvm::zip(before, after))
    shrink.push_back(b.exp2(b.subf(old, value)));
  storeTile(b, {1, tile.vectors}, shrink, b.at(rescales, query), 0);
  return after;
}

// Turns the scores of a tile of queries into probabilities, up to the factor
// that `finish` applies.
void ForwardEmitter::emitSoftmax(Value query, const KeyRange &range) {
  TileValues largest = updateMaximum(query, range);
  TileValues total = loadTile(b, {1, tile.vectors}, b.at(totals, query), 0);
  TileValues shrink = loadTile(b, {1, tile.vectors}, b.at(rescales, query), 0);
  for (auto [sum, factor] : llvm::zip(total, shrink))
    sum = b.mulf(sum, factor);
  total = b.loop(range.begin, range.end, 1, total, [&](Value key, ValueRange sums) {
    Value at = b.at(scratchScores, b.plus(b.times(key, queryBlock), query));
    TileValues next, scores = loadTile(b, {1, tile.vectors}, at, 0);
    for (auto [score, maximum, sum] : llvm::zip(scores, largest, sums)) {
      score = b.exp2(b.subf(score, maximum));
      next.push_back(b.addf(sum, score));
    }
    storeTile(b, {1, tile.vectors}, scores, at, 0);
    return next;
  });
  storeTile(b, {1, tile.vectors}, total, b.at(totals, query), 0);
}

void ForwardEmitter::emitOutput(Value firstKey, Value keys) {
  forColumnTiles(b, padded / b.getLanes(), tile, [&](Value column, RegisterTile tile) {
    b.loop(b.constant(0), queryCount, tile.rows, [&](Value query) {
      Value first = b.plus(firstQuery, query);
      KeyRange range = getVisibleKeys(first, b.plus(first, tile.rows - 1), firstKey, keys);
      Value at = b.at(scratchOutput, b.plus(b.times(query, padded), column));
      TileValues sums = loadTile(b, tile, at, padded);
      for (int64_t row = 0; row < tile.rows; ++row) {
        Value shrink = b.loadBroadcast(b.at(rescales, b.plus(query, row)));
        for (int64_t v = 0; v < tile.vectors; ++v)
          sums[row * tile.vectors + v] = b.mulf(sums[row * tile.vectors + v], shrink);
      }
      TileFactors factors{b.at(scratchScores, query), 1, queryBlock, b.at(scratchValues, column),
                          padded};
      storeTile(b, tile, emitTileProduct(b, tile, factors, range.begin, range.end, sums), at,
                padded);
    });
  });
}

void ForwardEmitter::emitKeyBlock(Value firstKey) {
  Value keys = countFrom(firstKey, kKeyBlock);
  Value rows = b.roundUp(keys, tile.rows);
  Value keyHead = b.divide(head, problem.getGroup());
  for (auto [buffer, to] : {std::pair(1, scratchKeys), std::pair(2, scratchValues)})
    packRows(rowAddress(b.loadBuffer(kernel, buffer), problem.keyHeads, batch, firstKey, keyHead),
             problem.keyHeads, to, keys, rows);
  b.loop(b.constant(0), queryCount, getTileQueries(), [&](Value query) {
    Value first = b.plus(firstQuery, query);
    KeyRange range = getVisibleKeys(first, b.plus(first, getTileQueries() - 1), firstKey, keys);
    Value scores = b.at(scratchScores, query);
    emitScores(query, range);
    maskRange(scores, range, range.begin, range.end, first, firstKey, kMasked);
    emitSoftmax(query, range);
    if (int64_t overhang = getOverhang(); overhang && problem.causal) {
      clearScores(scores, b.larger(b.plus(range.begin, -overhang), b.constant(0)), range.begin);
      clearScores(scores, range.end, b.plus(range.end, overhang));
    }
  });
  emitOutput(firstKey, keys);
}

// log_sum_exp in place of the maxima, and 1 / sum in place of the sums.
void ForwardEmitter::finishSums() {
  b.loop(b.constant(0), queryCount, b.getLanes(), [&](Value query) {
    Value total = b.loadVector(b.at(totals, query));
    Value base2 = b.addf(b.log2(total), b.loadVector(b.at(maxima, query)));
    b.storeVector(b.mulf(base2, b.vector(M_LN2)), b.at(maxima, query));
    b.storeVector(arith::DivFOp::create(b, b.vector(1.0), total), b.at(totals, query));
  });
}

void ForwardEmitter::finish() {
  finishSums();
  b.loop(b.constant(0), queryCount, 1, [&](Value query) {
    b.storeScalar(b.loadScalar(b.at(maxima, query)), b.at(sums, b.times(query, problem.heads)));
    Value factor = b.loadBroadcast(b.at(totals, query));
    Value from = b.at(scratchOutput, b.times(query, padded));
    Value to = b.at(outputs, b.times(query, problem.heads * problem.headDim));
    b.sweepRow(problem.headDim, [&](Value column, int64_t valid) {
      b.storeVector(b.mulf(b.loadVector(b.at(from, column)), factor), b.at(to, column), valid);
    });
  });
}

void ForwardEmitter::emit() {
  locate();
  start();
  auto [begin, end] = getKeyBlocks(firstQuery, queryCount);
  b.loop(begin, end, kKeyBlock, [&](Value firstKey) { emitKeyBlock(firstKey); });
  finish();
  setScratchSize();
}

void cpu::emitAttentionForward(program::AttentionKernelOp kernel, const CPUTarget &target,
                               OpBuilder &builder) {
  ForwardEmitter(kernel, target, builder).emit();
}
