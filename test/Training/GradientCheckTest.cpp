//===- GradientCheckTest.cpp - Gradients against finite differences -------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Reference/GradientCheck.h"
#include "TrainingGraph.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest-spi.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::test;
using vernier::reference::Tensor;

namespace {

/// A function and its vector-Jacobian product at one random point: compares
/// <gradient, direction> with the derivative of <cotangents, results> along the direction.
class GradientCheck {
public:
  GradientCheck(TrainingGraph &graph, StringRef function) : graph(graph), name(function) {}

  void run(ArrayRef<Tensor> chosenArguments = {}) {
    graph.differentiate(name);
    func::FuncOp product = graph.lookup((name + "_vjp").str());
    ASSERT_TRUE(product) << graph.errors;
    drawPoint(chosenArguments);
    double expected = derivativeAlongDirection();
    double found = gradientAlongDirection(product);
    EXPECT_NEAR(found, expected, 1e-9 * std::max(1.0, std::abs(expected))) << name.str();
  }

private:
  void drawPoint(ArrayRef<Tensor> chosenArguments) {
    FunctionType type = graph.lookup(name).getFunctionType();
    for (Type input : type.getInputs()) {
      arguments.push_back(graph.draw(input));
      argumentDirections.push_back(isDifferentiable(input) ? graph.draw(input) : Tensor());
    }
    llvm::copy(chosenArguments, arguments.begin());
    for (Type result : type.getResults())
      cotangents.push_back(isDifferentiable(result) ? graph.draw(result) : Tensor());
    for (ParamOp param : graph.get()->getOps<ParamOp>())
      paramDirections[param.getSymName()] = graph.draw(param.getType());
  }

  static void shift(Tensor &tensor, const Tensor &direction, double by) {
    for (size_t i = 0; i < direction.data.size(); ++i)
      tensor.data[i] += by * direction.data[i];
  }

  /// <cotangents, results> at `by` along the direction.
  double valueAt(double by) {
    Tensors shifted = arguments;
    for (size_t i = 0; i < shifted.size(); ++i)
      shift(shifted[i], argumentDirections[i], by);
    llvm::StringMap<Tensor> params = graph.params;
    for (auto &entry : paramDirections)
      shift(graph.params[entry.getKey()], entry.getValue(), by);
    Tensors results = graph.call(name, shifted);
    graph.params = params;
    double value = 0;
    for (size_t i = 0; i < results.size(); ++i)
      value += cotangents[i].data.empty() ? 0 : dot(results[i], cotangents[i]);
    return value;
  }

  // Central differences of fourth order. With h = 1e-4, rounding is about
  // 1e-15 / h = 1e-11, and truncation in whole models the same (it grows with
  // h^4: 1e-7 at h = 1e-3).
  double derivativeAlongDirection() {
    double h = 1e-4;
    return (8 * (valueAt(h) - valueAt(-h)) - (valueAt(2 * h) - valueAt(-2 * h))) / (12 * h);
  }

  double gradientAlongDirection(func::FuncOp product) {
    Tensors inputs = arguments;
    for (const Tensor &cotangent : cotangents)
      if (!cotangent.data.empty())
        inputs.push_back(cotangent);
    Tensors results = graph.call(product.getName(), inputs);
    size_t next = cotangents.size();
    double sum = 0;
    for (const Tensor &direction : argumentDirections)
      if (!direction.data.empty())
        sum += dot(results.at(next++), direction);
    for (; next < results.size(); ++next)
      sum += dot(results[next], paramDirections[getResultSlot(product, next).getName()]);
    return sum;
  }

