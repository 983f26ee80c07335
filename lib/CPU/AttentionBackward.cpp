//===- AttentionBackward.cpp - Gradients of attention ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block is one key head of one sequence. For each of its query heads and
// each run of queries, the keys these see come block after block:
//
//   p[key, query]  = 2^(scores[key, query] - log_sum_exp[query] log2(e))
//   ds[key, query] = p (scale dp[key, query] - scale D[query])
//   dv[key, d] += sum over query of p[key, query] do[query, d]
//   dk[key, d] += sum over query of ds[key, query] q[query, d]
//   dq[query, d] += sum over key of ds[key, query] k[key, d]
//
// where dp = v do^T and D = sum over d of do o. The gradients of keys and
// values grow where they lie, in an order that is fixed; that of the queries
// is complete when the next run begins.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;

namespace {
class BackwardEmitter : AttentionEmitter {
public:
  using AttentionEmitter::AttentionEmitter;
  void emit();

private:
  void locate();
  void clearKeyGradients();
  void emitQueries();
  void packQueries();
  void emitRowSums();
  void emitKeyBlock(Value firstKey);
  void emitProbabilities(Value query, const KeyRange &range, Value firstKey);
  void emitScoreGradients(Value query, Value begin, Value end);
  void emitKeyGradient(Value gradient, Value scores, Value right, Value firstKey, Value keys);
  void emitQueryGradient(Value firstKey, Value keys);
  void storeQueryGradient();

  Value batch, keyHead, head, firstQuery, queryCount;
  Value keyGradients, valueGradients; ///< of this block's head, in the results
  Value queries, outputGradients, queriesT, outputGradientsT;
  Value keys, values, probabilities, scoreGradients, queryGradients, sum;
  Value logSums; ///< of each query, to base 2
  Value rowSums; ///< -scale D of each query
};
} // namespace

void BackwardEmitter::locate() {
  batch = b.divide(kernel.block, problem.keyHeads);
  keyHead = b.remainder(kernel.block, problem.keyHeads);
  Value zero = b.constant(0);
  keyGradients = rowAddress(b.loadBuffer(kernel, 7), problem.keyHeads, batch, zero, keyHead);
  valueGradients = rowAddress(b.loadBuffer(kernel, 8), problem.keyHeads, batch, zero, keyHead);
  for (Value *buffer : {&queries, &outputGradients, &queriesT, &outputGradientsT, &queryGradients})
    *buffer = allocate(queryBlock * padded);
  for (Value *buffer : {&keys, &values, &sum})
    *buffer = allocate(kKeyBlock * padded);
  for (Value *buffer : {&probabilities, &scoreGradients})
    *buffer = allocate((kKeyBlock + tile.rows) * queryBlock);
  logSums = allocate(queryBlock);
  rowSums = allocate(queryBlock);
}

void BackwardEmitter::clearKeyGradients() {
  b.loop(b.constant(0), b.constant(problem.sequence), 1, [&](Value row) {
    Value offset = b.times(row, problem.keyHeads * problem.headDim);
    b.sweepRow(problem.headDim, [&](Value column, int64_t valid) {
      for (Value gradient : {keyGradients, valueGradients})
        b.storeVector(b.vector(0.0), b.at(gradient, b.plus(offset, column)), valid);
    });
  });
}

// What of the queries the products read, and their numbers.
void BackwardEmitter::packQueries() {
  Value rows = b.roundUp(queryCount, getTileQueries());
  Value gradient = rowAddress(b.loadBuffer(kernel, 0), problem.heads, batch, firstQuery, head);
  Value query = rowAddress(b.loadBuffer(kernel, 1), problem.heads, batch, firstQuery, head);
  packRows(gradient, problem.heads, outputGradients, queryCount, rows);
  packRows(query, problem.heads, queries, queryCount, rows);
  transposeRows(outputGradients, outputGradientsT, rows, 1.0);
  transposeRows(queries, queriesT, rows, problem.scale / M_LN2);
  emitRowSums();
  b.loop(b.constant(0), b.constant(queryBlock * padded), b.getLanes(),
         [&](Value i) { b.storeVector(b.vector(0.0), b.at(queryGradients, i)); });
}

