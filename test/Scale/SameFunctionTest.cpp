//===- SameFunctionTest.cpp - Rewrites do not change the function -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewrittenGraph.h"
#include "vernier/Model/Vernier.h"
#include "vernier/Reference/Compare.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::test;
using vernier::reference::relativeDifference;

namespace {

// Sums of some hundred products in f64 in another order: a few hundred units in
// the last place, 1e-16 each, at most.
constexpr double tolerance = 1e-12;

struct Case {
  const char *passes;
  const char *model;
};

std::ostream &operator<<(std::ostream &stream, const Case &c) {
  return stream << c.passes << " on " << c.model;
}

class SameFunction : public ::testing::TestWithParam<Case> {};

} // namespace

TEST_P(SameFunction, LossAndLogits) {
  RewrittenGraph graph;
  graph.importGolden(GetParam().model);
  ASSERT_TRUE(graph.rewrite(GetParam().passes)) << graph.errors;
  EXPECT_TRUE(graph.isChanged());
  Tensors before = graph.evaluateBefore(), after = graph.evaluateAfter();
  ASSERT_EQ(before.size(), 2u);
  ASSERT_EQ(after.size(), 2u);
  EXPECT_LT(relativeDifference(before[0], after[0]), tolerance);
  EXPECT_LT(relativeDifference(before[1], after[1]), tolerance);
}

static const Case cases[] = {
    {"vernier-split-scale", "llama"},
    {"vernier-split-scale", "qwen3"},
    {"vernier-split-scale{branches=v,up}", "llama_tied"},
    {"vernier-split-scale{branches=v},vernier-split-scale", "qwen2"},
    {"vernier-insert-scale{branches=q,v,down,head}", "qwen2"},
    {"vernier-remove-scale{fold=true}", "llama"},
    {"vernier-remove-scale{fold=true}", "qwen3"}, // its QK-norms stay
    {"vernier-remove-scale{fold=true},vernier-insert-scale", "mistral"},
    {"vernier-split-scale,vernier-remove-scale{fold=true branches=k,up}", "llama"},
    {"vernier-relocate-scale{to=dual}", "llama"},
    {"vernier-relocate-scale{to=dual}", "qwen3"},
    {"vernier-relocate-scale{to=output}", "llama"},
    {"vernier-relocate-scale{to=output branches=v,gate}", "qwen2"}, // the rest shares
    {"vernier-split-scale,vernier-relocate-scale{to=output}", "mistral"},
    {"vernier-relocate-scale{to=output},vernier-relocate-scale{to=input}", "qwen2"},
    {"vernier-relocate-scale{to=output},vernier-relocate-scale{to=dual}", "llama_tied"},
    {"vernier-relocate-scale{to=output branches=o,down}", "llama"},
    {"vernier-reparameterize-scale{form=original}", "qwen3"},
    {"vernier-reparameterize-scale{form=original},vernier-reparameterize-scale{form=plain}",
     "llama"},
    {"vernier-reparameterize-scale{form=original},vernier-split-scale", "llama"},
    {"vernier-split-scale,vernier-relocate-scale{to=dual},vernier-reparameterize-scale", "qwen2"},
    {"vernier-split-scale,vernier-relocate-scale{to=dual},vernier-reparameterize-scale,"
     "vernier-remove-scale{fold=true}",
     "mistral"},
};
INSTANTIATE_TEST_SUITE_P(Passes, SameFunction, ::testing::ValuesIn(cases));

