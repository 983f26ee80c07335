//===- PhasesTest.cpp - The phases of a step against the loss they come from -===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrainingGraph.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::test;
using vernier::reference::Tensor;

namespace {

/// Calls phases as the runtime does: by the slots of their arguments.
class Step {
public:
  explicit Step(TrainingGraph &graph) : graph(graph) {}

  using Values = std::map<std::pair<SlotRole, std::string>, Tensor>;

  /// Runs a phase; its results become values of their slots.
  void run(StringRef phase) {
    func::FuncOp function = graph.lookup(phase);
    ASSERT_TRUE(function) << phase.str();
    Tensors arguments;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto found = values.find(key(getArgumentSlot(function, i)));
      ASSERT_NE(found, values.end()) << phase.str() << " argument " << i;
      arguments.push_back(found->second);
    }
    Tensors results = graph.call(phase, arguments);
    for (unsigned i = 0; i < results.size(); ++i)
      values[key(getResultSlot(function, i))] = results[i];
  }

  Tensor &at(SlotRole role, StringRef name = "") { return values[{role, name.str()}]; }

private:
  static std::pair<SlotRole, std::string> key(SlotAttr slot) {
    return {slot.getRole(), slot.getName() ? slot.getName().str() : ""};
  }

  TrainingGraph &graph;
  Values values;
};

struct Batch {
  Tensor ids, targets;
};

static const Batch batches[] = {
    {Tensor({2, 3}, {1, 4, 1, 5, 7, 2}), Tensor({2, 3}, {4, 1, -100, 7, 2, 6})},
    {Tensor({2, 3}, {3, 3, 0, 1, 1, 5}), Tensor({2, 3}, {-100, -100, -100, 2, -100, -100})}};

// The head is the embedding scaled by rows and columns: a frontier of a
// parameter that is used directly too, and of a chain of two operations.
constexpr StringLiteral scaledHead = R"(
  vernier.param @w : tensor<8x4xf32> kind(embedding) decay(decay) optimizer(adamw)
      init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"w">])
  vernier.param @u : tensor<8x4xf32> kind(matrix) decay(decay) toward(1.0) optimizer(adamw)
      init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"u">])
  vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw)
      init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"g">])
  func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
    %w = vernier.get_param @w : tensor<8x4xf32>
    %u = vernier.get_param @u : tensor<8x4xf32>
    %g = vernier.get_param @g : tensor<4xf32>
    %a = vernier.mul %w, %u : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %h = vernier.scale %a, %g offset 1.0 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<8x4xf32>) -> tensor<2x3x4xf32>
    %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
    %s = vernier.scale %n, %g offset 1.0 : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
    %l = vernier.linear %s, %h : (tensor<2x3x4xf32>, tensor<8x4xf32>) -> tensor<2x3x8xf32>
    %count = vernier.count_valid %targets ignore -100 : tensor<2x3xi32> -> tensor<i64>
    %loss, %lse = vernier.cross_entropy %l, %targets, %count ignore -100
        : (tensor<2x3x8xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
    return %loss : tensor<f32>
  })";

/// What the two batches give together: the losses and gradients of each, weighted
/// by its share of the valid targets (5 and 1 of 6).
struct Expected {
  double loss = 0;
  std::map<std::string, Tensor> gradients;
};

static Expected computeExpected(TrainingGraph &graph) {
  graph.differentiate("loss");
  func::FuncOp product = graph.lookup("loss_vjp");
  Expected expected;
  double weights[] = {5.0 / 6, 1.0 / 6};
  for (auto [batch, weight] : llvm::zip_equal(batches, weights)) {
    Tensors results = graph.call("loss_vjp", {batch.ids, batch.targets, Tensor({}, {weight})});
    expected.loss += weight * results[0].data[0];
    for (unsigned i = 1; i < results.size(); ++i) {
      Tensor &sum = expected.gradients[getResultSlot(product, i).getName().str()];
      if (sum.data.empty())
        sum = Tensor(results[i].shape);
      for (int64_t e = 0; e < sum.size(); ++e)
        sum.data[e] += results[i].data[e];
    }
  }
  return expected;
}

static void expectNear(const Tensor &found, const Tensor &expected, const std::string &what) {
  ASSERT_EQ(found.shape, expected.shape) << what;
  // f64 sums in another order.
  for (int64_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found.data[i], expected.data[i], 1e-13) << what << " entry " << i;
}

/// The step's inputs, its parameters and fresh optimizer state.
static void fill(Step &step, TrainingGraph &graph) {
  step.at(SlotRole::Divisor) = Tensor({}, {6});
  step.at(SlotRole::Rate) = Tensor({}, {0.01});
  for (auto &param : graph.params) {
    StringRef name = param.getKey();
    step.at(SlotRole::Param, name) = param.getValue();
    step.at(SlotRole::FirstMoment, name) = Tensor(param.getValue().shape);
    step.at(SlotRole::SecondMoment, name) = Tensor(param.getValue().shape);
    step.at(SlotRole::Steps, name) = Tensor({}, {0});
  }
}

