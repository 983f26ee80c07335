//===- TrainingRulesTest.cpp - Rules of training operations, by hand -----===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Expected values are worked out by hand; that adjoints are the derivatives of
// the model operations is what the gradient checks show.
#include "Evaluate.h"
#include <cmath>

using namespace vernier::reference;
using namespace vernier::reference::test;

TEST(TrainingRules, LinearGradients) {
  auto y = evaluate(
      R"(func.func @f(%dy: tensor<2x2xf32>, %w: tensor<2x3xf32>, %x: tensor<2x3xf32>)
      -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>) {
    %dx = vernier.linear_input_grad %dy, %w : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %dw = vernier.linear_weight_grad %dy, %x : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %db = vernier.column_sum %dy : tensor<2x2xf32> -> tensor<2xf32>
    return %dx, %dw, %db : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>
  })",
      {{{2, 2}, {1, 2, 3, 4}}, {{2, 3}, {1, 0, 2, 0, 1, -1}}, {{2, 3}, {1, 2, 3, -1, 0, 1}}});
  expectEntries(y.at(0), {1, 2, 0, 3, 4, 2});
  expectEntries(y.at(1), {-2, 2, 6, -2, 4, 10});
  expectEntries(y.at(2), {4, 6});
}

TEST(TrainingRules, RowSum) {
  auto y = evaluate(R"(func.func @f(%x: tensor<1x2x3xf32>) -> tensor<1x2xf32> {
    %s = vernier.row_sum %x : tensor<1x2x3xf32> -> tensor<1x2xf32>
    return %s : tensor<1x2xf32>
  })",
                    {{{1, 2, 3}, {1, 2, 3, 40, 50, 60}}});
  expectEntries(y.at(0), {6, 150});
}

static std::string scaleFormGrad(std::string form) {
  return "func.func @f(%dy: tensor<2xf32>, %a: tensor<2xf32>, %b: tensor<1xf32>) -> "
         "(tensor<2xf32>, tensor<1xf32>) {\n"
         "  %da, %db = vernier.scale_from_direction_grad " +
         form +
         " %dy, %a, %b : (tensor<2xf32>, tensor<2xf32>, tensor<1xf32>) -> "
         "(tensor<2xf32>, tensor<1xf32>)\n"
         "  return %da, %db : tensor<2xf32>, tensor<1xf32>\n}";
}

// a = (1, 7), b = 10: u = (1/5, 7/5), J = 2 (I - u u^T / 2)
//   = ((1.96, -0.28), (-0.28, 0.04)), and u for b.
TEST(TrainingRules, GradientOfTheOriginalForm) {
  Tensor dy({2}, {3, 5}), a({2}, {1, 7}), b({1}, {10});
  auto y = evaluate(scaleFormGrad("original"), {dy, a, b});
  expectEntries(y.at(0), {3 * 1.96 - 5 * 0.28, -3 * 0.28 + 5 * 0.04});
  expectEntries(y.at(1), {3 * 0.2 + 5 * 1.4});
  auto v = evaluate(scaleFormGrad("original squared"), {dy, a, b});
  expectEntries(v.at(0), {3 * 1.96 * 1.96 + 5 * 0.28 * 0.28, 3 * 0.28 * 0.28 + 5 * 0.04 * 0.04});
  expectEntries(v.at(1), {3 * 0.04 + 5 * 1.96});
}

// gamma = (5, 20): J = ((2.5, -2.5), (-10, 10)), and gamma for b.
TEST(TrainingRules, GradientOfTheExponentialForm) {
  Tensor dy({2}, {3, 5}), a({2}, {0, 2 * std::log(2.0)}), b({1}, {std::log(10.0)});
  auto y = evaluate(scaleFormGrad("exponential"), {dy, a, b});
  expectEntries(y.at(0), {3 * 2.5 - 5 * 10, -3 * 2.5 + 5 * 10});
  expectEntries(y.at(1), {3 * 5 + 5 * 20});
  auto v = evaluate(scaleFormGrad("exponential squared"), {dy, a, b});
  expectEntries(v.at(0), {3 * 6.25 + 5 * 100, 3 * 6.25 + 5 * 100});
  expectEntries(v.at(1), {3 * 25 + 5 * 400});
}