void BackwardEmitter::emitRowSums() {
  Value output = rowAddress(b.loadBuffer(kernel, 4), problem.heads, batch, firstQuery, head);
  Value position = b.plus(b.times(batch, problem.sequence), firstQuery);
  Value logs = b.at(b.loadBuffer(kernel, 5), b.plus(b.times(position, problem.heads), head));
  Value log2e = b.splat(b.getF32Type(), 1.0 / M_LN2);
  Value negativeScale = b.splat(b.getF32Type(), -problem.scale);
  b.loop(b.constant(0), queryCount, 1, [&](Value query) {
    Value log = b.loadScalar(b.at(logs, b.times(query, problem.heads)));
    b.storeScalar(b.mulf(log, log2e), b.at(logSums, query));
    Value from = b.at(output, b.times(query, problem.heads * problem.headDim));
    Value gradient = b.at(outputGradients, b.times(query, padded));
    Value total = b.sumRow(problem.headDim, [&](Value column, int64_t valid, Value sum) {
      return b.fma(b.loadVector(b.at(from, column), valid), b.loadVector(b.at(gradient, column)),
                   sum);
    });
    b.storeScalar(b.mulf(total, negativeScale), b.at(rowSums, query));
  });
}

// Scores of a tile of queries in lanes, and what they become before they leave
// the registers.
void BackwardEmitter::emitProbabilities(Value query, const KeyRange &range, Value firstKey) {
  TileValues logs = loadTile(b, {1, tile.vectors}, b.at(logSums, query), 0);
  Value begin = b.roundDown(range.begin, tile.rows), end = b.roundUp(range.end, tile.rows);
  b.loop(begin, end, tile.rows, [&](Value key) {
    TileFactors factors{b.at(keys, b.times(key, padded)), padded, 1, b.at(queriesT, query),
                        queryBlock};
    TileValues scores = emitTileProduct(b, tile, factors, b.constant(0),
                                        b.constant(problem.headDim), zeroTile(b, tile));
    for (auto [i, score] : llvm::enumerate(scores))
      score = b.exp2(b.subf(score, logs[i % tile.vectors]));
    storeTile(b, tile, scores, b.at(probabilities, b.plus(b.times(key, queryBlock), query)),
              queryBlock);
  });
  maskRange(b.at(probabilities, query), range, begin, end, b.plus(firstQuery, query), firstKey,
            0.0);
  emitScoreGradients(query, begin, end);
}

void BackwardEmitter::emitScoreGradients(Value query, Value begin, Value end) {
  TileValues totals = loadTile(b, {1, tile.vectors}, b.at(rowSums, query), 0);
  b.loop(begin, end, tile.rows, [&](Value key) {
    TileFactors factors{b.at(values, b.times(key, padded)), padded, 1,
                        b.at(outputGradientsT, query), queryBlock};
    TileValues gradients = emitTileProduct(b, tile, factors, b.constant(0),
                                           b.constant(problem.headDim), zeroTile(b, tile));
    Value offset = b.plus(b.times(key, queryBlock), query);
    TileValues p = loadTile(b, tile, b.at(probabilities, offset), queryBlock);
    for (auto [i, gradient] : llvm::enumerate(gradients))
      gradient = b.mulf(p[i], b.fma(gradient, b.vector(problem.scale), totals[i % tile.vectors]));
    storeTile(b, tile, gradients, b.at(scoreGradients, offset), queryBlock);
  });
  if (int64_t overhang = getOverhang(); overhang && problem.causal) {
    Value scores = b.at(scoreGradients, query);
    clearScores(scores, b.larger(b.plus(begin, -overhang), b.constant(0)), begin);
    clearScores(scores, end, b.plus(end, overhang));
  }
}