// Output scales, with a bias, with values that are not the ones they start at.
TEST(SameFunctionOfText, FoldsOutputScalesAndChains) {
  RewrittenGraph graph;
  graph.parse(R"(
    vernier.param @e : tensor<9x4xf32> kind(embedding) decay(decay) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"e">])
    vernier.param @w : tensor<7x4xf32> kind(matrix) decay(decay) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w">])
    vernier.param @b : tensor<7xf32> kind(bias) decay(decay) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"b">])
    vernier.param @g : tensor<7xf32> kind(scale) decay(decay) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
    vernier.param @h : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"h">])
    vernier.param @k : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"k">])
    func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
      %e = vernier.get_param @e : tensor<9x4xf32>
      %w = vernier.get_param @w : tensor<7x4xf32>
      %b = vernier.get_param @b : tensor<7xf32>
      %g = vernier.get_param @g : tensor<7xf32>
      %h = vernier.get_param @h : tensor<4xf32>
      %k = vernier.get_param @k : tensor<4xf32>
      %x = vernier.embedding %ids, %e : (tensor<2x3xi32>, tensor<9x4xf32>) -> tensor<2x3x4xf32>
      %0 = vernier.scale %x, %h : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
      %1 = vernier.scale %0, %k offset 1.0
          : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
      %2 = vernier.linear %1, %w bias %b
          : (tensor<2x3x4xf32>, tensor<7x4xf32>, tensor<7xf32>) -> tensor<2x3x7xf32>
      %3 = vernier.scale %2, %g offset 1.0
          : (tensor<2x3x7xf32>, tensor<7xf32>) -> tensor<2x3x7xf32>
      %n = vernier.count_valid %targets ignore -100 : tensor<2x3xi32> -> tensor<i64>
      %loss, %lse = vernier.cross_entropy %3, %targets, %n ignore -100
          : (tensor<2x3x7xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
      return %loss : tensor<f32>
    })");
  ASSERT_TRUE(graph.rewrite("vernier-remove-scale{fold=true}")) << graph.errors;
  EXPECT_EQ(graph.newValues.size(), 3u);
  EXPECT_LT(relativeDifference(graph.evaluateBefore()[1], graph.evaluateAfter()[1]), tolerance);
}

// With a vector in the middle that is not 1 the norm cannot be undone.
TEST(OtherFunction, DualNorm) {
  for (const char *axis : {"vector", "head"}) {
    RewrittenGraph graph;
    graph.importGolden("llama");
    ASSERT_TRUE(graph.rewrite(
        (llvm::Twine("vernier-relocate-scale{to=dual-norm norm-axis=") + axis + "}").str()))
        << graph.errors;
    EXPECT_EQ(graph.newValues.size(), graph.oldValues.size() + 10);
    EXPECT_GT(relativeDifference(graph.evaluateBefore()[1], graph.evaluateAfter()[1]), 0.01);
  }
}

/// Makes every entry of the scale vectors positive.
static void makeScalesPositive(RewrittenGraph &graph) {
  for (ParamOp param : graph.before->getOps<ParamOp>())
    if (param.getKind() == ParamKind::Scale)
      for (double &entry : graph.oldValues[param.getSymName()].data)
        entry = std::abs(entry) + 0.01;
}

TEST(SameFunctionOfPositiveScales, Exponential) {
  RewrittenGraph graph;
  graph.importGolden("qwen3");
  makeScalesPositive(graph);
  ASSERT_TRUE(graph.rewrite("vernier-reparameterize-scale{form=exponential}")) << graph.errors;
  EXPECT_LT(relativeDifference(graph.evaluateBefore()[1], graph.evaluateAfter()[1]), tolerance);
  ASSERT_TRUE(graph.rewrite("vernier-reparameterize-scale{form=original}")) << graph.errors;
  EXPECT_LT(relativeDifference(graph.evaluateBefore()[1], graph.evaluateAfter()[1]), tolerance);
}

TEST(Values, NegativeScaleHasNoExponentialForm) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  EXPECT_FALSE(graph.rewrite("vernier-reparameterize-scale{form=exponential}"));
  EXPECT_NE(graph.errors.find("its form has no number for the value that it replaces"),
            std::string::npos)
      << graph.errors;
}

// A scale of 1 + w becomes one of the whole vector.
TEST(SameFunctionOfText, OffsetBecomesPartOfTheVector) {
  for (const char *form : {"original", "plain"}) {
    RewrittenGraph graph;
    graph.parse(R"(
      vernier.param @e : tensor<9x4xf32> kind(embedding) decay(decay) optimizer(adamw)
          init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"e">])
      vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw)
          init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"g">])
      func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
        %e = vernier.get_param @e : tensor<9x4xf32>
        %g = vernier.get_param @g : tensor<4xf32>
        %x = vernier.embedding %ids, %e : (tensor<2x3xi32>, tensor<9x4xf32>) -> tensor<2x3x4xf32>
        %y = vernier.scale %x, %g offset 1.0
            : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
        %n = vernier.count_valid %targets ignore -100 : tensor<2x3xi32> -> tensor<i64>
        %loss, %lse = vernier.cross_entropy %y, %targets, %n ignore -100
            : (tensor<2x3x4xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
        return %loss : tensor<f32>
      })");
    ASSERT_TRUE(graph.rewrite("vernier-reparameterize-scale{form=original}")) << graph.errors;
    if (form == StringRef("plain"))
      ASSERT_TRUE(graph.rewrite("vernier-reparameterize-scale{form=plain}")) << graph.errors;
    EXPECT_LT(relativeDifference(graph.evaluateBefore()[1], graph.evaluateAfter()[1]), tolerance);
  }
}

