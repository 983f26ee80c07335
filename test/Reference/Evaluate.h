//===- Evaluate.h - Helpers that evaluate a function given as text ---*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_REFERENCE_EVALUATE_H
#define VERNIER_TEST_REFERENCE_EVALUATE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "vernier/Model/Vernier.h"
#include "vernier/Reference/Evaluator.h"
#include "gtest/gtest.h"

namespace vernier::reference::test {

/// A module given as text, and what was said about it.
class Graph {
public:
  /// With `addDialects` for dialects beyond those of graphs.
  explicit Graph(llvm::StringRef text, const RuleTable &rules = getGraphRules(),
                 llvm::function_ref<void(mlir::DialectRegistry &)> addDialects = nullptr)
      : rules(rules), handler(&context, [this](mlir::Diagnostic &diagnostic) {
          errors += diagnostic.str() + "\n";
        }) {
    mlir::DialectRegistry registry;
    registry.insert<VernierDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                    mlir::math::MathDialect, mlir::tensor::TensorDialect>();
    if (addDialects)
      addDialects(registry);
    context.appendDialectRegistry(registry);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << errors;
  }

  /// The results of @f, none if it cannot be evaluated.
  std::vector<Tensor> evaluate(std::vector<Tensor> arguments,
                               Precision precision = Precision::Exact) {
    if (!module)
      return {};
    Evaluator evaluator(*module, params, precision, rules);
    auto results = evaluator.call("f", arguments);
    return mlir::succeeded(results) ? *results : std::vector<Tensor>();
  }

  llvm::StringMap<Tensor> params;
  std::string errors;

private:
  const RuleTable &rules;
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Evaluates @f of a module whose values are written out.
inline std::vector<Tensor> evaluate(llvm::StringRef text, std::vector<Tensor> arguments,
                                    Precision precision = Precision::Exact) {
  Graph graph(text);
  std::vector<Tensor> results = graph.evaluate(std::move(arguments), precision);
  EXPECT_FALSE(results.empty()) << graph.errors;
  return results;
}

/// Expects entries that agree to a few rounding errors of f64.
inline void expectEntries(const Tensor &actual, const std::vector<double> &expected) {
  ASSERT_EQ(actual.data.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual.data[i], expected[i], 1e-14 * std::max(1.0, std::abs(expected[i])))
        << "entry " << i;
}

} // namespace vernier::reference::test

#endif // VERNIER_TEST_REFERENCE_EVALUATE_H
