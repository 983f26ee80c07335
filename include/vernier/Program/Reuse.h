//===- Reuse.h - When a result may take its operand's place ---*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_PROGRAM_REUSE_H
#define VERNIER_PROGRAM_REUSE_H

#include "mlir/IR/Operation.h"

namespace vernier::program {

/// Whether the memory planner may place result number `result` of a kernel
/// where its operand number `input` lies (if nothing reads the operand later).
/// True for a row kernel if
///
/// 1. the result is of kind `map` and the operand's map is the identity, so
///    that a row's result lies exactly where the row was;
/// 2. row and result have the same length and width of elements;
/// 3. no `tensor.extract_slice` or `tensor.concat` uses the operand or a row
///    computed from it, so that column c of the result depends on column c of
///    the row, and on the other columns only through reductions and
///    `tensor.extract`;
///
/// and for a scatter-add kernel if it is the table. Code generators rely on
/// this from the other side. For a result that may reuse an operand:
///
/// a. it is stored in the last sweep over the row's columns;
/// b. reductions and `tensor.extract` of the row are evaluated before that
///    sweep, also those that only other results need;
/// c. in that sweep, an operand's column is loaded before it is stored;
/// d. a row's numbers are loaded before anything of the row is stored.
bool mayReuse(mlir::Operation *kernel, unsigned input, unsigned result);

} // namespace vernier::program

#endif // VERNIER_PROGRAM_REUSE_H
