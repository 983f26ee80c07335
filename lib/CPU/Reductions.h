//===- Reductions.h - The sum or maximum of a row ---------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_CPU_REDUCTIONS_H
#define VERNIER_LIB_CPU_REDUCTIONS_H

#include "vernier/CPU/Kernels.h"

namespace vernier::cpu {

/// The accumulators of one `program.reduce`, a range of the values that a
/// sweep carries: a vector for each slot, and for a maximum one more that
/// remembers NaNs.
///
/// A sum adds up each slot from left to right, then the slots, then the lanes,
/// both as a tree of halves. The maximum of a row with a NaN is a NaN: x86's
/// own maximum forgets it when the next number comes.
class Reduction {
public:
  /// The accumulators are `carried[first], carried[first + 1], ...`.
  Reduction(program::ReduceOp op, int64_t lanes, int64_t slots, int64_t first)
      : op(op), lanes(lanes), slots(slots), first(first) {}

  program::ReduceOp getOp() const { return op; }

  /// Appends the accumulators' first values.
  void start(CodeBuilder &b, llvm::SmallVectorImpl<mlir::Value> &carried) const;
  /// Adds a vector to a slot; lanes from `valid` on (if not -1) do not count.
  void add(CodeBuilder &b, mlir::Value vector, int64_t slot, int64_t valid,
           llvm::MutableArrayRef<mlir::Value> carried) const;
  /// The row's sum or maximum.
  mlir::Value finish(CodeBuilder &b, mlir::ValueRange carried) const;

private:
  bool isMaximum() const { return op.getKind() == program::ReduceKind::Max; }
  mlir::Value combine(CodeBuilder &b, mlir::Value lhs, mlir::Value rhs) const;
  mlir::Value getIdentity(CodeBuilder &b) const;
  mlir::VectorType getFlagType() const;

  mutable program::ReduceOp op; // accessors of operations are not const
  int64_t lanes, slots, first;
};

} // namespace vernier::cpu

#endif // VERNIER_LIB_CPU_REDUCTIONS_H
