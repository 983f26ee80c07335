//===- ExpandMath.cpp - Mathematical functions by polynomials -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coefficients: tools/dev/minimax.py.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "vernier/CPU/Passes.h"
#include <limits>

using namespace mlir;
using namespace vernier;

namespace vernier::cpu {
#define GEN_PASS_DEF_EXPANDMATH
#include "vernier/CPU/Passes.h.inc"
} // namespace vernier::cpu

using namespace vernier::cpu;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Predicate = arith::CmpFPredicate;

static Value expandExp(FloatMath &m, ImplicitLocOpBuilder &, Value x) { return m.exp(x); }

// x = 2^n (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), and
// log(1 + f) = 2 s + s z q(z) with s = f / (2 + f), z = s^2.
static Value expandLog(FloatMath &m, ImplicitLocOpBuilder &b, Value x) {
  Value isTiny = m.compare(Predicate::OLT, x, 0x1p-126);
  Value normal = m.select(isTiny, m.mul(x, m.constant(0x1p23)), x);
  // Subtracting the bits of sqrt(1/2) makes the exponent field that of n.
  Value root = m.integer(0x3f3504f3);
  Value distance = arith::SubIOp::create(b, m.toBits(normal), root);
  Value exponent = arith::ShRSIOp::create(b, distance, m.integer(23));
  Value mantissa = m.fromBits(arith::SubIOp::create(
      b, m.toBits(normal), arith::ShLIOp::create(b, exponent, m.integer(23))));
  Value n = m.sub(arith::SIToFPOp::create(b, x.getType(), exponent),
                  m.select(isTiny, m.constant(23), m.constant(0)));
  Value f = m.sub(mantissa, m.constant(1));
  Value ratio = m.div(f, m.add(f, m.constant(2))), z = m.mul(ratio, ratio);
  Value q = m.polynomial(z, {0x1.555554p-1, 0x1.999c26p-2, 0x1.23d3f8p-2, 0x1.f1324cp-3});
  // log(1 + f) = f - s (f - z q(z)), the second term being small; ln(2) is
  // split as in exp.
  Value small = m.mul(ratio, m.sub(f, m.mul(z, q)));
  small = m.sub(m.mul(n, m.constant(-0x1.bd0106p-13)), small);
  Value y = m.fma(n, m.constant(0x1.63p-1), m.add(f, small));
  y = m.select(m.compare(Predicate::OEQ, x, kInfinity), x, y);
  y = m.select(m.compare(Predicate::OEQ, x, 0.0), m.constant(-kInfinity), y);
  return m.select(m.compare(Predicate::OGE, x, 0.0), y, m.constant(kNaN));
}

// x + x^3 q(x^2) for small x, 1 - 2 / (e^2x + 1) otherwise.
static Value expandTanh(FloatMath &m, ImplicitLocOpBuilder &, Value x) {
  Value a = m.absolute(x), s = m.mul(x, x);
  Value q = m.polynomial(
      s, {-0x1.55553ep-2, 0x1.1109bep-3, -0x1.b89abap-5, 0x1.54c3c2p-6, -0x1.828776p-8});
  Value nearZero = m.fma(m.mul(x, s), q, x);
  Value e = m.exp(m.add(a, a));
  Value far = m.sub(m.constant(1), m.div(m.constant(2), m.add(e, m.constant(1))));
  return m.select(m.compare(Predicate::OLT, a, 0.6), nearZero, m.withSign(far, x));
}

// x + x q(x^2) up to 1, 1 - exp(-x q(x)) beyond; 1 from 3.95 on in f32.
static Value expandErf(FloatMath &m, ImplicitLocOpBuilder &, Value x) {
  Value a = m.absolute(x), s = m.mul(x, x);
  Value q = m.polynomial(s, {0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2ce6p-4, -0x1.b7f71ap-6,
                             0x1.53f224p-8, -0x1.a3515ep-11, 0x1.4771fep-14});
  Value nearZero = m.fma(x, q, x);
  Value bounded = m.atMost(a, 3.95);
  Value tail = m.polynomial(bounded, {0x1.20f21cp+0, 0x1.451ac0p-1, 0x1.b45960p-4, -0x1.896050p-6,
                                      0x1.ec7b32p-9, -0x1.6f959ap-12, 0x1.d46194p-17});
  Value e = m.exp(m.mul(m.sub(m.constant(0), bounded), tail));
  Value far = m.withSign(m.sub(m.constant(1), e), x);
  return m.select(m.compare(Predicate::OLT, a, 1.0), nearZero, far);
}

namespace {

/// Rewrites a function of one f32 argument by `expand`.
template <typename OpTy, Value (*expand)(FloatMath &, ImplicitLocOpBuilder &, Value)>
struct ExpandFunction : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32() || isa<TensorType>(type))
      return rewriter.notifyMatchFailure(op, "expected f32 or a vector of it");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FloatMath math(b, type);
    rewriter.replaceOp(op, expand(math, b, op.getOperand()));
    return success();
  }
};

struct ExpandMath : public cpu::impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns);
    if (!fma)
      populateExpandFmaPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

void cpu::populateExpandMathPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandFunction<math::ExpOp, expandExp>, ExpandFunction<math::LogOp, expandLog>,
               ExpandFunction<math::TanhOp, expandTanh>, ExpandFunction<math::ErfOp, expandErf>>(
      patterns.getContext());
  populateExpandPowerPatterns(patterns);
}
