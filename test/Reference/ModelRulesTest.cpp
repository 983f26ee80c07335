//===- ModelRulesTest.cpp - Rules of model operations, by hand -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Every expected value is worked out by hand, or is a named constant of
// mathematics: nothing here comes from the evaluator.
#include "Evaluate.h"
#include <cmath>

using namespace vernier::reference;
using namespace vernier::reference::test;

TEST(ModelRules, EmbeddingTakesRows) {
  auto y =
      evaluate(R"(func.func @f(%ids: tensor<1x3xi32>, %t: tensor<3x2xf32>) -> tensor<1x3x2xf32> {
    %y = vernier.embedding %ids, %t : (tensor<1x3xi32>, tensor<3x2xf32>) -> tensor<1x3x2xf32>
    return %y : tensor<1x3x2xf32>
  })",
               {{{1, 3}, {2, 0, 2}}, {{3, 2}, {1, 2, 3, 4, 5, 6}}});
  expectEntries(y.at(0), {5, 6, 1, 2, 5, 6});
}

TEST(ModelRules, LinearMultipliesByTheTransposedWeight) {
  auto y =
      evaluate(R"(func.func @f(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>, %b: tensor<2xf32>)
      -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %y = vernier.linear %x, %w : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
    %z = vernier.linear %x, %w bias %b : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    return %y, %z : tensor<2x2xf32>, tensor<2x2xf32>
  })",
               {{{2, 3}, {1, 2, 3, -1, 0, 1}}, {{2, 3}, {1, 0, 2, 0, 1, -1}}, {{2}, {10, 20}}});
  expectEntries(y.at(0), {7, -1, 1, -1});
  expectEntries(y.at(1), {17, 19, 11, 19});
}

TEST(ModelRules, RmsNorm) {
  // mean(9, 16) + 3.5 = 16, of which the root is 4.
  auto y = evaluate(R"(func.func @f(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
    %y = vernier.rms_norm %x epsilon 3.5 : tensor<1x2xf32> -> tensor<1x2xf32>
    return %y : tensor<1x2xf32>
  })",
                    {{{1, 2}, {3, 4}}});
  expectEntries(y.at(0), {0.75, 1});
}

TEST(ModelRules, LayerNormTakesTheBiasedVariance) {
  // Mean 2, variance 1 (2 if it were unbiased), and 1 + 3 = 4.
  auto y = evaluate(R"(func.func @f(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
    %y = vernier.layer_norm %x epsilon 3.0 : tensor<1x2xf32> -> tensor<1x2xf32>
    return %y : tensor<1x2xf32>
  })",
                    {{{1, 2}, {1, 3}}});
  expectEntries(y.at(0), {-0.5, 0.5});
}

TEST(ModelRules, ScaleAddsItsOffsetToGamma) {
  auto y = evaluate(
      R"(func.func @f(%x: tensor<2x2xf32>, %g: tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %y = vernier.scale %x, %g : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    %z = vernier.scale %x, %g offset 1.0 : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    return %y, %z : tensor<2x2xf32>, tensor<2x2xf32>
  })",
      {{{2, 2}, {1, 2, 3, 4}}, {{2}, {10, -1}}});
  expectEntries(y.at(0), {10, -2, 30, -4});
  expectEntries(y.at(1), {11, 0, 33, 0});
}

TEST(ModelRules, ScaleRowsMultipliesRows) {
  auto y = evaluate(
      R"(func.func @f(%x: tensor<2x3xf32>, %g: tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %y = vernier.scale_rows %x, %g : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
    %z = vernier.scale_rows %x, %g offset 1.0 : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
    return %y, %z : tensor<2x3xf32>, tensor<2x3xf32>
  })",
      {{{2, 3}, {1, 2, 3, 4, 5, 6}}, {{2}, {10, -1}}});
  expectEntries(y.at(0), {10, 20, 30, -4, -5, -6});
  expectEntries(y.at(1), {11, 22, 33, 0, 0, 0});
}