// A column of the Jacobian is the gradient for a unit vector, which finite
// differences have checked (test/Training/gradients-layers.mlir).
TEST(TrainingRules, SquaredGradientSumsSquaresOfTheJacobian) {
  constexpr int64_t d = 5;
  for (std::string form : {"original", "exponential"}) {
    auto text = [&](const std::string &options) {
      std::string result = scaleFormGrad(form + options);
      for (size_t at; (at = result.find("tensor<2xf32>")) != std::string::npos;)
        result.replace(at, 13, "tensor<5xf32>");
      return result;
    };
    Tensor dy({d}, {1.5, 0.25, 3, 0.5, 2}), a({d}, {1, -2, 0.5, 3, -0.25}), b({1}, {0.75});
    std::vector<double> da(d);
    double db = 0;
    for (int64_t j = 0; j < d; ++j) {
      Tensor unit({d});
      unit.data[j] = 1;
      auto row = evaluate(text(""), {unit, a, b});
      for (int64_t k = 0; k < d; ++k)
        da[k] += dy.data[j] * row.at(0).data[k] * row.at(0).data[k];
      db += dy.data[j] * row.at(1).data[0] * row.at(1).data[0];
    }
    auto squared = evaluate(text(" squared"), {dy, a, b});
    expectEntries(squared.at(0), da);
    expectEntries(squared.at(1), {db});
  }
}

TEST(TrainingRules, EmbeddingGradAddsToWhatIsThere) {
  auto y = evaluate(
      R"(func.func @f(%dy: tensor<3x2xf32>, %ids: tensor<3xi32>, %t: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %dt = vernier.embedding_grad %dy, %ids into %t : (tensor<3x2xf32>, tensor<3xi32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %dt : tensor<3x2xf32>
  })",
      {{{3, 2}, {1, 2, 3, 4, 5, 6}}, {{3}, {2, 0, 2}}, {{3, 2}, {10, 10, 20, 20, 30, 30}}});
  expectEntries(y.at(0), {13, 14, 20, 20, 36, 38});
}

// x = (3, 4), eps 3.5: r = 1/4, n = (3/4, 1). dy = (4, 8): mean(dy n) = 5.5,
// dx = ((4 - 3/4 * 5.5) / 4, (8 - 5.5) / 4).
TEST(TrainingRules, RmsNormGrad) {
  auto y = evaluate(R"(func.func @f(%dy: tensor<1x2xf32>, %x: tensor<1x2xf32>) -> tensor<1x2xf32> {
    %dx = vernier.rms_norm_grad %dy, %x epsilon 3.5 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    return %dx : tensor<1x2xf32>
  })",
                    {{{1, 2}, {4, 8}}, {{1, 2}, {3, 4}}});
  expectEntries(y.at(0), {-0.03125, 0.625});
}

// x = (1, 3), eps 3: r = 1/2, n = (-1/2, 1/2). dy = (4, 8): mean 6,
// mean(dy n) = 1, dx = ((4 - 6 + 1/2) / 2, (8 - 6 - 1/2) / 2).
TEST(TrainingRules, LayerNormGrad) {
  auto y = evaluate(R"(func.func @f(%dy: tensor<1x2xf32>, %x: tensor<1x2xf32>) -> tensor<1x2xf32> {
    %dx = vernier.layer_norm_grad %dy, %x epsilon 3.0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    return %dx : tensor<1x2xf32>
  })",
                    {{{1, 2}, {4, 8}}, {{1, 2}, {1, 3}}});
  expectEntries(y.at(0), {-0.75, 0.75});
}

TEST(TrainingRules, GluGradOfEachActivation) {
  auto gluGrad = [](std::string kind) {
    return evaluate("func.func @f(%dy: tensor<1xf32>, %g: tensor<1xf32>, %u: tensor<1xf32>) -> "
                    "(tensor<1xf32>, tensor<1xf32>) {\n  %dg, %du = vernier.glu_grad " +
                        kind +
                        " %dy, %g, %u : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> "
                        "(tensor<1xf32>, tensor<1xf32>)\n"
                        "  return %dg, %du : tensor<1xf32>, tensor<1xf32>\n}",
                    {{{1}, {10}}, {{1}, {1}}, {{1}, {3}}});
  };
  // Derivatives and values at 1.
  auto expectBoth = [](const std::vector<Tensor> &y, double derivative, double value) {
    expectEntries(y.at(0), {30 * derivative});
    expectEntries(y.at(1), {10 * value});
  };
  expectBoth(gluGrad("silu"), 0.9276705118714869, 0.7310585786300049);
  expectBoth(gluGrad("gelu"), 1.0833154705876864, 0.8413447460685429);
  expectBoth(gluGrad("gelu_tanh"), 1.0829640838457826, 0.8411919906082768);
  expectBoth(gluGrad("relu"), 1, 1);
}

