//===- TrainingGraph.h - A graph that passes run on and that is evaluated - -*- C++ -*--===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_TRAINING_TRAININGGRAPH_H
#define VERNIER_TEST_TRAINING_TRAININGGRAPH_H

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "vernier/Import/HuggingFace.h"
#include "vernier/Import/ModelGraph.h"
#include "vernier/Reference/Evaluator.h"
#include "vernier/Training/Differentiation.h"
#include "vernier/Training/Passes.h"
#include "vernier/Training/Phases.h"
#include "gtest/gtest.h"
#include <random>

namespace vernier::test {

using Tensors = std::vector<reference::Tensor>;

inline double dot(const reference::Tensor &a, const reference::Tensor &b) {
  double sum = 0;
  for (size_t i = 0; i < a.data.size(); ++i)
    sum += a.data[i] * b.data[i];
  return sum;
}

/// A module, values of its parameters, and what was said about it.
class TrainingGraph {
public:
  /// With `addRules` for gradient rules other than those that graphs have.
  explicit TrainingGraph(
      llvm::function_ref<void(mlir::DialectRegistry &)> addRules = registerGradientRules)
      : handler(&context,
                [this](mlir::Diagnostic &diagnostic) { errors += diagnostic.str() + "\n"; }) {
    mlir::DialectRegistry registry;
    registry.insert<VernierDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                    mlir::math::MathDialect, mlir::tensor::TensorDialect>();
    addRules(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  void parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module) << errors;
    drawParams();
  }

  /// The graph of a model of test/golden.
  void import(llvm::StringRef model, BatchShape shape) {
    auto config =
        readHuggingFaceConfig((llvm::StringRef(VERNIER_GOLDEN "/") + model + "/config.json").str());
    ASSERT_TRUE(bool(config)) << toString(config.takeError());
    module = buildModelGraph(&context, *config, shape);
    drawParams();
  }

  void run(llvm::function_ref<void(mlir::OpPassManager &)> build) {
    mlir::PassManager pm(&context);
    build(pm);
    ASSERT_TRUE(mlir::succeeded(pm.run(*module))) << errors;
  }

  void differentiate(llvm::StringRef function) {
    run([&](mlir::OpPassManager &pm) {
      DifferentiateOptions options;
      options.function = function.str();
      pm.addPass(createDifferentiate(options));
    });
  }

  Tensors call(llvm::StringRef function, llvm::ArrayRef<reference::Tensor> arguments) {
    reference::Evaluator evaluator(*module, params, reference::Precision::Exact);
    auto results = evaluator.call(function, arguments);
    EXPECT_TRUE(mlir::succeeded(results)) << function.str() << ": " << errors;
    return mlir::succeeded(results) ? *results : Tensors();
  }

  mlir::func::FuncOp lookup(llvm::StringRef function) {
    return module->lookupSymbol<mlir::func::FuncOp>(function);
  }

  /// Entries of deviation 1 for floats; from 0 to 7 for indices; 5 for counts.
  reference::Tensor draw(mlir::Type type) {
    reference::Tensor tensor{reference::shapeOf(type).vec()};
    mlir::Type element = mlir::getElementTypeOrSelf(type);
    for (double &entry : tensor.data)
      entry = isDifferentiable(type)  ? normal(generator)
              : element.isInteger(32) ? double(generator() % 8)
                                      : 5;
    return tensor;
  }

  mlir::OwningOpRef<mlir::ModuleOp> &get() { return module; }
  llvm::StringMap<reference::Tensor> params;
  std::string errors;

private:
  void drawParams() {
    for (ParamOp param : module->getOps<ParamOp>())
      params[param.getSymName()] = draw(param.getType());
  }

  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::mt19937_64 generator{1};
  std::normal_distribution<double> normal;
};

} // namespace vernier::test

#endif // VERNIER_TEST_TRAINING_TRAININGGRAPH_H
