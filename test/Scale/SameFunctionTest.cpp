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
};
INSTANTIATE_TEST_SUITE_P(Passes, SameFunction, ::testing::ValuesIn(cases));

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
