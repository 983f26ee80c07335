//===- RowEmitter.h - Emits the code of a row kernel ------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_CPU_ROWEMITTER_H
#define VERNIER_LIB_CPU_ROWEMITTER_H

#include "Columns.h"
#include "Reductions.h"
#include "RowPlan.h"
#include "vernier/Program/Geometry.h"

namespace vernier::cpu {

/// Where rows are computed: columns `base + first + offset` and the following
/// ones, one for each lane. `base` belongs to a row: see `RowEmitter::compute`.
struct ColumnRange {
  mlir::Value first; ///< i64
  int64_t offset = 0;
  int64_t lanes = 0;  ///< 0: one number instead of a vector
  int64_t valid = -1; ///< lanes that exist; -1: all
  /// The sweep that computes, which finds kept rows of sweeps before it.
  unsigned sweep = 0;
  /// What has been computed already, by row and base.
  std::map<std::pair<mlir::Operation *, int64_t>, mlir::Value> computed = {};
  std::map<std::pair<unsigned, int64_t>, mlir::Value> loaded = {};
};

/// Emits the function that computes a block of a row kernel.
class RowEmitter {
public:
  RowEmitter(program::KernelOp kernel, const RowPlan &plan, const CPUTarget &target,
             mlir::OpBuilder &builder);

  /// Emits everything before the function's return.
  void emitBlock();

private:
  /// A store of columns `first + offset ...`, once all is computed.
  struct PendingStore {
    mlir::Value value, pointer, first;
    int64_t offset, valid;
  };

  // RowKernel.cpp: the loop over a block's rows.
  void loadBuffers();
  void clearPartialSums();
  void emitRow(mlir::Value row);
  void emitScalars(unsigned level, bool uniform);
  void emitScalar(mlir::Operation &op);
  void placeRow(mlir::Value row);
  mlir::Value getOperandIndex(mlir::BlockArgument operand, mlir::Value row);
  void storeScalarOutputs();
  mlir::Value getPartialSum(unsigned output);

  // RowSweep.cpp: loops over columns.
  void emitSweep(unsigned number);
  void emitChunk(unsigned number, const Chunk &chunk, llvm::ArrayRef<Reduction> reductions,
                 llvm::MutableArrayRef<mlir::Value> accumulators);
  void computeOutput(unsigned output, ColumnRange &columns,
                     llvm::SmallVectorImpl<PendingStore> &stores);
  llvm::SmallVector<int64_t> getPieces(mlir::Value row, const Sweep &sweep) const;

  // RowEvaluate.cpp: a row's values at some columns.
  mlir::Value compute(mlir::Value row, int64_t base, ColumnRange &columns);
  mlir::Value computeOp(mlir::Value row, int64_t base, ColumnRange &columns);
  mlir::Value computeElementwise(mlir::Operation *op, int64_t base, ColumnRange &columns);
  mlir::Value computeColumnIndex(mlir::Type type, int64_t base, ColumnRange &columns);
  mlir::Value computeConcat(mlir::tensor::ConcatOp concat, int64_t base, ColumnRange &columns);
  mlir::Value loadColumns(mlir::Type type, mlir::Value pointer, int64_t base,
                          const ColumnRange &columns);

  program::KernelOp kernel;
  const RowPlan &plan;
  const CPUTarget &target;
  program::Geometry geometry;
  KernelFunction function;
  CodeBuilder b;
  mlir::Block &body;

  llvm::SmallVector<mlir::Value> buffers;                 ///< operands, results, workspace
  mlir::Value currentRow;                                 ///< i64
  llvm::SmallVector<mlir::Value> operandRows, resultRows; ///< addresses of the current row
  llvm::DenseMap<mlir::Value, mlir::Value> keptRows;      ///< addresses
  mlir::IRMapping scalars; ///< the body's numbers to those of the function
};

} // namespace vernier::cpu

#endif // VERNIER_LIB_CPU_ROWEMITTER_H
