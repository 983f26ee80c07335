//===- SameGradientsTest.cpp - Gradients of rewritten graphs ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A rewrite that keeps the function makes the loss f(p) of parameters p into
// g(V(p)), where V is @vernier.values. So the gradient of f is that of g times
// the Jacobian of V: between branches it adds up, through a reparameterization it
// is the adjoint.
#include "RewrittenGraph.h"
#include "vernier/Model/Vernier.h"
#include "vernier/Reference/Compare.h"
#include <cmath>

using namespace mlir;
using namespace vernier;
using namespace vernier::test;
using vernier::reference::relativeDifference;
using vernier::reference::Tensor;

// As in SameFunctionTest.cpp.
static constexpr double tolerance = 1e-12;

static double dot(const Tensor &a, const Tensor &b) {
  double sum = 0;
  for (size_t i = 0; i < a.data.size(); ++i)
    sum += a.data[i] * b.data[i];
  return sum;
}

/// `to` = `a` + factor `b`.
static Tensor addScaled(const Tensor &a, double factor, const Tensor &b) {
  Tensor sum = a;
  for (size_t i = 0; i < sum.data.size(); ++i)
    sum.data[i] += factor * b.data[i];
  return sum;
}

//===----------------------------------------------------------------------===//
// All passes
//===----------------------------------------------------------------------===//

namespace {
class SameGradients : public ::testing::TestWithParam<std::tuple<const char *, const char *>> {};
} // namespace

/// <gradient of g, derivative of V in the direction of `along` of one parameter>,
/// by central differences: with a step of 1e-4, V being of size 1 and smooth, to
/// 1e-8 and a rounding error of 1e-12.
static double deriveThroughValues(RewrittenGraph &graph, const Values &gradients, StringRef param,
                                  const Tensor &along) {
  constexpr double step = 1e-4;
  Values moved = graph.oldValues;
  const Tensor &value = graph.oldValues[param];
  moved[param] = addScaled(value, step, along);
  Values ahead = graph.mapValues(moved);
  moved[param] = addScaled(value, -step, along);
  Values behind = graph.mapValues(moved);
  double sum = 0;
  for (const auto &[name, gradient] : gradients)
    sum += dot(gradient, addScaled(ahead[name], -1, behind[name])) / (2 * step);
  return sum;
}

TEST_P(SameGradients, ThroughTheChainRule) {
  auto [passes, model] = GetParam();
  RewrittenGraph graph;
  graph.load(model);
  for (ParamOp param : graph.before->getOps<ParamOp>())
    if (param.getKind() == ParamKind::Scale) // away from 0, where forms are not smooth
      for (double &entry : graph.oldValues[param.getSymName()].data)
        entry = std::abs(entry) + 0.2;
  ASSERT_TRUE(graph.rewrite(passes)) << graph.errors;
  Values before = graph.gradientsBefore(), after = graph.gradientsAfter();
  ASSERT_EQ(before.size(), graph.oldValues.size());
  ASSERT_EQ(after.size(), graph.newValues.size());
  reference::RandomValues random(3);
  for (const auto &[name, gradient] : before) {
    Tensor along = random.normal(gradient.shape);
    double size = std::sqrt(dot(gradient, gradient)); // of a derivative in a random direction
    EXPECT_NEAR(dot(gradient, along), deriveThroughValues(graph, after, name, along), 1e-6 * size)
        << name.str();
  }
}

static const char *const rewrites[] = {
    "vernier-split-scale",
    "vernier-insert-scale{branches=q,v,down,head}",
    "vernier-relocate-scale{to=dual}",
    "vernier-relocate-scale{to=output}",
    "vernier-relocate-scale{to=output},vernier-relocate-scale{to=input}",
    "vernier-reparameterize-scale{form=original}",
    "vernier-reparameterize-scale{form=exponential}",
    "vernier-reparameterize-scale{form=original},vernier-reparameterize-scale{form=plain}",
    "vernier-remove-scale{fold=true}",
    "vernier-fold-scale",
    "vernier-scale-strategy{preset=hg+dp+or+iwd}",
    "vernier-scale-strategy{preset=hg+dp+er},vernier-fold-scale",
};
static const char *const models[] = {"llama", "qwen3", "qwen2", "llama_tied", "gemma"};
INSTANTIATE_TEST_SUITE_P(Passes, SameGradients,
                         ::testing::Combine(::testing::ValuesIn(rewrites),
                                            ::testing::ValuesIn(models)));

//===----------------------------------------------------------------------===//
// What the paper says of single ones, without differences
//===----------------------------------------------------------------------===//

TEST(GradientsOfSplit, BranchGradientsOfSplitAddUp) {
  RewrittenGraph graph;
  graph.load("llama");
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

// OR: db = <g, u>, da = b / rms(a) (g - u <g, u> / d) with u = a / rms(a).
TEST(GradientsOfForms, Original) {
  RewrittenGraph graph;
  graph.load("qwen3");
  ASSERT_TRUE(graph.rewrite("vernier-reparameterize-scale{form=original}")) << graph.errors;
  Values before = graph.gradientsBefore(), after = graph.gradientsAfter();
  for (ParamOp param : graph.before->getOps<ParamOp>()) {
    if (param.getKind() != ParamKind::Scale)
      continue;
    StringRef name = param.getSymName();
    const Tensor &g = before[name], &a = graph.newValues[(name + ".direction").str()];
    double d = double(a.data.size()), rms = std::sqrt(dot(a, a) / d);
    double b = graph.newValues[(name + ".magnitude").str()].data[0];
    double along = dot(g, a) / rms;
    Tensor da = addScaled(g, -along / d / rms, a);
    for (double &entry : da.data)
      entry *= b / rms;
    EXPECT_LT(relativeDifference(da, after[(name + ".direction").str()]), tolerance) << name.str();
    EXPECT_LT(relativeDifference(Tensor({1}, {along}), after[(name + ".magnitude").str()]),
              tolerance)
        << name.str();
  }
}

// ER, gamma = e^(b + a - mean(a)): db = <g, gamma>, da = g gamma - mean(g gamma).
TEST(GradientsOfForms, Exponential) {
  RewrittenGraph graph;
  graph.load("llama");
  for (ParamOp param : graph.before->getOps<ParamOp>())
    if (param.getKind() == ParamKind::Scale)
      for (double &entry : graph.oldValues[param.getSymName()].data)
        entry = std::abs(entry) + 0.01;
  ASSERT_TRUE(graph.rewrite("vernier-reparameterize-scale{form=exponential}")) << graph.errors;
  Values before = graph.gradientsBefore(), after = graph.gradientsAfter();
  for (ParamOp param : graph.before->getOps<ParamOp>()) {
    if (param.getKind() != ParamKind::Scale)
      continue;
    StringRef name = param.getSymName();
    const Tensor &g = before[name], &gamma = graph.oldValues[name];
    double along = dot(g, gamma);
    Tensor da = g;
    for (size_t j = 0; j < da.data.size(); ++j)
      da.data[j] = g.data[j] * gamma.data[j] - along / double(da.data.size());
    EXPECT_LT(relativeDifference(da, after[(name + ".direction").str()]), tolerance) << name.str();
    EXPECT_LT(relativeDifference(Tensor({1}, {along}), after[(name + ".magnitude").str()]),
              tolerance)
        << name.str();
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
