//===- ElementwiseRules.cpp - Rules of arith and math --------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "vernier/Reference/Evaluator.h"
#include <cmath>

using namespace mlir;
using namespace vernier::reference;

// The same function at each entry; numbers are tensors of one entry.
template <typename OpT> static void addUnary(RuleTable &rules, double (*function)(double)) {
  rules.add<OpT>([function](OpT, Operands in, Results out) {
    for (int64_t i = 0; i < out[0].size(); ++i)
      out[0].data[i] = function(in[0]->data[i]);
  });
}

template <typename OpT>
static void addBinary(RuleTable &rules, double (*function)(double, double)) {
  rules.add<OpT>([function](OpT, Operands in, Results out) {
    for (int64_t i = 0; i < out[0].size(); ++i)
      out[0].data[i] = function(in[0]->data[i], in[1]->data[i]);
  });
}

static double asNumber(const APInt &value) {
  return value.getBitWidth() == 1 ? static_cast<double>(value.getZExtValue())
                                  : static_cast<double>(value.getSExtValue());
}

static double asNumber(APFloat value) {
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

template <typename Number, typename Elements>
static void copyEntries(Elements elements, Tensor &to) {
  llvm::transform(elements.template getValues<Number>(), to.data.begin(),
                  [](const Number &entry) { return asNumber(entry); });
}

static LogicalResult constant(arith::ConstantOp op, Operands, Results out) {
  Attribute value = op.getValue();
  if (auto number = dyn_cast<FloatAttr>(value))
    out[0].data[0] = asNumber(number.getValue());
  else if (auto number = dyn_cast<IntegerAttr>(value))
    out[0].data[0] = asNumber(number.getValue());
  else if (auto dense = dyn_cast<DenseFPElementsAttr>(value))
    copyEntries<APFloat>(dense, out[0]);
  else if (auto dense = dyn_cast<DenseIntElementsAttr>(value))
    copyEntries<APInt>(dense, out[0]);
  else
    return op.emitOpError() << "holds a value of another kind than numbers, which is not evaluated";
  return success();
}

// Ordered predicates are false, unordered ones true, where an operand is NaN.
static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return unordered || a != b;
  case P::UNO:
    return unordered;
  }
  return false;
}

// An integer as the unsigned comparisons see it.
static double asUnsigned(double value) { return value < 0 ? HUGE_VAL : value; }

// Integers are signed values here, so that of two negative numbers the order is
// the same either way; a negative one is above all others if taken unsigned.
static bool compare(arith::CmpIPredicate predicate, double a, double b) {
  using P = arith::CmpIPredicate;
  bool bothNegative = a < 0 && b < 0;
  double ua = bothNegative ? a : asUnsigned(a), ub = bothNegative ? b : asUnsigned(b);
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  return false;
}

template <typename OpT> static void compareEntries(OpT op, Operands in, Results out) {
  for (int64_t i = 0; i < out[0].size(); ++i)
    out[0].data[i] = compare(op.getPredicate(), in[0]->data[i], in[1]->data[i]);
}

// The condition is one for all entries or one for each.
static void selectEntries(arith::SelectOp, Operands in, Results out) {
  const Tensor &condition = *in[0];
  for (int64_t i = 0; i < out[0].size(); ++i) {
    bool chosen = condition.data[condition.size() == 1 ? 0 : i] != 0;
    out[0].data[i] = in[chosen ? 1 : 2]->data[i];
  }
}

static void multiplyAdd(math::FmaOp, Operands in, Results out) {
  for (int64_t i = 0; i < out[0].size(); ++i)
    out[0].data[i] = in[0]->data[i] * in[1]->data[i] + in[2]->data[i];
}

// A truth value is 0 or 1 here; as a signed number of one bit, 1 means -1.
template <typename OpT> static void fromSigned(OpT op, Operands in, Results out) {
  double sign = getElementTypeOrSelf(op.getIn().getType()).isInteger(1) ? -1 : 1;
  for (int64_t i = 0; i < out[0].size(); ++i)
    out[0].data[i] = sign * in[0]->data[i];
}

static double same(double a) { return a; }
// NaN wins in maximumf and minimumf, the number in maxnumf and minnumf.
static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b);
}
static double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b);
}
static int64_t bits(double a) { return static_cast<int64_t>(a); }

