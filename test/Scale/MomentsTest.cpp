//===- MomentsTest.cpp - AdamW's state follows rewrites ---------------------===//
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
using vernier::reference::Tensor;

namespace {

// A product and a quotient in f64.
constexpr double tolerance = 1e-15;

constexpr const char *attentionNorm = "model.layers.0.input_layernorm.weight";
constexpr const char *ffnNorm = "model.layers.1.post_attention_layernorm.weight";

Tensor times(double factor, Tensor tensor) {
  for (double &entry : tensor.data)
    entry *= factor;
  return tensor;
}

Tensor zerosLike(const Tensor &tensor) { return Tensor(tensor.shape); }

/// Whether a parameter has `share` of the old moments of another.
void expectShare(RewrittenGraph &graph, const std::string &name, const char *old, double share) {
  SCOPED_TRACE(name);
  ASSERT_TRUE(graph.newMoments.first.contains(name));
  EXPECT_LT(
      relativeDifference(graph.newMoments.first[name], times(share, graph.oldMoments.first[old])),
      tolerance);
  EXPECT_LT(relativeDifference(graph.newMoments.second[name],
                               times(share * share, graph.oldMoments.second[old])),
            tolerance);
  EXPECT_EQ(graph.newMoments.steps[name].data, graph.oldMoments.steps[old].data);
}

void expectZero(RewrittenGraph &graph, const std::string &name) {
  SCOPED_TRACE(name);
  ASSERT_TRUE(graph.newMoments.first.contains(name));
  EXPECT_EQ(graph.newMoments.first[name].data, zerosLike(graph.newValues[name]).data);
  EXPECT_EQ(graph.newMoments.second[name].data, zerosLike(graph.newValues[name]).data);
  EXPECT_EQ(graph.newMoments.steps[name].data, std::vector<double>{0});
}

void expectUnchanged(RewrittenGraph &graph, const std::string &name) {
  expectShare(graph, name, name.c_str(), 1);
}

/// Adam's moments after some gradients, written down once more.
struct Adam {
  std::vector<double> first, second;
  void see(const std::vector<double> &gradient) {
    first.resize(gradient.size());
    second.resize(gradient.size());
    for (size_t i = 0; i < gradient.size(); ++i) {
      first[i] = 0.9 * first[i] + 0.1 * gradient[i];
      second[i] = 0.95 * second[i] + 0.05 * gradient[i] * gradient[i];
    }
  }
};

} // namespace

TEST(Moments, OfASplitVectorAreDividedAmongItsBranches) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  ASSERT_TRUE(graph.rewrite("vernier-split-scale")) << graph.errors;
  for (const char *branch : {".q", ".k", ".v"})
    expectShare(graph, std::string(attentionNorm) + branch, attentionNorm, 1.0 / 3);
  for (const char *branch : {".gate", ".up"})
    expectShare(graph, std::string(ffnNorm) + branch, ffnNorm, 1.0 / 2);
  expectUnchanged(graph, "model.norm.weight");
  expectUnchanged(graph, "model.layers.0.self_attn.q_proj.weight");
}

// A linear map of parameters: what Adam has seen of the whole, mapped, is what it
// would have seen of the parts.
TEST(Moments, OfASplitVectorAreThoseOfItsPartsHistory) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  size_t size = graph.oldValues[attentionNorm].data.size();
  Adam whole, part;
  for (int step = 0; step < 9; ++step) {
    std::vector<double> gradient(size);
    for (size_t i = 0; i < size; ++i)
      gradient[i] = std::sin(3.0 * step + 0.7 * i);
    whole.see(gradient);
    for (double &entry : gradient)
      entry /= 3;
    part.see(gradient);
  }
  graph.oldMoments.first[attentionNorm].data = whole.first;
  graph.oldMoments.second[attentionNorm].data = whole.second;
  ASSERT_TRUE(graph.rewrite("vernier-split-scale")) << graph.errors;
  Tensor first({static_cast<int64_t>(size)}, part.first);
  Tensor second({static_cast<int64_t>(size)}, part.second);
  std::string name = std::string(attentionNorm) + ".k";
  // Nine sums, rounded to f64 in another order.
  EXPECT_LT(relativeDifference(graph.newMoments.first[name], first), 1e-14);
  EXPECT_LT(relativeDifference(graph.newMoments.second[name], second), 1e-14);
}

