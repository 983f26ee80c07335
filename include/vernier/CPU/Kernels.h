//===- Kernels.h - Functions that kernels become ---------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lowering makes the function, then emits loops (`scf`, bounds of type i64)
// over loads and stores of vectors through pointers:
//
//   KernelFunction kernel = createKernelFunction(builder, op.getLoc(), name, scratchBytes);
//   CodeBuilder b(op.getLoc(), builder);       // emits before the return
//   Value x = b.loadBuffer(kernel, 0);         // the first operand's address
//   Value v = b.load(VectorType::get(8, f32), x, index);
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_CPU_KERNELS_H
#define VERNIER_CPU_KERNELS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "vernier/CPU/Target.h"
#include "vernier/Program/Program.h"

namespace vernier::cpu {

/// The attribute of a kernel's function: bytes of memory of its own that each
/// thread needs.
constexpr llvm::StringLiteral kScratchBytesAttr = "program.scratch_bytes";

/// What the function that adds up partial sums is called, after the kernel.
constexpr llvm::StringLiteral kFinishSuffix = ".finish";

/// Whether an operation is a kernel of some kind.
bool isKernel(mlir::Operation &op);

/// Whether a type's numbers are floats narrower than f32, for which there is no
/// code yet.
bool isNarrow(mlir::Type type);

/// A function of the type VernierKernelFunction.
struct KernelFunction {
  mlir::func::FuncOp function;
  mlir::Value buffers; ///< !llvm.ptr: operands, results, workspace
  mlir::Value scratch; ///< !llvm.ptr
  mlir::Value block;   ///< i64
};

/// Creates the function and sets `builder` before its return.
KernelFunction createKernelFunction(mlir::OpBuilder &builder, mlir::Location loc,
                                    llvm::StringRef name, int64_t scratchBytes = 0);

/// Emits constants, loads and stores. Indices count elements and are i64.
class CodeBuilder : public mlir::ImplicitLocOpBuilder {
public:
  CodeBuilder(mlir::Location loc, mlir::OpBuilder &builder) : ImplicitLocOpBuilder(loc, builder) {}

  mlir::Value constant(int64_t value); ///< i64
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value add(mlir::Value lhs, int64_t rhs);
  mlir::Value mul(mlir::Value lhs, int64_t rhs);

  /// A constant, in every lane of a vector type.
  mlir::Value splat(mlir::Type type, double value);
  mlir::Value splat(mlir::Type type, int64_t value);

  /// The address of the kernel's buffer number `index`.
  mlir::Value loadBuffer(const KernelFunction &kernel, int64_t index);
  /// `base + index` elements of the given type.
  mlir::Value address(mlir::Type element, mlir::Value base, mlir::Value index);

  /// Loads or stores a scalar or vector at `base + index` elements, aligned as
  /// an element is. Of a vector only the first `valid` lanes, if that is not
  /// negative: the others are zero or stay as they are in memory.
  mlir::Value load(mlir::Type type, mlir::Value base, mlir::Value index, int64_t valid = -1);
  void store(mlir::Value value, mlir::Value base, mlir::Value index, int64_t valid = -1);

  /// A vector of booleans that is true in the first `valid` lanes.
  mlir::Value mask(int64_t lanes, int64_t valid);
};

/// The lowerings. Each creates the kernel's function (and its finish) at the
/// builder and reports what it cannot lower at the kernel; none erases it.
mlir::LogicalResult lowerRowKernel(program::KernelOp kernel, const CPUTarget &target,
                                   mlir::OpBuilder &builder);
mlir::LogicalResult lowerGatherKernel(program::GatherKernelOp kernel, const CPUTarget &target,
                                      mlir::OpBuilder &builder);
mlir::LogicalResult lowerScatterAddKernel(program::ScatterAddKernelOp kernel,
                                          const CPUTarget &target, mlir::OpBuilder &builder);
mlir::LogicalResult lowerAttentionKernel(program::AttentionKernelOp kernel, const CPUTarget &target,
                                         mlir::OpBuilder &builder);

} // namespace vernier::cpu

#endif // VERNIER_CPU_KERNELS_H