static std::string scaleForm(std::string form) {
  return "func.func @f(%a: tensor<2xf32>, %b: tensor<1xf32>, %g: tensor<2xf32>) -> "
         "(tensor<2xf32>, tensor<2xf32>, tensor<1xf32>) {\n"
         "  %y = vernier.scale_from_direction " +
         form +
         " %a, %b : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>\n"
         "  %u, %m = vernier.scale_to_direction " +
         form +
         " %g : (tensor<2xf32>) -> (tensor<2xf32>, tensor<1xf32>)\n"
         "  return %y, %u, %m : tensor<2xf32>, tensor<2xf32>, tensor<1xf32>\n}";
}

// rms(1, 7) = 5, and so of (-1, 7).
TEST(ModelRules, OriginalForm) {
  auto y = evaluate(scaleForm("original"), {{{2}, {1, 7}}, {{1}, {10}}, {{2}, {-1, 7}}});
  expectEntries(y.at(0), {2, 14});
  expectEntries(y.at(1), {-1, 7});
  expectEntries(y.at(2), {5});
}

// a - mean(a) = (-ln 2, ln 2); the logarithms of (3, 12) are ln 6 -+ ln 2.
TEST(ModelRules, ExponentialForm) {
  double ln2 = std::log(2.0);
  auto y = evaluate(scaleForm("exponential"),
                    {{{2}, {5, 5 + 2 * ln2}}, {{1}, {std::log(10.0)}}, {{2}, {3, 12}}});
  expectEntries(y.at(0), {5, 20});
  expectEntries(y.at(1), {-ln2, ln2});
  expectEntries(y.at(2), {std::log(6.0)});
}

TEST(ModelRules, NoDirectionOfZeroAndNoLogarithmOfNegative) {
  auto y = evaluate(scaleForm("original"), {{{2}, {1, 7}}, {{1}, {10}}, {{2}, {0, 0}}});
  EXPECT_TRUE(std::isnan(y.at(2).data[0]));
  auto z = evaluate(scaleForm("exponential"), {{{2}, {1, 7}}, {{1}, {1}}, {{2}, {-1, 1}}});
  EXPECT_TRUE(std::isnan(z.at(2).data[0]));
}

TEST(ModelRules, AddAndMul) {
  auto y = evaluate(
      R"(func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %y = vernier.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %z = vernier.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %y, %z : tensor<2xf32>, tensor<2xf32>
  })",
      {{{2}, {1, 2}}, {{2}, {3, -5}}});
  expectEntries(y.at(0), {4, -3});
  expectEntries(y.at(1), {3, -10});
}

// Gates 1, -2 and 0; values of the activations to 16 digits from their
// definitions with the C library's exp, erf and tanh.
TEST(ModelRules, GluOfEachActivation) {
  auto glu = [](std::string kind) {
    return evaluate("func.func @f(%g: tensor<3xf32>, %u: tensor<3xf32>) -> tensor<3xf32> {\n"
                    "  %y = vernier.glu " +
                        kind +
                        " %g, %u : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>\n"
                        "  return %y : tensor<3xf32>\n}",
                    {{{3}, {1, -2, 0}}, {{3}, {2, 1, 1}}})
        .at(0);
  };
  expectEntries(glu("silu"), {2 * 0.7310585786300049, -0.2384058440442351, 0});
  expectEntries(glu("gelu"), {2 * 0.8413447460685429, -0.04550026389635844, 0});
  expectEntries(glu("gelu_tanh"), {2 * 0.8411919906082768, -0.04540230591222494, 0});
  expectEntries(glu("relu"), {2, 0, 0});
}

static std::string ropeText(std::string shape, std::string options) {
  return "func.func @f(%x: tensor<" + shape + "xf32>) -> tensor<" + shape + "xf32> {\n" +
         "  %y = vernier.rope %x " + options + " : tensor<" + shape + "xf32> -> tensor<" + shape +
         "xf32>\n  return %y : tensor<" + shape + "xf32>\n}";
}

static const double c1 = 0.5403023058681398, s1 = 0.8414709848078965; // of angle 1

