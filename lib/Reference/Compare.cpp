//===- Compare.cpp - Whether two modules compute the same ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Reference/Compare.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "vernier/Reference/RandomValues.h"
#include <cmath>

using namespace mlir;
using namespace vernier::reference;

double vernier::reference::relativeDifference(const Tensor &a, const Tensor &b) {
  if (a.shape != b.shape)
    return HUGE_VAL;
  double largest = 0, apart = 0;
  for (auto [x, y] : llvm::zip_equal(a.data, b.data)) {
    if (x == y || (std::isnan(x) && std::isnan(y)))
      continue;
    if (!std::isfinite(x - y))
      return HUGE_VAL;
    apart = std::max(apart, std::abs(x - y));
  }
  for (double x : a.data)
    largest = std::max(largest, std::isfinite(x) ? std::abs(x) : 0);
  return apart == 0 ? 0 : apart / largest;
}

FailureOr<std::vector<ResultDifference>> vernier::reference::compareModules(ModuleOp before,
                                                                            ModuleOp after,
                                                                            const RuleTable &rules,
                                                                            uint64_t seed) {
  RandomValues random(seed);
  llvm::StringMap<Tensor> params = random.params(before);
  Evaluator first(before, params, Precision::Exact, rules);
  Evaluator second(after, params, Precision::Exact, rules);
  std::vector<ResultDifference> differences;
  for (auto function : before.getOps<func::FuncOp>()) {
    if (function.isExternal() || function.isPrivate())
      continue;
    StringRef name = function.getSymName();
    std::vector<Tensor> arguments = random.arguments(function);
    auto expected = first.call(name, arguments), found = second.call(name, arguments);
    if (failed(expected) || failed(found))
      return failure();
    if (expected->size() != found->size())
      return after.emitError() << "function '" << name << "' has " << found->size()
                               << " results, expected " << expected->size();
    for (auto [number, a, b] : llvm::enumerate(*expected, *found))
      differences.push_back({name.str(), number, relativeDifference(a, b)});
  }
  return differences;
}
