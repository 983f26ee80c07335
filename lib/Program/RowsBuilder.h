//===- RowsBuilder.h - Writes program.rows like formulas -------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_PROGRAM_ROWSBUILDER_H
#define VERNIER_LIB_PROGRAM_ROWSBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "vernier/Program/Program.h"

namespace vernier::program {

using mlir::Type;
using mlir::Value;

/// What a `program.rows` computes, for the names of kernels ("add_rms_norm").
constexpr llvm::StringLiteral kLabelAttr = "program.label";

/// The leading dimensions of a tensor: the space of the rows it consists of.
llvm::ArrayRef<int64_t> getRowSpace(Type tensor);

/// Builds a `program.rows`: inputs first, then arithmetic on the body's values,
/// then outputs. Arithmetic takes numbers and rows alike; a number that meets
/// a row is spread over it. Inputs of bf16 are extended to f32, and `store`
/// rounds to the result's type.
class RowsBuilder {
public:
  RowsBuilder(mlir::PatternRewriter &rewriter, mlir::Location loc, llvm::ArrayRef<int64_t> space,
              llvm::StringRef label);

  /// The input as it is, through a map from the row's index to its leading
  /// indices.
  Value read(Value tensor, mlir::AffineMap map);
  /// The row of a tensor of shape space + [D].
  Value row(Value tensor) { return extend(read(tensor, identity())); }
  /// A row's number, of a tensor of the space's shape.
  Value numberOfRow(Value tensor) { return extend(read(tensor, identity())); }
  /// The same vector, or number, for every row.
  Value shared(Value tensor) { return extend(read(tensor, same())); }
  /// `row`, or `shared` if the tensor has rank 0.
  Value operand(Value tensor);

  mlir::AffineMap identity() const;
  mlir::AffineMap same() const;

  Value number(double value) { return constant(b.getF32Type(), value); }
  /// A constant of the type of a number or a row.
  Value constant(Type type, double value);
  Value integer(Type type, int64_t value);
  Value add(Value x, Value y) { return binary<mlir::arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return binary<mlir::arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return binary<mlir::arith::MulFOp>(x, y); }
  Value div(Value x, Value y) { return binary<mlir::arith::DivFOp>(x, y); }
  Value mul(Value x, double y) { return mul(x, constant(x.getType(), y)); }
  Value add(Value x, double y) { return add(x, constant(x.getType(), y)); }
  /// x y + z, rounded once.
  Value fma(Value x, Value y, Value z);
  Value sqrt(Value x) { return mlir::math::SqrtOp::create(b, x); }
  Value rsqrt(Value x) { return mlir::math::RsqrtOp::create(b, x); }
  Value exp(Value x) { return mlir::math::ExpOp::create(b, x); }
  Value negate(Value x) { return mlir::arith::NegFOp::create(b, x); }
  Value reduce(ReduceKind kind, Value row);
  Value sum(Value row) { return reduce(ReduceKind::Add, row); }
  Value mean(Value row);
  /// x with elements of another float type.
  Value convert(Value x, mlir::FloatType element);
  /// bf16 to f32; all else stays.
  Value extend(Value x);

  /// Outputs, in the order of the results.
  void store(Value x, Type resultTensor);
  void sumRows(Value x);

  /// Creates the op.
  RowsOp finish();

  /// Builds the operations of the body.
  mlir::ImplicitLocOpBuilder b;

private:
  template <typename OpTy> Value binary(Value x, Value y) {
    spread(x, y);
    return OpTy::create(b, x, y);
  }
  void spread(Value &x, Value &y);

  mlir::PatternRewriter &rewriter;
  llvm::SmallVector<int64_t> space;
  std::string label;
  mlir::Region region;
  llvm::SmallVector<Value> inputs, yielded;
  llvm::SmallVector<mlir::Attribute> maps, kinds;
};

} // namespace vernier::program

#endif // VERNIER_LIB_PROGRAM_ROWSBUILDER_H
