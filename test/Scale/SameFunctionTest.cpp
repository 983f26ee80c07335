//===- SameFunctionTest.cpp - Rewrites do not change the function -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewrittenGraph.h"
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