/// prepare, accumulate_first, accumulate; returns the sum of the losses.
static double accumulateBoth(Step &step) {
  step.run("prepare");
  double loss = 0;
  for (auto [index, batch] : llvm::enumerate(batches)) {
    step.at(SlotRole::Ids) = batch.ids;
    step.at(SlotRole::Targets) = batch.targets;
    step.run(index == 0 ? "accumulate_first" : "accumulate");
    loss += step.at(SlotRole::Loss).data.at(0);
  }
  return loss;
}

class Phases : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (GetParam() == StringRef("scaled head"))
      graph.parse(scaledHead);
    else
      graph.import(GetParam(), {2, 3});
    expected = computeExpected(graph);
    TrainingGraphOptions options;
    options.clipNorm = 0.5;
    graph.run([&](OpPassManager &pm) { buildTrainingGraphPipeline(pm, options); });
  }
  TrainingGraph graph;
  Expected expected;
};

} // namespace

// 5 and 1 valid targets in two micro-batches weigh as in one batch.
TEST_P(Phases, MicroBatchesAddUp) {
  Step step(graph);
  fill(step, graph);
  EXPECT_NEAR(accumulateBoth(step), expected.loss, 1e-13);
  step.run("gradients");
  for (auto &[name, gradient] : expected.gradients)
    expectNear(step.at(SlotRole::ParamGradient, name), gradient, name);
}

// Each parameter's gradient, through prepare or not, is in one group; one of a
// single parameter has its norm.
TEST_P(Phases, NormsOfGroupsAddUp) {
  Step step(graph);
  fill(step, graph);
  accumulateBoth(step);
  step.run("gradients");
  step.run("gradient_norms");
  double squares = 0, expectedSquares = 0;
  func::FuncOp phase = graph.lookup("gradient_norms");
  for (unsigned i = 0; i < phase.getNumResults(); ++i) {
    double norm = step.at(SlotRole::GroupNorm, getResultSlot(phase, i).getName()).data.at(0);
    EXPECT_GT(norm, 0) << i;
    squares += norm * norm;
  }
  for (auto &[name, gradient] : expected.gradients)
    expectedSquares += dot(gradient, gradient);
  EXPECT_NEAR(squares, expectedSquares, 1e-12 * expectedSquares);
  if (GetParam() == StringRef("scaled head")) {
    const Tensor &g = expected.gradients.at("g");
    EXPECT_NEAR(step.at(SlotRole::GroupNorm, "scale/other+final/head").data.at(0),
                std::sqrt(dot(g, g)), 1e-12);
  }
}

TEST_P(Phases, EvaluateIsTheLossAlone) {
  Step step(graph);
  fill(step, graph);
  accumulateBoth(step);
  double loss = step.at(SlotRole::Loss).data.at(0);
  step.at(SlotRole::Loss) = Tensor();
  step.run("evaluate");
  EXPECT_EQ(step.at(SlotRole::Loss).data.at(0), loss);
  step.run("logits");
  EXPECT_EQ(step.at(SlotRole::Logits).rows(), 6);
}

// Two steps of the textbook's AdamW, written out.
TEST_P(Phases, UpdateIsAdamW) {
  Step step(graph);
  fill(step, graph);
  std::map<std::string, Tensor> m, v;
  for (int64_t t = 1; t <= 2; ++t) {
    Step before = step;
    accumulateBoth(step);
    step.run("gradients");
    step.run("update");
    double squares = 0;
    for (auto &param : graph.params)
      squares += dot(step.at(SlotRole::ParamGradient, param.getKey()),
                     step.at(SlotRole::ParamGradient, param.getKey()));
    double clip = std::min(1.0, 0.5 / (std::sqrt(squares) + 1e-6));
    EXPECT_NEAR(step.at(SlotRole::GradientNorm).data[0], std::sqrt(squares), 1e-12);
    EXPECT_NEAR(step.at(SlotRole::ClipFactor).data[0], clip, 1e-12);
    for (ParamOp param : graph.get()->getOps<ParamOp>()) {
      std::string name = param.getSymName().str();
      Tensor next = before.at(SlotRole::Param, name);
      double decay = param.getDecay() == DecayGroup::Decay ? 0.1 : 0;
      double toward = param.getDecayToward().convertToDouble();
      m[name].data.resize(next.size());
      v[name].data.resize(next.size());
      for (int64_t i = 0; i < next.size(); ++i) {
        double g = clip * step.at(SlotRole::ParamGradient, name).data[i];
        double &mi = m[name].data[i], &vi = v[name].data[i], &p = next.data[i];
        mi = 0.9 * mi + 0.1 * g;
        vi = 0.95 * vi + 0.05 * g * g;
        double mhat = mi / (1 - std::pow(0.9, t)), vhat = vi / (1 - std::pow(0.95, t));
        p -= 0.01 * decay * (p - toward) + 0.01 * mhat / (std::sqrt(vhat) + 1e-8);
      }
      EXPECT_EQ(step.at(SlotRole::Steps, name).data[0], t);
      expectNear(step.at(SlotRole::Param, name), next, name);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Phases,
                         testing::Values("scaled head", "llama", "llama_tied", "qwen2", "qwen3"));