// Position 0 is left alone; at position 1 pair (x0, x2) turns by 1 and pair
// (x1, x3) by theta^(-1/2) = 1/100: halves, not neighbours, belong together.
TEST(ModelRules, RopeTurnsHalvesByPosition) {
  double c = 0.9999500004166653, s = 0.009999833334166664; // of angle 1/100
  Tensor x({1, 2, 1, 4}, {1, 2, 3, 4, 1, 2, 3, 4});
  auto y = evaluate(ropeText("1x2x1x4", "theta 1.0e4"), {x});
  expectEntries(y.at(0), {1, 2, 3, 4, c1 - 3 * s1, 2 * c - 4 * s, 3 * c1 + s1, 4 * c + 2 * s});
  auto z = evaluate(ropeText("1x2x1x4", "theta 1.0e4 inverse"), {x});
  expectEntries(z.at(0), {1, 2, 3, 4, c1 + 3 * s1, 2 * c + 4 * s, 3 * c1 - s1, 4 * c - 2 * s});
}

// The position is the second dimension: rows of both heads and of both batch
// entries are at position 0 first.
TEST(ModelRules, RopePositionIsTheSecondDimension) {
  std::vector<double> pairs, expected;
  for (int row = 0; row < 8; ++row) {
    pairs.insert(pairs.end(), {1, 0});
    bool second = (row / 2) % 2;
    expected.insert(expected.end(), {second ? c1 : 1.0, second ? s1 : 0.0});
  }
  auto y = evaluate(ropeText("2x2x2x2", "theta 7.0"), {{{2, 2, 2, 2}, pairs}});
  expectEntries(y.at(0), expected);
}

// One pair: frequency 1, wavelength 2 pi = 6.28. With original context 4 and
// low factor 1, the wavelength is above 4: divided by 8. With original context
// 32 and high factor 4 it is below 8: as it is. With 8 pi: s = (4 - 1) / 3 = 1
// at the upper end, and original 16, factors 1 and 4 lies between:
// s = (16 / 2 pi - 1) / 3.
TEST(ModelRules, RopeScalingOfLlama3) {
  Tensor x({1, 2, 1, 2}, {1, 0, 1, 0});
  auto angleOf = [&](std::string original) {
    auto y = evaluate(ropeText("1x2x1x2", "theta 10.0 scaling <factor = 8.0 : f64, "
                                          "low_freq_factor = 1.0 : f64, high_freq_factor = 4.0 : "
                                          "f64, original_context = " +
                                              original + ">"),
                      {x});
    return std::atan2(y.at(0).data[3], y.at(0).data[2]);
  };
  EXPECT_NEAR(angleOf("4"), 0.125, 1e-15);
  EXPECT_NEAR(angleOf("32"), 1, 1e-15);
  double s = (16 / (2 * M_PI) - 1) / 3;
  EXPECT_NEAR(angleOf("16"), (1 - s) / 8 + s, 1e-15);
}

static std::string attentionText(std::string query, std::string key, std::string lse,
                                 std::string options) {
  std::string types = "(tensor<" + query + "xf32>, tensor<" + key + "xf32>, tensor<" + key +
                      "xf32>) -> (tensor<" + query + "xf32>, tensor<" + lse + "xf32>)";
  return "func.func @f(%q: tensor<" + query + "xf32>, %k: tensor<" + key + "xf32>, %v: tensor<" +
         key + "xf32>) -> (tensor<" + query + "xf32>, tensor<" + lse + "xf32>) {\n" +
         "  %o, %l = vernier.attention %q, %k, %v " + options + " : " + types +
         "\n  return %o, %l : tensor<" + query + "xf32>, tensor<" + lse + "xf32>\n}";
}

// Scores 0.5 * (2 ln 3, 0) = (ln 3, 0): probabilities 3/4 and 1/4.
TEST(ModelRules, AttentionIsASoftmaxOfScaledScores) {
  double ln3 = std::log(3.0);
  Tensor q({1, 2, 1, 1}, {2, 2}), k({1, 2, 1, 1}, {ln3, 0}), v({1, 2, 1, 1}, {4, 8});
  auto full = evaluate(attentionText("1x2x1x1", "1x2x1x1", "1x2x1", "scale 0.5"), {q, k, v});
  expectEntries(full.at(0), {5, 5});
  expectEntries(full.at(1), {std::log(4.0), std::log(4.0)});
  auto causal =
      evaluate(attentionText("1x2x1x1", "1x2x1x1", "1x2x1", "scale 0.5 causal"), {q, k, v});
  expectEntries(causal.at(0), {4, 5});
  expectEntries(causal.at(1), {ln3, std::log(4.0)});
}