// At gamma = 1, a small step of gradient flow moves the vector d times as far
// along a gradient in the direction of the magnitude (all entries alike) as
// along one of the same length at right angles to it (arXiv 2605.26895).
TEST(Preconditioner, MagnitudeMovesDTimesAsFar) {
  constexpr int64_t d = 6;
  for (const char *form : {"original", "exponential"}) {
    bool exponential = form == StringRef("exponential");
    auto moved = [&](std::vector<double> gradient) {
      RewrittenGraph graph;
      graph.parseFunctions((llvm::Twine(R"(
        func.func @f(%a: tensor<6xf32>, %b: tensor<1xf32>) -> tensor<6xf32> {
          %g = vernier.scale_from_direction )") +
                            form +
                            R"( %a, %b : (tensor<6xf32>, tensor<1xf32>) -> tensor<6xf32>
          return %g : tensor<6xf32>
        }
        func.func @df(%dy: tensor<6xf32>, %a: tensor<6xf32>, %b: tensor<1xf32>)
            -> (tensor<6xf32>, tensor<1xf32>) {
          %da, %db = vernier.scale_from_direction_grad )" +
                            form + R"( %dy, %a, %b
              : (tensor<6xf32>, tensor<6xf32>, tensor<1xf32>) -> (tensor<6xf32>, tensor<1xf32>)
          return %da, %db : tensor<6xf32>, tensor<1xf32>
        })")
                               .str());
      reference::Tensor a({d}, std::vector<double>(d, exponential ? 0 : 1));
      reference::Tensor b({1}, {exponential ? 0.0 : 1.0});
      Tensors grad = graph.call("df", {reference::Tensor({d}, gradient), a, b});
      constexpr double rate = 1e-7;
      reference::Tensor before = graph.call("f", {a, b})[0];
      for (int64_t j = 0; j < d; ++j)
        a.data[j] -= rate * grad[0].data[j];
      b.data[0] -= rate * grad[1].data[0];
      reference::Tensor after = graph.call("f", {a, b})[0];
      double along = 0; // <gradient, step> / (rate |gradient|^2)
      for (int64_t j = 0; j < d; ++j)
        along += gradient[j] * (before.data[j] - after.data[j]);
      return along / rate / 6.0; // both gradients have squared length 6
    };
    // A step of 1e-7 in f64: relative errors of 1e-16 / 1e-7 and of 1e-7.
    EXPECT_NEAR(moved({1, 1, 1, 1, 1, 1}), double(d), 1e-5) << form;
    EXPECT_NEAR(moved({1, -1, 1, -1, 1, -1}), 1.0, 1e-5) << form;
  }
}

// The ablation is another function.
TEST(OtherFunction, RemovedScale) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  ASSERT_TRUE(graph.rewrite("vernier-remove-scale")) << graph.errors;
  EXPECT_EQ(graph.newValues.size(), graph.oldValues.size() - 5);
  EXPECT_GT(relativeDifference(graph.evaluateBefore()[1], graph.evaluateAfter()[1]), 0.1);
}

// The chain rule: what the branches' vectors start from is one vector.
TEST(SameGradients, BranchGradientsOfSplitAddUp) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  ASSERT_TRUE(graph.rewrite("vernier-split-scale")) << graph.errors;
  Values before = graph.gradientsBefore(), after = graph.gradientsAfter();
  unsigned sums = 0;
  for (const auto &[name, gradient] : before) {
    if (after.contains(name)) {
      EXPECT_LT(relativeDifference(gradient, after[name]), tolerance) << name.str();
      continue;
    }
    reference::Tensor sum(gradient.shape);
    for (const auto &[branch, part] : after)
      if (branch.starts_with((name + ".").str()))
        for (size_t i = 0; i < sum.data.size(); ++i)
          sum.data[i] += part.data[i];
    EXPECT_LT(relativeDifference(gradient, sum), tolerance) << name.str();
    ++sums;
  }
  EXPECT_EQ(sums, 4u); // two norms in each of two layers
}
