//===- RowPlan.h - The sweeps in which a row kernel computes a row -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row's values that depend on a reduction can be computed only after a whole
// sweep over its columns. For softmax,
//
//   %m = reduce <max> %x         sweep 0: the maximum
//   %e = exp(%x - splat %m)
//   %s = reduce <add> %e         sweep 1: the sum; keeps %e, which is dear
//   %y = %e / splat %s           sweep 2: stores %y
//   yield %y
//
// The level of a value is the number of reductions in a row that it needs:
// values of level n can be computed in sweep n and later.
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_CPU_ROWPLAN_H
#define VERNIER_LIB_CPU_ROWPLAN_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "vernier/Program/Program.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>

namespace vernier::cpu {

/// One pass over the columns of all rows of one family: rows of one length, or
/// of lengths that slices and concatenations relate. These are cut into pieces
/// of one length and swept together, the same column of every piece at a time.
struct Sweep {
  unsigned level = 0;
  int64_t pieceLength = 1;
  llvm::SmallVector<program::ReduceOp> reductions;
  llvm::SmallVector<unsigned> outputs; ///< numbers of the rows stored or summed up
  llvm::SmallVector<mlir::Value> kept; ///< rows computed here and read again later
};

/// Where a row is kept between sweeps: in the buffer of a result, which is
/// not needed before its own sweep, or in the thread's scratch memory.
struct KeptRow {
  unsigned firstSweep = 0;
  std::optional<unsigned> result;
  int64_t scratchOffset = 0; ///< bytes
};

class RowPlan {
public:
  /// Reports at the kernel what has no plan.
  static mlir::FailureOr<RowPlan> create(program::KernelOp kernel);

  /// In order of execution: by level.
  llvm::ArrayRef<Sweep> getSweeps() const { return sweeps; }
  unsigned getLevel(mlir::Value value) const { return levels.lookup(value); }
  /// One more than the highest.
  unsigned getLevelCount() const { return levelCount; }
  /// Null if the row is computed whenever it is needed.
  const KeptRow *getKept(mlir::Value row) const;
  int64_t getScratchBytes() const { return scratchBytes; }
  /// Whether the value, not a row, is the same for all rows of the kernel.
  bool isUniform(mlir::Value value) const { return uniform.contains(value); }

private:
  explicit RowPlan(program::KernelOp kernel) : kernel(kernel) {}
  mlir::LogicalResult check();
  mlir::LogicalResult relateLengths();
  void computeLevels();
  void findUniform();
  void makeSweeps();
  void keepExpensiveRows();
  void keep(mlir::Value row, unsigned firstSweep);
  std::optional<unsigned> findFreeResult(mlir::Value row, unsigned firstSweep);
  llvm::SetVector<mlir::Value> getRowsOf(unsigned sweep);
  void collectRows(mlir::Value root, unsigned sweep, llvm::SetVector<mlir::Value> &rows);
  bool readsAfter(mlir::Value operand, unsigned sweep);
  Sweep &getSweep(unsigned level, mlir::Value row);

  program::KernelOp kernel;
  llvm::SmallVector<Sweep> sweeps;
  llvm::DenseMap<mlir::Value, unsigned> levels;
  unsigned levelCount = 1;
  llvm::MapVector<mlir::Value, KeptRow> keptRows;
  llvm::DenseSet<mlir::Value> uniform;
  std::map<int64_t, int64_t> pieceLengths; ///< by the rows' length
  int64_t scratchBytes = 0;
};

/// Whether a value of a kernel's body is a row rather than a number.
bool isRow(mlir::Value value);
int64_t getRowLength(mlir::Value row);

/// Whether a row of the kernel's operand lies where the same row of a result
/// of this type may lie.
bool mayShareBuffer(program::KernelOp kernel, mlir::BlockArgument operand, mlir::Type result);

} // namespace vernier::cpu

#endif // VERNIER_LIB_CPU_ROWPLAN_H