  TrainingGraph &graph;
  StringRef name;
  Tensors arguments, argumentDirections, cotangents;
  llvm::StringMap<Tensor> paramDirections;
};

/// The gradient of x y for y as it is for x: the other's rule copied and not finished.
struct WrongMulRule : DifferentiableOpInterface::ExternalModel<WrongMulRule, MulOp> {
  SmallVector<Value> getSavedValues(Operation *op, function_ref<bool(Value)>) const {
    return {op->getOperand(1)};
  }
  void buildAdjoint(Operation *op, OpBuilder &builder, Cotangents &cotangents) const {
    Value x = op->getOperand(0), y = op->getOperand(1);
    Value gradient =
        MulOp::create(builder, op->getLoc(), x.getType(), cotangents.get(op->getResult(0)), y);
    cotangents.add(x, gradient);
    cotangents.add(y, gradient);
  }
};

static void addWrongRule(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, VernierDialect *) {
    MulOp::attachInterface<WrongMulRule>(*context);
  });
}

static std::vector<std::string> readCases(StringRef file) {
  auto buffer = llvm::MemoryBuffer::getFile(llvm::Twine(VERNIER_TEST_SOURCES "/") + file);
  EXPECT_TRUE(bool(buffer)) << file.str();
  SmallVector<StringRef> parts;
  (*buffer)->getBuffer().split(parts, "// -----\n");
  return std::vector<std::string>(parts.begin(), parts.end());
}

} // namespace

// Every case whose IR the lit tests look at, in f64 whatever its types say.
TEST(GradientCheck, CasesOfTheFileChecks) {
  for (StringRef file : {"differentiate-rules.mlir", "differentiate.mlir"}) {
    std::vector<std::string> cases = readCases(file);
    EXPECT_GE(cases.size(), 8u);
    for (const std::string &text : cases) {
      SCOPED_TRACE(file.str() + ":\n" + text);
      TrainingGraph graph;
      graph.parse(text);
      if (StringRef(text).contains("math.sin")) // evaluated by no rule of the graphs
        continue;
      GradientCheck(graph, "f").run();
    }
  }
}

TEST(GradientCheck, EveryActivation) {
  for (StringRef activation : {"silu", "gelu", "gelu_tanh", "relu"}) {
    SCOPED_TRACE(activation.str());
    TrainingGraph graph;
    graph.parse(("func.func @f(%g: tensor<2x4xf32>, %u: tensor<2x4xf32>) -> tensor<2x4xf32> {\n"
                 "  %y = vernier.glu " +
                 activation +
                 " %g, %u : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>\n"
                 "  return %y : tensor<2x4xf32>\n}")
                    .str());
    GradientCheck(graph, "f").run();
  }
}

// Chains of all operations: whole models, with a target that is ignored.
TEST(GradientCheck, WholeModels) {
  for (StringRef model : {"llama", "llama3", "llama_tied", "mistral", "qwen2", "qwen3"}) {
    SCOPED_TRACE(model.str());
    TrainingGraph graph;
    graph.import(model, {2, 5});
    Tensor ids({2, 5}, {1, 4, 1, 5, 96, 2, 6, 5, 3, 5});
    Tensor targets({2, 5}, {4, 1, -100, 9, 2, 6, 5, 3, 96, -100});
    for (auto &param : graph.params) // at deviation 1 logits are so large that differences fail
      for (double &entry : param.getValue().data)
        entry *= 0.2;
    GradientCheck(graph, "loss").run({ids, targets});
  }
}

// Both checks, this one and that of `vernier check-gradients`, notice a rule that is wrong
// for one operand, and the latter says for which.
TEST(GradientCheck, AWrongRule) {
  TrainingGraph graph(addWrongRule);
  graph.parse("func.func @f(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {\n"
              "  %z = vernier.mul %x, %y : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>\n"
              "  return %z : tensor<2x4xf32>\n}");
  EXPECT_NONFATAL_FAILURE(GradientCheck(graph, "f").run(), "f");
  auto pairs = reference::checkGradients(*graph.get(), "f", {});
  ASSERT_TRUE(succeeded(pairs)) << graph.errors;
  ASSERT_EQ(pairs->size(), 3u);
  EXPECT_LT((*pairs)[0].error(), 1e-8);
  EXPECT_GT((*pairs)[1].error(), 1e-2) << (*pairs)[1].with;
  EXPECT_GT(reference::largestError(*pairs), 1e-2);
}
