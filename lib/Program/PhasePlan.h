//===- PhasePlan.h - The buffers of one phase -------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_PROGRAM_PHASEPLAN_H
#define VERNIER_LIB_PROGRAM_PHASEPLAN_H

#include "OffsetAssignment.h"
#include "PhaseValues.h"
#include "vernier/Program/MemoryPlan.h"

namespace vernier::program {

/// Where the values lie that keep their place through all phases: bytes in the
/// arena. Tables are those of `program.rope_table` (equal ones are one table),
/// with the number of the op's result.
struct FixedPlaces {
  llvm::DenseMap<SlotAttr, int64_t> states;
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, int64_t> tables;
};

/// A buffer: a fixed place, or bytes in the region that all phases share.
struct Buffer {
  enum class Kind { State, Table, Input, Value, Workspace } kind = Kind::Value;
  SlotAttr slot;                    ///< of a state
  mlir::Attribute table;            ///< what table it is
  unsigned tableIndex = 0;          ///< which result of the op
  Lifetime lifetime;                ///< from Input on; bytes and positions
  int64_t offset = 0;               ///< from Input on; in the shared region
  mlir::Operation *taker = nullptr; ///< the op that overwrote it last
};

/// The buffers of one phase: which values lie in which, and from when to when
/// each is in use. Positions are those of operations; arguments are in use
/// from -1 on, results to the terminator.
class PhasePlan {
public:
  explicit PhasePlan(mlir::func::FuncOp phase);

  /// Finds the buffers. Fails, with a diagnostic, at an operation that is
  /// neither launch, product, table nor view.
  mlir::LogicalResult build();

  /// Places the buffers of the shared region as if it began at 0, and gives
  /// its size.
  int64_t placeTransients();

  /// Writes all offsets into the IR, the shared region beginning at `base`.
  void apply(int64_t base, const FixedPlaces &places);

  /// Bytes in use of one kind where the phase uses the most of all.
  int64_t getBytesAtPeak(Buffer::Kind kind) const;

  mlir::func::FuncOp getPhase() const { return phase; }

private:
  void findHomes();
  void addArguments();
  mlir::LogicalResult addOperation(mlir::Operation &op);
  void addTables(RopeTableOp op);
  void addResult(mlir::OpResult result);
  void addWorkspace(LaunchOp launch);
  unsigned addTransient(Buffer::Kind kind, int64_t bytes, int64_t first, int64_t last);
  unsigned getState(SlotAttr slot);
  std::optional<unsigned> findReusable(mlir::OpResult result);
  int64_t getLastUse(Value value) const;
  llvm::SmallVector<unsigned> getTransients() const;

  mlir::func::FuncOp phase;
  mlir::SymbolTableCollection symbols;
  llvm::DenseMap<mlir::Operation *, int64_t> positions;
  llvm::DenseMap<Value, SlotAttr> homes; ///< values that are made where a state lies
  llvm::DenseMap<SlotAttr, unsigned> states;
  llvm::DenseMap<Value, unsigned> bufferOf; ///< not of views
  llvm::DenseMap<mlir::Operation *, unsigned> workspaceOf;
  llvm::SmallVector<Buffer, 0> buffers;
  Peak peak;
};

/// What a table is: equal for those with the same entries.
mlir::Attribute getTableKey(RopeTableOp op);

} // namespace vernier::program

#endif // VERNIER_LIB_PROGRAM_PHASEPLAN_H