// With equal scores the output is the mean of what is seen.
TEST(ModelRules, AttentionWindowCountsItself) {
  Tensor zero({1, 4, 1, 1}), v({1, 4, 1, 1}, {1, 3, 8, 20});
  auto text = [](std::string options) {
    return attentionText("1x4x1x1", "1x4x1x1", "1x4x1", options);
  };
  expectEntries(evaluate(text("scale 1.0 causal window 2"), {zero, zero, v}).at(0),
                {1, 2, 5.5, 14});
  expectEntries(evaluate(text("scale 1.0 causal window 1"), {zero, zero, v}).at(0), {1, 3, 8, 20});
  expectEntries(evaluate(text("scale 1.0 causal window 9"), {zero, zero, v}).at(0), {1, 2, 4, 8});
}

// Four query heads, two key heads: heads 0 and 1 read the first.
TEST(ModelRules, AttentionGroupsNeighbouringHeads) {
  Tensor q({1, 1, 4, 1}), k({1, 1, 2, 1}), v({1, 1, 2, 1}, {3, 5});
  auto y = evaluate(attentionText("1x1x4x1", "1x1x2x1", "1x1x4", "scale 1.0 causal"), {q, k, v});
  expectEntries(y.at(0), {3, 3, 5, 5});
}

static const char *lossText =
    R"(func.func @f(%x: tensor<3x2xf32>, %t: tensor<3xi32>) -> (tensor<f32>, tensor<3xf32>, tensor<i64>) {
  %n = vernier.count_valid %t ignore -100 : tensor<3xi32> -> tensor<i64>
  %loss, %lse = vernier.cross_entropy %x, %t, %n ignore -100 : (tensor<3x2xf32>, tensor<3xi32>, tensor<i64>) -> (tensor<f32>, tensor<3xf32>)
  return %loss, %lse, %n : tensor<f32>, tensor<3xf32>, tensor<i64>
})";

// Rows (0, ln 3) with target 0: ln 4; ignored; (5, 5) with target 1: ln 2.
TEST(ModelRules, CrossEntropyIsTheMeanOverValidTargets) {
  Tensor logits({3, 2}, {0, std::log(3.0), 7, 7, 5, 5});
  auto y = evaluate(lossText, {logits, {{3}, {0, -100, 1}}});
  expectEntries(y.at(0), {1.5 * std::log(2.0)});
  expectEntries(y.at(1), {2 * std::log(2.0), 7 + std::log(2.0), 5 + std::log(2.0)});
  expectEntries(y.at(2), {2});
}

TEST(ModelRules, CrossEntropyIgnoresWhatIsNotFiniteInIgnoredRows) {
  for (double bad : {double(NAN), double(INFINITY), -double(INFINITY)}) {
    Tensor logits({3, 2}, {0, std::log(3.0), bad, bad, 5, 5});
    auto y = evaluate(lossText, {logits, {{3}, {0, -100, 1}}});
    expectEntries(y.at(0), {1.5 * std::log(2.0)});
  }
}

TEST(ModelRules, CrossEntropyWithoutValidTargetsIsZero) {
  auto y = evaluate(lossText, {Tensor({3, 2}), {{3}, {-100, -100, -100}}});
  expectEntries(y.at(0), {0});
  expectEntries(y.at(2), {0});
}

TEST(ModelRules, CrossEntropyDoesNotOverflow) {
  Tensor logits({3, 2}, {1000, 0, 0, 1000, -1000, -1000});
  auto y = evaluate(lossText, {logits, {{3}, {1, 1, 0}}});
  expectEntries(y.at(0), {(1000 + std::log(2.0)) / 3});
}