TEST(Moments, OfAVectorThatLosesABranch) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  ASSERT_TRUE(graph.rewrite("vernier-split-scale{branches=v}")) << graph.errors;
  expectShare(graph, std::string(attentionNorm) + ".v", attentionNorm, 1.0 / 3);
  expectShare(graph, attentionNorm, attentionNorm, 2.0 / 3);
  ASSERT_TRUE(graph.rewrite("vernier-split-scale")) << graph.errors;
  for (const char *branch : {".q", ".k", ".v"})
    expectShare(graph, std::string(attentionNorm) + branch, attentionNorm, 1.0 / 3);
}

TEST(Moments, OfFoldedWeightsAndNewVectorsAreZero) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  ASSERT_TRUE(graph.rewrite("vernier-relocate-scale{to=output branches=v}")) << graph.errors;
  expectZero(graph, "model.layers.0.self_attn.v_proj.weight");
  expectZero(graph, "model.layers.0.self_attn.v_proj.output_scale");
  expectShare(graph, attentionNorm, attentionNorm, 2.0 / 3); // as if split first
  expectUnchanged(graph, "model.layers.0.self_attn.q_proj.weight");
}

// Zero stays zero: the weight was folded, whatever comes after.
TEST(Moments, OfSeveralRewrites) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  ASSERT_TRUE(graph.rewrite("vernier-remove-scale{fold=true sites=attention-input},"
                            "vernier-insert-scale,vernier-split-scale"))
      << graph.errors;
  expectZero(graph, "model.layers.0.self_attn.k_proj.weight");
  expectZero(graph, std::string(attentionNorm) + ".k");
  expectShare(graph, std::string(ffnNorm) + ".up", ffnNorm, 1.0 / 2);
}

TEST(Moments, NoOneHasAreAnError) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  graph.oldMoments.second.erase(attentionNorm);
  EXPECT_FALSE(graph.rewrite("vernier-split-scale"));
  EXPECT_NE(graph.errors.find("there is no second_moment for parameter "
                              "\"model.layers.0.input_layernorm.weight\""),
            std::string::npos)
      << graph.errors;
}

//===----------------------------------------------------------------------===//
// Reparameterized vectors
//===----------------------------------------------------------------------===//

namespace {

/// The vector of a direction and a magnitude, written down once more.
std::vector<double> compose(bool exponential, const std::vector<double> &a, double b) {
  double mean = 0, square = 0;
  for (double entry : a) {
    mean += entry / a.size();
    square += entry * entry / a.size();
  }
  std::vector<double> vector;
  vector.reserve(a.size());
  for (double entry : a)
    vector.push_back(exponential ? std::exp(b + entry - mean) : b * entry / std::sqrt(square));
  return vector;
}

/// By central differences, the derivatives of the vector for entry `j` of the
/// direction, or for the magnitude if that is past its end.
std::vector<double> differentiate(bool exponential, std::vector<double> a, double b, size_t j) {
  constexpr double step = 1e-5;
  double &x = j < a.size() ? a[j] : b;
  double at = x;
  x = at + step;
  std::vector<double> high = compose(exponential, a, b);
  x = at - step;
  std::vector<double> low = compose(exponential, a, b);
  for (size_t i = 0; i < high.size(); ++i)
    high[i] = (high[i] - low[i]) / (2 * step);
  return high;
}

/// What the moments of NAME.direction and NAME.magnitude must be, from those of a
/// vector of which they see `share`.
void expectAdjoint(RewrittenGraph &graph, bool exponential, const std::string &name,
                   const char *old, double share) {
  SCOPED_TRACE(name);
  ASSERT_TRUE(graph.newValues.contains(name + ".direction"));
  std::vector<double> a = graph.newValues[name + ".direction"].data;
  double b = graph.newValues[name + ".magnitude"].data[0];
  const std::vector<double> &m = graph.oldMoments.first[old].data,
                            &v = graph.oldMoments.second[old].data;
  Tensor first({static_cast<int64_t>(a.size()) + 1}), second(first.shape);
  for (size_t j = 0; j <= a.size(); ++j) {
    std::vector<double> derivative = differentiate(exponential, a, b, j);
    for (size_t i = 0; i < m.size(); ++i) {
      first.data[j] += derivative[i] * m[i] * share;
      second.data[j] += derivative[i] * derivative[i] * v[i] * share * share;
    }
  }
  auto join = [&](llvm::StringMap<Tensor> &moments) {
    Tensor both = moments[name + ".direction"];
    both.data.push_back(moments[name + ".magnitude"].data[0]);
    ++both.shape[0];
    return both;
  };
  // Central differences with a step of 1e-5: truncated at 1e-10.
  EXPECT_LT(relativeDifference(join(graph.newMoments.first), first), 1e-8);
  EXPECT_LT(relativeDifference(join(graph.newMoments.second), second), 1e-8);
  for (const char *part : {".direction", ".magnitude"})
    EXPECT_EQ(graph.newMoments.steps[name + part].data, graph.oldMoments.steps[old].data);
}

/// The exponential form takes positive entries only.
void makeScalesPositive(RewrittenGraph &graph) {
  for (ParamOp param : graph.before->getOps<ParamOp>())
    if (param.getKind() == ParamKind::Scale)
      for (double &entry : graph.oldValues[param.getSymName()].data)
        entry = std::abs(entry) + 0.1;
}

} // namespace

