//===- Views.h - Tensors of one buffer in several shapes -------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_PROGRAM_VIEWS_H
#define VERNIER_LIB_PROGRAM_VIEWS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vernier::program {

/// Whether the op only changes the shape by which a buffer is seen.
bool isView(mlir::Operation *op);

/// The value of which this one is a view, through any number of them.
mlir::Value stripViews(mlir::Value value);

/// `type` with all but the last dimension made one.
mlir::RankedTensorType matrixType(mlir::Type type);

/// The tensor with all but its last dimension made one.
mlir::Value asMatrix(mlir::OpBuilder &builder, mlir::Value tensor);

/// The tensor in another shape with as many entries.
mlir::Value viewAs(mlir::OpBuilder &builder, mlir::Value tensor, mlir::RankedTensorType type);

} // namespace vernier::program

#endif // VERNIER_LIB_PROGRAM_VIEWS_H
