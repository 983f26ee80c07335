//===- GradientCheck.cpp - Gradients against finite differences ----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Reference/GradientCheck.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "vernier/Model/Vernier.h"
#include "vernier/Reference/Evaluator.h"
#include "vernier/Reference/RandomValues.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;
using namespace vernier;
using namespace vernier::reference;

static bool isFloat(Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); }

static double innerProduct(const Tensor &a, const Tensor &b) {
  return dot(a.data.data(), b.data.data(), a.size());
}

namespace {
/// Where a function is evaluated: everything that it can be differentiated by.
struct Point {
  std::vector<Tensor> arguments;
  llvm::StringMap<Tensor> params;
};

/// A variable of the function, its gradient, and the direction in which it is
/// moved. `param` is empty for an argument.
struct Variable {
  std::string name;
  size_t argument = 0;
  std::string param;
  Tensor gradient, direction;

  Tensor &in(Point &point) const {
    return param.empty() ? point.arguments[argument] : point.params[param];
  }
  double derivative() const { return innerProduct(gradient, direction); }
  double scale() const { return std::sqrt(innerProduct(gradient, gradient)); }
};

class Checker {
public:
  Checker(ModuleOp module, func::FuncOp function, const GradientCheckOptions &options)
      : module(module), function(function), options(options), random(options.seed) {}

  FailureOr<std::vector<DerivativePair>> run();

private:
  /// Calls the vector-Jacobian product and fills `variables`.
  LogicalResult differentiate();
  LogicalResult addVariables(func::FuncOp vjp, ArrayRef<Tensor> gradients);
  /// <u, f> with the variables moved by `distance` along their directions.
  FailureOr<double> valueAt(ArrayRef<const Variable *> moved, double distance);
  FailureOr<DerivativePair> compare(std::string name, ArrayRef<const Variable *> moved);

  ModuleOp module;
  func::FuncOp function;
  GradientCheckOptions options;
  RandomValues random;
  Point point;
  std::vector<Tensor> cotangents; // of the float results, in order
  std::vector<Variable> variables;
};
} // namespace

LogicalResult Checker::differentiate() {
  std::string name = (function.getSymName() + "_vjp").str();
  auto vjp = module.lookupSymbol<func::FuncOp>(name);
  if (!vjp)
    return function.emitError() << "there is no function '" << name
                                << "' beside it; vernier-differentiate makes one";
  point.arguments = random.arguments(function);
  point.params = random.params(module);
  std::vector<Tensor> inputs = point.arguments;
  for (Type type : function.getResultTypes())
    if (isFloat(type))
      cotangents.push_back(random.normal(shapeOf(type)));
  llvm::append_range(inputs, cotangents);

  Evaluator evaluator(module, point.params, Precision::Exact);
  auto results = evaluator.call(name, inputs);
  if (failed(results))
    return failure();
  return addVariables(vjp, ArrayRef<Tensor>(*results).drop_front(function.getNumResults()));
}

LogicalResult Checker::addVariables(func::FuncOp vjp, ArrayRef<Tensor> gradients) {
  unsigned first = vjp.getNumResults() - gradients.size();
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isFloat(type))
      variables.push_back({"argument " + std::to_string(number), number, "", {}, {}});
  for (unsigned i = variables.size(); i < gradients.size(); ++i) {
    auto slot = vjp.getResultAttrOfType<SlotAttr>(first + i, "vernier.slot");
    if (!slot || !slot.getName())
      return vjp.emitError() << "result " << first + i << " does not say which parameter it "
                             << "is the gradient of";
    std::string param = slot.getName().str();
    variables.push_back({"parameter '" + param + "'", 0, param, {}, {}});
  }
  if (variables.size() != gradients.size())
    return vjp.emitError() << "has " << gradients.size() << " gradients for " << variables.size()
                           << " float arguments";
  for (auto [variable, gradient] : llvm::zip_equal(variables, gradients)) {
    if (variable.in(point).shape != gradient.shape)
      return vjp.emitError() << "the gradient of " << variable.name << " has another shape than it";
    variable.gradient = gradient;
    variable.direction = random.normal(gradient.shape);
  }
  return success();
}

