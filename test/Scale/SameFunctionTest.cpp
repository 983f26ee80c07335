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

/// llama; norms of queries and keys; biases; a tied head; norms before and after
/// sublayers, with 1 + w.
const char *const models[] = {"llama", "qwen3", "qwen2", "llama_tied", "gemma"};

class SameFunction : public ::testing::TestWithParam<std::tuple<const char *, const char *>> {
protected:
  const char *passes = std::get<0>(GetParam()), *model = std::get<1>(GetParam());
};

} // namespace

TEST_P(SameFunction, LossAndLogits) {
  RewrittenGraph graph;
  graph.load(model);
  ASSERT_TRUE(graph.rewrite(passes)) << graph.errors;
  EXPECT_TRUE(graph.isChanged());
  Tensors before = graph.evaluateBefore(), after = graph.evaluateAfter();
  ASSERT_EQ(before.size(), 2u);
  ASSERT_EQ(after.size(), 2u);
  EXPECT_LT(relativeDifference(before[0], after[0]), tolerance);
  EXPECT_LT(relativeDifference(before[1], after[1]), tolerance);
}

// Each pass, alone and after the ones that it meets, and each strategy.
static const char *const rewrites[] = {
    "vernier-split-scale",
    "vernier-split-scale{branches=v,up}",
    "vernier-split-scale{branches=v},vernier-split-scale",
    "vernier-insert-scale{branches=q,v,down,head}",
    "vernier-remove-scale{fold=true}",
    "vernier-remove-scale{fold=true},vernier-insert-scale",
    "vernier-split-scale,vernier-remove-scale{fold=true branches=k,up}",
    "vernier-relocate-scale{to=dual}",
    "vernier-relocate-scale{to=output}",
    "vernier-relocate-scale{to=output branches=v,gate}", // the rest shares
    "vernier-relocate-scale{to=output branches=o,down}",
    "vernier-split-scale,vernier-relocate-scale{to=output}",
    "vernier-relocate-scale{to=output},vernier-relocate-scale{to=input}",
    "vernier-relocate-scale{to=output},vernier-relocate-scale{to=dual}",
    "vernier-reparameterize-scale{form=original}",
    "vernier-reparameterize-scale{form=original},vernier-reparameterize-scale{form=plain}",
    "vernier-reparameterize-scale{form=original},vernier-split-scale",
    "vernier-fold-scale",
    "vernier-fold-scale{branches=gate,up,head}",
    "vernier-scale-strategy{preset=hg+dp+or},vernier-fold-scale",
    "vernier-reparameterize-scale{form=original},vernier-fold-scale",
    "vernier-scale-strategy{preset=hg}",
    "vernier-scale-strategy{preset=dp}",
    "vernier-scale-strategy{preset=or}",
    "vernier-scale-strategy{preset=iwd}",
    "vernier-scale-strategy{preset=hg+dp+or+iwd}",
};
INSTANTIATE_TEST_SUITE_P(Passes, SameFunction,
                         ::testing::Combine(::testing::ValuesIn(rewrites),
                                            ::testing::ValuesIn(models)));

// Output scales, with a bias, with values that are not the ones they start at.
TEST(SameFunctionOfText, FoldsOutputScalesAndChains) {
  for (const char *pass : {"vernier-remove-scale{fold=true}", "vernier-fold-scale"}) {
    SCOPED_TRACE(pass);
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
    ASSERT_TRUE(graph.rewrite(pass)) << graph.errors;
    EXPECT_EQ(graph.newValues.size(), 3u);
    EXPECT_LT(relativeDifference(graph.evaluateBefore()[1], graph.evaluateAfter()[1]), tolerance);
  }
}

// With a vector in the middle that is not 1 the norm cannot be undone.
TEST(OtherFunction, DualNorm) {
  for (const char *axis : {"vector", "head"}) {
    RewrittenGraph graph;
    graph.load("llama");
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

/// What a strategy has made, with values as after training.
class SameFunctionOfTrained : public SameFunction {};

TEST_P(SameFunctionOfTrained, Folded) {
  RewrittenGraph graph;
  graph.load(model);
  makeScalesPositive(graph); // to start with, for the exponential form
  ASSERT_TRUE(graph.rewrite(passes)) << graph.errors;
  graph.train();
  ASSERT_TRUE(graph.rewrite("vernier-fold-scale")) << graph.errors;
  EXPECT_TRUE(graph.isChanged());
  for (ParamOp param : graph.after->getOps<ParamOp>()) {
    EXPECT_NE(param.getKind(), ParamKind::Direction) << param.getSymName().str();
    EXPECT_NE(param.getKind(), ParamKind::Magnitude) << param.getSymName().str();
  }
  Tensors before = graph.evaluateBefore(), after = graph.evaluateAfter();
  EXPECT_LT(relativeDifference(before[0], after[0]), tolerance);
  EXPECT_LT(relativeDifference(before[1], after[1]), tolerance);
}

static const char *const strategies[] = {
    "vernier-scale-strategy{preset=baseline}", "vernier-scale-strategy{preset=hg}",
    "vernier-scale-strategy{preset=dp}",       "vernier-scale-strategy{preset=or}",
    "vernier-scale-strategy{preset=er}",       "vernier-scale-strategy{preset=hg+dp+or}",
    "vernier-scale-strategy{preset=hg+dp+er}", "vernier-scale-strategy{preset=unified}",
};
INSTANTIATE_TEST_SUITE_P(Passes, SameFunctionOfTrained,
                         ::testing::Combine(::testing::ValuesIn(strategies),
                                            ::testing::ValuesIn(models)));

class SameFunctionOfPositiveScales : public SameFunction {};

TEST_P(SameFunctionOfPositiveScales, LossAndLogits) {
  RewrittenGraph graph;
  graph.load(model);
  makeScalesPositive(graph);
  ASSERT_TRUE(graph.rewrite(passes)) << graph.errors;
  Tensors before = graph.evaluateBefore(), after = graph.evaluateAfter();
  EXPECT_LT(relativeDifference(before[0], after[0]), tolerance);
  EXPECT_LT(relativeDifference(before[1], after[1]), tolerance);
}

static const char *const exponentialRewrites[] = {
    "vernier-reparameterize-scale{form=exponential}",
    "vernier-reparameterize-scale{form=exponential},vernier-reparameterize-scale{form=plain}",
    "vernier-reparameterize-scale{form=exponential},vernier-reparameterize-scale{form=original}",
    "vernier-scale-strategy{preset=er}",
    "vernier-scale-strategy{preset=hg+dp+er+iwd},vernier-fold-scale",
};
INSTANTIATE_TEST_SUITE_P(Passes, SameFunctionOfPositiveScales,
                         ::testing::Combine(::testing::ValuesIn(exponentialRewrites),
                                            ::testing::ValuesIn(models)));

TEST(Values, NegativeScaleHasNoExponentialForm) {
  RewrittenGraph graph;
  graph.load("llama");
  EXPECT_FALSE(graph.rewrite("vernier-reparameterize-scale{form=exponential}"));
  EXPECT_NE(graph.errors.find("the exponential form has positive ones only"), std::string::npos)
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

// The ablation is another function.
TEST(OtherFunction, RemovedScale) {
  RewrittenGraph graph;
  graph.load("llama");
  ASSERT_TRUE(graph.rewrite("vernier-remove-scale")) << graph.errors;
  EXPECT_EQ(graph.newValues.size(), graph.oldValues.size() - 5);
  EXPECT_GT(relativeDifference(graph.evaluateBefore()[1], graph.evaluateAfter()[1]), 0.1);
}
