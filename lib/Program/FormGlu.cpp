//===- FormGlu.cpp - Gated linear units become row kernels -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowsBuilder.h"
#include "vernier/Program/Patterns.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace {

/// Activations and their derivatives on the rows of a kernel.
class Activations {
public:
  explicit Activations(RowsBuilder &rows) : rows(rows) {}

  /// (activation(x), activation'(x)); the second is null unless asked for.
  std::pair<Value, Value> evaluate(Activation kind, Value x, bool withDerivative) {
    switch (kind) {
    case Activation::SiLU:
      return silu(x, withDerivative);
    case Activation::GELU:
      return gelu(x, withDerivative);
    case Activation::GELUTanh:
      return geluTanh(x, withDerivative);
    case Activation::ReLU:
      return relu(x, withDerivative);
    }
    return {};
  }

private:
  Value one(Value like) { return rows.constant(like.getType(), 1.0); }

  // s = 1 / (1 + e^-x): x s, and s (1 + x (1 - s)).
  std::pair<Value, Value> silu(Value x, bool withDerivative) {
    Value s = rows.div(one(x), rows.add(rows.exp(rows.negate(x)), 1.0));
    Value y = rows.mul(x, s);
    if (!withDerivative)
      return {y, Value()};
    return {y, rows.mul(s, rows.add(rows.mul(x, rows.sub(one(x), s)), 1.0))};
  }

  // Phi = (1 + erf(x / sqrt 2)) / 2: x Phi, and Phi + x phi with the normal
  // density phi.
  std::pair<Value, Value> gelu(Value x, bool withDerivative) {
    Value erf = math::ErfOp::create(rows.b, rows.mul(x, llvm::numbers::sqrt2 / 2));
    Value phi = rows.mul(rows.add(erf, 1.0), 0.5);
    Value y = rows.mul(x, phi);
    if (!withDerivative)
      return {y, Value()};
    Value density = rows.mul(rows.exp(rows.mul(rows.mul(x, x), -0.5)),
                             llvm::numbers::inv_sqrtpi / llvm::numbers::sqrt2);
    return {y, rows.add(phi, rows.mul(x, density))};
  }

  // t = tanh(c (x + a x^3)) with c = sqrt(2 / pi), a = 0.044715: x (1 + t) / 2,
  // and (1 + t) / 2 + x (1 - t^2) c (1 + 3 a x^2) / 2.
  std::pair<Value, Value> geluTanh(Value x, bool withDerivative) {
    constexpr double a = 0.044715, c = llvm::numbers::sqrt2 * llvm::numbers::inv_sqrtpi;
    Value square = rows.mul(x, x);
    Value inner = rows.mul(rows.mul(x, rows.add(rows.mul(square, a), 1.0)), c);
    Value t = math::TanhOp::create(rows.b, inner);
    Value half = rows.mul(rows.add(t, 1.0), 0.5);
    Value y = rows.mul(x, half);
    if (!withDerivative)
      return {y, Value()};
    Value slope = rows.mul(rows.add(rows.mul(square, 3 * a), 1.0), c / 2);
    Value sech = rows.sub(one(x), rows.mul(t, t));
    return {y, rows.add(half, rows.mul(rows.mul(x, sech), slope))};
  }

  // The comparison is false for a NaN, which so passes.
  std::pair<Value, Value> relu(Value x, bool withDerivative) {
    Value zero = rows.constant(x.getType(), 0.0);
    Value below = arith::CmpFOp::create(rows.b, arith::CmpFPredicate::OLE, x, zero);
    Value y = arith::SelectOp::create(rows.b, below, zero, x);
    if (!withDerivative)
      return {y, Value()};
    return {y, arith::SelectOp::create(rows.b, below, zero, one(x))};
  }

  RowsBuilder &rows;
};

struct FormGlu : OpRewritePattern<GluOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GluOp op, PatternRewriter &rewriter) const override {
    std::string label = ("glu_" + stringifyActivation(op.getActivation())).str();
    RowsBuilder rows(rewriter, op.getLoc(), getRowSpace(op.getType()), label);
    Value gate = rows.row(op.getGate()), up = rows.row(op.getUp());
    Value activated = Activations(rows).evaluate(op.getActivation(), gate, false).first;
    rows.store(rows.mul(activated, up), op.getType());
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

struct FormGluGrad : OpRewritePattern<GluGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GluGradOp op, PatternRewriter &rewriter) const override {
    std::string label = ("glu_" + stringifyActivation(op.getActivation()) + "_grad").str();
    RowsBuilder rows(rewriter, op.getLoc(), getRowSpace(op.getGate().getType()), label);
    Value dy = rows.row(op.getOutputGrad());
    Value gate = rows.row(op.getGate()), up = rows.row(op.getUp());
    auto [activated, slope] = Activations(rows).evaluate(op.getActivation(), gate, true);
    rows.store(rows.mul(rows.mul(dy, up), slope), op.getGateGrad().getType());
    rows.store(rows.mul(dy, activated), op.getUpGrad().getType());
    rewriter.replaceOp(op, rows.finish());
    return success();
  }
};

} // namespace

void program::populateFormGluPatterns(RewritePatternSet &patterns) {
  patterns.add<FormGlu, FormGluGrad>(patterns.getContext());
}