FailureOr<double> Checker::valueAt(ArrayRef<const Variable *> moved, double distance) {
  Point there = point;
  for (const Variable *variable : moved)
    addScaled(distance, variable->direction.data.data(), variable->in(there).data.data(),
              variable->direction.size());
  Evaluator evaluator(module, there.params, Precision::Exact);
  auto results = evaluator.call(function.getSymName(), there.arguments);
  if (failed(results))
    return failure();
  double value = 0;
  size_t next = 0;
  for (auto [type, result] : llvm::zip_equal(function.getResultTypes(), *results))
    if (isFloat(type))
      value += innerProduct(cotangents[next++], result);
  return value;
}

FailureOr<DerivativePair> Checker::compare(std::string name, ArrayRef<const Variable *> moved) {
  // Central differences err by c2 h^2 + c4 h^4 + O(h^6): of three lengths, c2
  // and c4 drop out (Richardson).
  double slopes[3];
  for (int i = 0; i < 3; ++i) {
    double h = std::ldexp(options.step, -i);
    FailureOr<double> ahead = valueAt(moved, h), behind = valueAt(moved, -h);
    if (failed(ahead) || failed(behind))
      return failure();
    slopes[i] = (*ahead - *behind) / (2 * h);
  }
  double coarse = (4 * slopes[1] - slopes[0]) / 3, fine = (4 * slopes[2] - slopes[1]) / 3;
  // By how much curvature and rounding may have moved the extrapolation.
  double noise = 2 * std::abs(fine - coarse);
  DerivativePair pair{std::move(name), 0, (16 * fine - coarse) / 15, 0, noise};
  for (const Variable *variable : moved) {
    pair.adjoint += variable->derivative();
    pair.scale = std::hypot(pair.scale, variable->scale());
  }
  return pair;
}

FailureOr<std::vector<DerivativePair>> Checker::run() {
  if (failed(differentiate()))
    return failure();
  std::vector<DerivativePair> pairs;
  SmallVector<const Variable *> all;
  for (const Variable &variable : variables) {
    FailureOr<DerivativePair> pair = compare(variable.name, &variable);
    if (failed(pair))
      return failure();
    pairs.push_back(*pair);
    all.push_back(&variable);
  }
  FailureOr<DerivativePair> pair = compare("all", all);
  if (failed(pair))
    return failure();
  pairs.push_back(*pair);
  // A gradient that has to be zero is so up to rounding in the whole sum.
  for (DerivativePair &other : pairs)
    other.scale = std::max(other.scale, 1e-3 * pair->scale);
  return pairs;
}

FailureOr<std::vector<DerivativePair>>
vernier::reference::checkGradients(ModuleOp module, StringRef name,
                                   const GradientCheckOptions &options) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function)
    return module.emitError() << "there is no function '" << name << "' to check";
  return Checker(module, function, options).run();
}

double DerivativePair::error() const {
  double size = std::max({std::abs(adjoint), std::abs(difference), scale});
  double apart = std::abs(adjoint - difference);
  // Both zero is agreement; anything that is not a number is none.
  if (std::isnan(apart / size))
    return apart == 0 ? 0 : HUGE_VAL;
  return std::max(apart - noise, 0.0) / size;
}

double vernier::reference::largestError(ArrayRef<DerivativePair> pairs) {
  double largest = pairs.empty() ? HUGE_VAL : 0;
  for (const DerivativePair &pair : pairs)
    largest = std::max(largest, pair.error());
  return largest;
}

void vernier::reference::print(ArrayRef<DerivativePair> pairs, llvm::raw_ostream &stream) {
  for (const DerivativePair &pair : pairs)
    stream << llvm::format("%-44s adjoint %+.12e  difference %+.12e  error %.1e\n",
                           pair.with.c_str(), pair.adjoint, pair.difference, pair.error());
}
