//===- WeightSideTest.cpp - Scales on weights: same loss, same gradients ----===//
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

// f64 throughout; sums of some hundred products, in another order.
constexpr double tolerance = 1e-12;

struct Case {
  const char *passes; ///< which shape the graph, before
  const char *model;
};

std::ostream &operator<<(std::ostream &stream, const Case &c) {
  return stream << c.passes << " on " << c.model;
}

unsigned countScaledWeights(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](LinearOp linear) { count += !linear.getWeight().getDefiningOp<GetParamOp>(); });
  return count;
}

class WeightSide : public ::testing::TestWithParam<Case> {};

} // namespace

// Values are random, so no vector is all ones. Every parameter keeps its name, its
// value and its gradient.
TEST_P(WeightSide, LossAndGradients) {
  RewrittenGraph activations, weights;
  std::string passes = GetParam().passes;
  activations.importGolden(GetParam().model);
  weights.importGolden(GetParam().model);
  for (RewrittenGraph *graph : {&activations, &weights}) // the exponential form takes no others
    for (auto &entry : graph->oldValues)
      for (double &value : entry.second.data)
        value = std::abs(value) + 0.1;
  ASSERT_TRUE(passes.empty() || activations.rewrite(passes)) << activations.errors;
  std::string apply = "vernier-apply-scale-to-weights{side=weights}";
  ASSERT_TRUE(weights.rewrite(passes.empty() ? apply : passes + "," + apply)) << weights.errors;
  EXPECT_GT(countScaledWeights(*weights.after), 0u);
  // The same values, and none of them a vector that starts at one.
  reference::RandomValues random(3);
  activations.newValues = random.params(*activations.after);
  ASSERT_EQ(weights.newValues.size(), activations.newValues.size());
  weights.newValues = activations.newValues;

  Tensors expected = activations.evaluateAfter(), found = weights.evaluateAfter();
  ASSERT_EQ(expected.size(), 2u);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_LT(relativeDifference(expected[0], found[0]), tolerance);
  EXPECT_LT(relativeDifference(expected[1], found[1]), tolerance);
  Values expectedGradients = activations.gradientsAfter(), gradients = weights.gradientsAfter();
  ASSERT_EQ(gradients.size(), expectedGradients.size());
  for (const auto &[name, gradient] : expectedGradients) {
    ASSERT_TRUE(gradients.contains(name)) << name.str();
    EXPECT_LT(relativeDifference(gradient, gradients[name]), tolerance) << name.str();
  }
}

static const Case cases[] = {
    {"", "llama"},
    {"", "llama_tied"},
    {"", "qwen2"},
    {"", "qwen3"},
    {"vernier-split-scale", "llama"},
    {"vernier-split-scale", "qwen3"},
    {"vernier-split-scale,vernier-relocate-scale{to=dual}", "llama_tied"},
    {"vernier-split-scale,vernier-relocate-scale{to=dual}", "qwen2"},
    {"vernier-relocate-scale{to=dual}", "mistral"},
    {"vernier-relocate-scale{to=output}", "llama"},
    {"vernier-split-scale,vernier-relocate-scale{to=dual-norm}", "llama"},
    {"vernier-split-scale,vernier-relocate-scale{to=dual-norm norm-axis=head}", "qwen2"},
    {"vernier-relocate-scale{to=dual branches=o,down}", "llama"},
    {"vernier-insert-scale{branches=q,v,down}", "qwen2"},
    {"vernier-split-scale,vernier-relocate-scale{to=dual},vernier-reparameterize-scale{form="
     "original}",
     "llama_tied"},
    {"vernier-split-scale,vernier-reparameterize-scale{form=exponential}", "mistral"},
};
INSTANTIATE_TEST_SUITE_P(Passes, WeightSide, ::testing::ValuesIn(cases));