// Two positions seen by the second: p = (3/4, 1/4), do = 2, v = (4, 8),
// o = 5: D = 10, dp - D = (-2, 6), ds = (-3/2, 3/2).
TEST(TrainingRules, AttentionGrad) {
  double ln3 = std::log(3.0);
  auto y = evaluate(
      R"(func.func @f(%do: tensor<1x2x1x1xf32>, %q: tensor<1x2x1x1xf32>, %k: tensor<1x2x1x1xf32>,
      %v: tensor<1x2x1x1xf32>, %o: tensor<1x2x1x1xf32>, %l: tensor<1x2x1xf32>)
      -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) {
    %dq, %dk, %dv = vernier.attention_grad %do, %q, %k, %v, %o, %l scale 0.5 causal
        : (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1xf32>)
        -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>)
    return %dq, %dk, %dv : tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>
  })",
      {{{1, 2, 1, 1}, {0, 2}},
       {{1, 2, 1, 1}, {2, 2}},
       {{1, 2, 1, 1}, {ln3, 0}},
       {{1, 2, 1, 1}, {4, 8}},
       {{1, 2, 1, 1}, {4, 5}},
       {{1, 2, 1}, {ln3, std::log(4.0)}}});
  expectEntries(y.at(0), {0, 0.5 * -1.5 * ln3});
  expectEntries(y.at(1), {0.5 * -1.5 * 2, 0.5 * 1.5 * 2});
  expectEntries(y.at(2), {1.5, 0.5});
}

static const char *lossGradText =
    R"(func.func @f(%d: tensor<f32>, %x: tensor<2x2xf32>, %t: tensor<2xi32>, %l: tensor<2xf32>, %n: tensor<i64>) -> tensor<2x2xf32> {
  %dx = vernier.cross_entropy_grad %d, %x, %t, %l, %n ignore -100 : (tensor<f32>, tensor<2x2xf32>, tensor<2xi32>, tensor<2xf32>, tensor<i64>) -> tensor<2x2xf32>
  return %dx : tensor<2x2xf32>
})";

TEST(TrainingRules, CrossEntropyGradIsProbabilityMinusTarget) {
  Tensor logits({2, 2}, {0, std::log(3.0), 0, 0});
  Tensor logSumExp({2}, {std::log(4.0), std::log(2.0)});
  auto grad = [&](std::vector<double> targets, double divisor) {
    return evaluate(lossGradText, {{{}, {8}}, logits, {{2}, targets}, logSumExp, {{}, {divisor}}});
  };
  expectEntries(grad({0, 1}, 2).at(0), {-3, 3, 2, -2});
  expectEntries(grad({0, -100}, 1).at(0), {-6, 6, 0, 0});
  expectEntries(grad({-100, -100}, 0).at(0), {0, 0, 0, 0});
}

// A row without a target may hold anything, and its gradient is zero nevertheless.
TEST(TrainingRules, CrossEntropyGradIgnoresWhatIsNotFiniteInIgnoredRows) {
  for (double bad : {double(NAN), double(INFINITY), -double(INFINITY)}) {
    Tensor logits({2, 2}, {0, std::log(3.0), bad, bad}), logSumExp({2}, {std::log(4.0), bad});
    auto y = evaluate(lossGradText, {{{}, {8}}, logits, {{2}, {0, -100}}, logSumExp, {{}, {1}}});
    expectEntries(y.at(0), {-6, 6, 0, 0});
  }
}