// gradient[key, d] += sum over query of scores[key, query] right[query, d].
void BackwardEmitter::emitKeyGradient(Value gradient, Value scores, Value right, Value firstKey,
                                      Value keys) {
  forColumnTiles(b, padded / b.getLanes(), tile, [&](Value column, RegisterTile tile) {
    b.loop(b.constant(0), keys, tile.rows, [&](Value key) {
      auto [begin, end] = getVisibleBy(b.plus(firstKey, key), firstQuery, queryCount);
      TileFactors factors{b.at(scores, b.times(key, queryBlock)), queryBlock, 1,
                          b.at(right, column), padded};
      TileValues sums = emitTileProduct(b, tile, factors, begin, end, zeroTile(b, tile));
      storeTile(b, tile, sums, b.at(sum, b.plus(b.times(key, padded), column)), padded);
    });
  });
  b.loop(b.constant(0), keys, 1, [&](Value key) {
    Value from = b.at(sum, b.times(key, padded));
    Value to = b.at(gradient, b.times(b.plus(firstKey, key), problem.keyHeads * problem.headDim));
    b.sweepRow(problem.headDim, [&](Value column, int64_t valid) {
      Value at = b.at(to, column);
      b.storeVector(b.addf(b.loadVector(at, valid), b.loadVector(b.at(from, column))), at, valid);
    });
  });
}

void BackwardEmitter::emitQueryGradient(Value firstKey, Value keyCount) {
  forColumnTiles(b, padded / b.getLanes(), tile, [&](Value column, RegisterTile tile) {
    b.loop(b.constant(0), queryCount, tile.rows, [&](Value query) {
      Value first = b.plus(firstQuery, query);
      KeyRange range = getVisibleKeys(first, b.plus(first, tile.rows - 1), firstKey, keyCount);
      Value at = b.at(queryGradients, b.plus(b.times(query, padded), column));
      TileFactors factors{b.at(scoreGradients, query), 1, queryBlock, b.at(keys, column), padded};
      TileValues sums = loadTile(b, tile, at, padded);
      storeTile(b, tile, emitTileProduct(b, tile, factors, range.begin, range.end, sums), at,
                padded);
    });
  });
}

void BackwardEmitter::emitKeyBlock(Value firstKey) {
  Value count = countFrom(firstKey, kKeyBlock);
  Value rows = b.roundUp(count, tile.rows);
  for (auto [buffer, to] : {std::pair(2, keys), std::pair(3, values)})
    packRows(rowAddress(b.loadBuffer(kernel, buffer), problem.keyHeads, batch, firstKey, keyHead),
             problem.keyHeads, to, count, rows);
  b.loop(b.constant(0), queryCount, getTileQueries(), [&](Value query) {
    Value first = b.plus(firstQuery, query);
    emitProbabilities(query,
                      getVisibleKeys(first, b.plus(first, getTileQueries() - 1), firstKey, count),
                      firstKey);
  });
  emitKeyGradient(valueGradients, probabilities, outputGradients, firstKey, count);
  emitKeyGradient(keyGradients, scoreGradients, queries, firstKey, count);
  emitQueryGradient(firstKey, count);
}

void BackwardEmitter::storeQueryGradient() {
  Value gradient = rowAddress(b.loadBuffer(kernel, 6), problem.heads, batch, firstQuery, head);
  b.loop(b.constant(0), queryCount, 1, [&](Value query) {
    Value from = b.at(queryGradients, b.times(query, padded));
    Value to = b.at(gradient, b.times(query, problem.heads * problem.headDim));
    b.sweepRow(problem.headDim, [&](Value column, int64_t valid) {
      b.storeVector(b.loadVector(b.at(from, column)), b.at(to, column), valid);
    });
  });
}

void BackwardEmitter::emitQueries() {
  queryCount = countFrom(firstQuery, queryBlock);
  packQueries();
  auto [begin, end] = getKeyBlocks(firstQuery, queryCount);
  b.loop(begin, end, kKeyBlock, [&](Value firstKey) { emitKeyBlock(firstKey); });
  storeQueryGradient();
}

void BackwardEmitter::emit() {
  locate();
  clearKeyGradients();
  b.loop(b.constant(0), b.constant(problem.getGroup()), 1, [&](Value member) {
    head = b.plus(b.times(keyHead, problem.getGroup()), member);
    b.loop(b.constant(0), b.constant(problem.sequence), queryBlock, [&](Value first) {
      firstQuery = first;
      emitQueries();
    });
  });
  setScratchSize();
}

void cpu::emitAttentionBackward(program::AttentionKernelOp kernel, const CPUTarget &target,
                                OpBuilder &builder) {
  BackwardEmitter(kernel, target, builder).emit();
}