static void populateFloatRules(RuleTable &rules) {
  addBinary<arith::AddFOp>(rules, [](double a, double b) { return a + b; });
  addBinary<arith::SubFOp>(rules, [](double a, double b) { return a - b; });
  addBinary<arith::MulFOp>(rules, [](double a, double b) { return a * b; });
  addBinary<arith::DivFOp>(rules, [](double a, double b) { return a / b; });
  addBinary<arith::MaximumFOp>(rules, maximum);
  addBinary<arith::MinimumFOp>(rules, minimum);
  addBinary<arith::MaxNumFOp>(rules, [](double a, double b) { return std::fmax(a, b); });
  addBinary<arith::MinNumFOp>(rules, [](double a, double b) { return std::fmin(a, b); });
  addUnary<arith::NegFOp>(rules, [](double a) { return -a; });
  addUnary<arith::ExtFOp>(rules, same);
  addUnary<arith::TruncFOp>(rules, same); // rounded as every result is
  rules.add<arith::CmpFOp>(compareEntries<arith::CmpFOp>);
}

static void populateIntegerRules(RuleTable &rules) {
  addBinary<arith::AddIOp>(rules, [](double a, double b) { return a + b; });
  addBinary<arith::SubIOp>(rules, [](double a, double b) { return a - b; });
  addBinary<arith::MulIOp>(rules, [](double a, double b) { return a * b; });
  addBinary<arith::MaxSIOp>(rules, [](double a, double b) { return std::max(a, b); });
  addBinary<arith::MinSIOp>(rules, [](double a, double b) { return std::min(a, b); });
  addBinary<arith::AndIOp>(rules, [](double a, double b) { return double(bits(a) & bits(b)); });
  addBinary<arith::OrIOp>(rules, [](double a, double b) { return double(bits(a) | bits(b)); });
  addBinary<arith::XOrIOp>(rules, [](double a, double b) { return double(bits(a) ^ bits(b)); });
  rules.add<arith::SIToFPOp>(fromSigned<arith::SIToFPOp>);
  addUnary<arith::UIToFPOp>(rules, same);
  addUnary<arith::FPToSIOp>(rules, [](double a) { return std::trunc(a); });
  rules.add<arith::ExtSIOp>(fromSigned<arith::ExtSIOp>);
  addUnary<arith::ExtUIOp>(rules, same);
  addUnary<arith::IndexCastOp>(rules, same);
  rules.add<arith::CmpIOp>(compareEntries<arith::CmpIOp>);
}

static void populateMathRules(RuleTable &rules) {
  addUnary<math::ExpOp>(rules, [](double a) { return std::exp(a); });
  addUnary<math::Exp2Op>(rules, [](double a) { return std::exp2(a); });
  addUnary<math::ExpM1Op>(rules, [](double a) { return std::expm1(a); });
  addUnary<math::LogOp>(rules, [](double a) { return std::log(a); });
  addUnary<math::Log1pOp>(rules, [](double a) { return std::log1p(a); });
  addUnary<math::Log2Op>(rules, [](double a) { return std::log2(a); });
  addUnary<math::SqrtOp>(rules, [](double a) { return std::sqrt(a); });
  addUnary<math::RsqrtOp>(rules, [](double a) { return 1 / std::sqrt(a); });
  addUnary<math::TanhOp>(rules, [](double a) { return std::tanh(a); });
  addUnary<math::ErfOp>(rules, [](double a) { return std::erf(a); });
  addUnary<math::ErfcOp>(rules, [](double a) { return std::erfc(a); });
  addUnary<math::AbsFOp>(rules, [](double a) { return std::fabs(a); });
  addUnary<math::SinOp>(rules, [](double a) { return std::sin(a); });
  addUnary<math::CosOp>(rules, [](double a) { return std::cos(a); });
  addBinary<math::PowFOp>(rules, [](double a, double b) { return std::pow(a, b); });
  addBinary<math::FPowIOp>(rules, [](double a, double b) { return std::pow(a, b); });
  rules.add<math::FmaOp>(multiplyAdd);
}

void vernier::reference::populateElementwiseRules(RuleTable &rules) {
  rules.add<arith::ConstantOp>(constant);
  rules.add<arith::SelectOp>(selectEntries);
  populateFloatRules(rules);
  populateIntegerRules(rules);
  populateMathRules(rules);
}
