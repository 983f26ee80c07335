//===- AttentionEmitter.h - What attention's two kernels share --*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of queries meets one block of keys after the other. Scores are kept
// transposed, `scores[key, query]`, so that queries lie in the lanes and
// everything the softmax does to a query is done lane by lane:
//
//   scores[key, query] = sum over d of keys[key, d] queriesT[d, query]
//   output[query, d]   = sum over key of scores[key, query] values[key, d]
//
// Both products read their left factor by broadcasts and their right one by
// vectors. A thread's scratch holds one block of each, packed: rows that do
// not exist are zero, and rows are padded to full vectors.
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_CPU_ATTENTIONEMITTER_H
#define VERNIER_LIB_CPU_ATTENTIONEMITTER_H

#include "TileProduct.h"
#include <optional>

namespace vernier::cpu {

/// The shapes and options of an attention kernel. Tensors are
/// `[batch, sequence, heads or keyHeads, headDim]`.
struct AttentionProblem {
  explicit AttentionProblem(program::AttentionKernelOp kernel);

  int64_t batch, sequence, heads, keyHeads, headDim;
  double scale;
  bool causal;
  std::optional<int64_t> window;

  int64_t getGroup() const { return heads / keyHeads; }
};

/// Keys of a block, counted from its first, that a run of queries sees:
/// [begin, end) is seen by some of them, [innerBegin, innerEnd) by all.
struct KeyRange {
  mlir::Value begin, innerBegin, innerEnd, end;
};

class AttentionEmitter {
public:
  AttentionEmitter(program::AttentionKernelOp kernel, const CPUTarget &target,
                   mlir::OpBuilder &builder);

protected:
  /// f32 of the thread's scratch memory.
  mlir::Value allocate(int64_t count);
  /// A tensor's first row of a head: the row of `position` of sequence `batch`.
  mlir::Value rowAddress(mlir::Value tensor, int64_t heads, mlir::Value batch, mlir::Value position,
                         mlir::Value head);
  /// How many of the `block` positions from `first` on exist.
  mlir::Value countFrom(mlir::Value first, int64_t block);

  /// Copies rows of a head to `to`, padded, and adds rows of zeros up to
  /// `paddedRows`. `heads` is that of the tensor.
  void packRows(mlir::Value from, int64_t heads, mlir::Value to, mlir::Value rows,
                mlir::Value paddedRows);
  /// `to[d, row] = factor from[row, d]` of packed rows, of which there are a
  /// multiple of the lanes.
  void transposeRows(mlir::Value from, mlir::Value to, mlir::Value rows, double factor);

  /// What queries [first, last] see of `keys` keys from `firstKey` on.
  KeyRange getVisibleKeys(mlir::Value first, mlir::Value last, mlir::Value firstKey,
                          mlir::Value keys);
  /// The keys of the blocks that any of `queries` queries from `first` on sees:
  /// the first block's first, and one after the last.
  std::pair<mlir::Value, mlir::Value> getKeyBlocks(mlir::Value first, mlir::Value queries);
  /// Which of `queries` queries from `firstQuery` on see any of the tile's rows
  /// of keys from `firstKey` on: [begin, end), counted from the first.
  std::pair<mlir::Value, mlir::Value> getVisibleBy(mlir::Value firstKey, mlir::Value firstQuery,
                                                   mlir::Value queries);
  /// Overwrites by `fill` the scores of a tile of queries, in rows
  /// [begin, end) of keys, which the queries do not see. `scores` is at the
  /// first query's column.
  void maskScores(mlir::Value scores, mlir::Value begin, mlir::Value end, mlir::Value firstQuery,
                  mlir::Value firstKey, double fill);
  /// Masks what `range` says is seen by some of the queries only, in rows of
  /// [begin, end).
  void maskRange(mlir::Value scores, const KeyRange &range, mlir::Value begin, mlir::Value end,
                 mlir::Value firstQuery, mlir::Value firstKey, double fill);
  /// Zeroes the scores of a tile of queries in rows [begin, end).
  void clearScores(mlir::Value scores, mlir::Value begin, mlir::Value end);

  /// Queries in a tile: as many as its lanes.
  int64_t getTileQueries() const { return tile.vectors * b.getLanes(); }
  /// Rows by which a tile of `tile.rows` queries can reach beyond the rows that
  /// the tiles of lanes it lies in have filled.
  int64_t getOverhang() const { return getTileQueries() % tile.rows ? tile.rows - 1 : 0; }
  void setScratchSize();

  AttentionProblem problem;
  KernelFunction kernel;
  VectorBuilder b;
  RegisterTile tile;
  int64_t queryBlock;
  int64_t padded; ///< headDim, padded to full vectors

private:
  int64_t allocated = 0;
};

/// Keys of a block.
constexpr int64_t kKeyBlock = 96;

void emitAttentionForward(program::AttentionKernelOp kernel, const CPUTarget &target,
                          mlir::OpBuilder &builder);
void emitAttentionBackward(program::AttentionKernelOp kernel, const CPUTarget &target,
                           mlir::OpBuilder &builder);

} // namespace vernier::cpu

#endif // VERNIER_LIB_CPU_ATTENTIONEMITTER_H