TEST(TrainingRules, GlobalNormAndClipFactor) {
  auto clip = [](double first) {
    return evaluate(
        R"(func.func @f(%a: tensor<1xf32>, %b: tensor<2xf32>) -> (tensor<f64>, tensor<f32>) {
      %n = vernier.global_norm %a, %b : (tensor<1xf32>, tensor<2xf32>) -> tensor<f64>
      %c = vernier.clip_factor %n max 3.0 : tensor<f64> -> tensor<f32>
      return %n, %c : tensor<f64>, tensor<f32>
    })",
        {{{1}, {first}}, {{2}, {3, 0}}});
  };
  expectEntries(clip(4).at(0), {5});
  expectEntries(clip(4).at(1), {3 / 5.000001});
  expectEntries(clip(0).at(1), {3 / 3.000001}); // just below 1, as PyTorch's
  EXPECT_DOUBLE_EQ(clip(1e20).at(0).data[0], 1e20);
}

static std::string adamText(std::string options) {
  std::string p = "tensor<1xf32>", s = "tensor<f32>";
  std::string types = p + ", " + p + ", " + p + ", " + p + ", tensor<i64>, " + s + ", " + s;
  std::string results = p + ", " + p + ", " + p;
  return "func.func @f(%p: " + p + ", %m: " + p + ", %v: " + p + ", %g: " + p +
         ", %n: tensor<i64>, %r: " + s + ", %c: " + s + ") -> (" + results + ") {\n" +
         "%p1, %m1, %v1 = vernier.adamw %p, %m, %v, %g, %n, %r, %c " + options + " : (" + types +
         ") -> (" + results + ")\n  return %p1, %m1, %v1 : " + results + "\n}";
}

// Two steps from p = 2 with gradients 1/2 and -1, rate 0.01, decay 0.1. The
// first moves by the rate: 2 - 0.002 - 0.01 / (1 + 2e-8). m2 = 0.9 * 0.05 - 0.1
// = -0.055, v2 = 0.95 * 0.0125 + 0.05 = 0.061875; mhat = m2 / 0.19,
// vhat = v2 / 0.0975.
TEST(TrainingRules, AdamWTakesTwoSteps) {
  std::string text = adamText("beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1");
  auto one = [](double value) { return Tensor({1}, {value}); };
  auto number = [](double value) { return Tensor({}, {value}); };
  // The gradient 1 is clipped by 1/2.
  auto y = evaluate(text, {one(2), one(0), one(0), one(1), number(1), number(0.01), number(0.5)});
  expectEntries(y.at(0), {2 - 0.002 - 0.01 * 0.5 / (0.5 + 1e-8)});
  expectEntries(y.at(1), {0.05});
  expectEntries(y.at(2), {0.0125});
  auto z = evaluate(text, {y[0], y[1], y[2], one(-1), number(2), number(0.01), number(1)});
  double p = y[0].data[0];
  double move = 0.01 * (-0.055 / 0.19) / (std::sqrt(0.061875 / 0.0975) + 1e-8);
  expectEntries(z.at(0), {p - 0.001 * p - move});
  expectEntries(z.at(1), {-0.055});
  expectEntries(z.at(2), {0.061875});
}

// Both moments of a constant gradient are its powers once their bias is corrected, so each step
// is the rate (less 1e-8 of it: epsilon), whatever the gradient's size.
TEST(TrainingRules, AdamWMovesByTheSumOfTheRatesUnderAConstantGradient) {
  std::string text = adamText("beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.0");
  for (double gradient : {-300.0, -1.0, 1.0, 300.0}) {
    Tensor p({1}), m({1}), v({1});
    double rates = 0;
    for (int n = 1; n <= 40; ++n) {
      double rate = 1e-3 * std::min(n, 10);
      auto y =
          evaluate(text, {p, m, v, {{1}, {gradient}}, {{}, {double(n)}}, {{}, {rate}}, {{}, {1}}});
      p = y.at(0), m = y.at(1), v = y.at(2);
      rates += rate;
    }
    EXPECT_NEAR(p.data[0], gradient > 0 ? -rates : rates, 2e-8 * rates);
  }
}

TEST(TrainingRules, AdamWDecaysTowardsAValue) {
  std::string text = adamText("beta1 0.9 beta2 0.95 epsilon 1.0 weight_decay 0.5 toward 1.0");
  Tensor zero({1});
  auto y = evaluate(text, {{{1}, {3}}, zero, zero, zero, {{}, {1}}, {{}, {0.1}}, {{}, {1}}});
  expectEntries(y.at(0), {2.9});
}