TEST(Moments, OfAReparameterizedVectorFollowTheJacobian) {
  for (bool exponential : {false, true}) {
    RewrittenGraph graph;
    graph.importGolden("llama");
    if (exponential)
      makeScalesPositive(graph);
    ASSERT_TRUE(graph.rewrite(exponential ? "vernier-reparameterize-scale{form=exponential}"
                                          : "vernier-reparameterize-scale{form=original}"))
        << graph.errors;
    expectAdjoint(graph, exponential, attentionNorm, attentionNorm, 1);
    expectAdjoint(graph, exponential, "model.norm.weight", "model.norm.weight", 1);
    expectUnchanged(graph, "lm_head.weight");
  }
}

TEST(Moments, OfAVectorThatIsSplitAndReparameterized) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  ASSERT_TRUE(graph.rewrite("vernier-scale-strategy{preset=hg+dp+or}")) << graph.errors;
  expectAdjoint(graph, false, std::string(attentionNorm) + ".v", attentionNorm, 1.0 / 3);
  expectAdjoint(graph, false, std::string(ffnNorm) + ".gate", ffnNorm, 1.0 / 2);
  expectZero(graph, "model.layers.0.self_attn.q_proj.output_scale.direction");
  expectZero(graph, "model.layers.0.self_attn.q_proj.output_scale.magnitude");
  expectUnchanged(graph, "model.layers.0.self_attn.q_proj.weight");
}

TEST(Moments, OfAReparameterizedVectorThatIsSplit) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  ASSERT_TRUE(graph.rewrite("vernier-reparameterize-scale")) << graph.errors;
  reference::Moments before = graph.newMoments;
  ASSERT_TRUE(graph.rewrite("vernier-split-scale")) << graph.errors;
  for (const char *part : {".direction", ".magnitude"}) {
    std::string name = std::string(ffnNorm) + part;
    EXPECT_LT(
        relativeDifference(graph.newMoments.first[name + ".up"], times(0.5, before.first[name])),
        tolerance);
    EXPECT_LT(
        relativeDifference(graph.newMoments.second[name + ".up"], times(0.25, before.second[name])),
        tolerance);
  }
}

// The second moments of a direction and a magnitude do not say what those of the
// vector were: there are fewer of the latter, but they are sums of squares.
TEST(Moments, OfAVectorThatWasReparameterizedAreZero) {
  for (const char *form : {"plain", "exponential"}) {
    RewrittenGraph graph;
    graph.importGolden("llama");
    makeScalesPositive(graph);
    ASSERT_TRUE(graph.rewrite((llvm::Twine("vernier-reparameterize-scale{form=original},"
                                           "vernier-reparameterize-scale{form=") +
                               form + "}")
                                  .str()))
        << graph.errors;
    bool plain = form == StringRef("plain"); // another form keeps the names
    expectZero(graph, std::string(attentionNorm) + (plain ? "" : ".direction"));
    expectUnchanged(graph, "lm_head.weight");
  }
}

//===----------------------------------------------------------------------===//
// Vectors that have no form
//===----------------------------------------------------------------------===//

TEST(Values, EntriesThatTheExponentialFormDeclinesAreNamed) {
  for (double entry : {-0.5, 0.0}) {
    RewrittenGraph graph;
    graph.importGolden("llama");
    makeScalesPositive(graph);
    graph.oldValues[ffnNorm].data[3] = entry;
    EXPECT_FALSE(graph.rewrite("vernier-split-scale,"
                               "vernier-reparameterize-scale{form=exponential}"));
    EXPECT_NE(graph.errors.find("entry 3 of the scale vector of "
                                "'model.layers.1.post_attention_layernorm.weight' is " +
                                std::string(entry < 0 ? "-5.0" : "0.0")),
              std::string::npos)
        << graph.errors;
  }
}

TEST(Values, AZeroVectorHasNoDirection) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  graph.oldValues["model.norm.weight"] = Tensor(graph.oldValues["model.norm.weight"].shape);
  EXPECT_FALSE(graph.rewrite("vernier-reparameterize-scale{form=original}"));
  EXPECT_NE(graph.errors.find("the scale vector of 'model.norm.weight' is zero"), std::string::npos)
      << graph.errors;
}
