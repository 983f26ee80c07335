//===- RejectedTest.cpp - What cannot be exported ----------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExportedGraph.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::test;

namespace {

/// A change of a golden model's graph, and the message that it must lead to.
struct Case {
  const char *name, *model, *passes;
  void (*change)(ModuleOp);
  const char *message;
};

std::ostream &operator<<(std::ostream &stream, const Case &c) { return stream << c.name; }

class Rejected : public ::testing::TestWithParam<Case> {};

constexpr const char *nothing = "vernier-scale-strategy{preset=baseline}";

} // namespace

TEST_P(Rejected, WithTheReason) {
  RewrittenGraph graph;
  graph.importGolden(GetParam().model);
  if (GetParam().change)
    for (ModuleOp module : {*graph.before, *graph.after})
      GetParam().change(module);
  ASSERT_TRUE(graph.rewrite(GetParam().passes)) << graph.errors;
  EXPECT_TRUE(failed(exportGraph(graph)));
  EXPECT_NE(graph.errors.find("cannot be exported: "), std::string::npos) << graph.errors;
  EXPECT_NE(graph.errors.find(GetParam().message), std::string::npos) << graph.errors;
}

/// The n-th operation of a kind.
template <typename OpT> static OpT find(ModuleOp module, unsigned number) {
  OpT found;
  module.walk([&](OpT op) {
    if (number-- == 0)
      found = op;
  });
  return found;
}

/// A norm of a value that everything reads instead.
static void normalize(Value value) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  auto norm = RMSNormOp::create(builder, value.getLoc(), value.getType(), value, APFloat(1e-5));
  value.replaceAllUsesExcept(norm.getResult(), norm);
}

static const Case cases[] = {
    {"DualNorm", "llama", "vernier-scale-strategy{preset=unified}", nullptr,
     "'vernier.rms_norm' at the result of q of layer 0"},
    {"DualNormPerHead", "llama", "vernier-scale-strategy{preset=dnp norm-axis=head}", nullptr,
     "'vernier.rms_norm' at the heads of v of layer 0"},
    {"DualNormOfTheFFN", "qwen3", "vernier-relocate-scale{to=dual-norm branches=up layers=1}",
     nullptr, "'vernier.rms_norm' at the result of up of layer 1"},
    {"DualNormOfSomeLayers", "llama",
     "vernier-relocate-scale{to=dual-norm norm-axis=head branches=q,k layers=1}", nullptr,
     "q of layer 0 has no norm per head, though others have"},
    {"DualNormOfQueriesAlone", "llama",
     "vernier-relocate-scale{to=dual-norm norm-axis=head branches=q}", nullptr,
     "k of layer 0 has no norm per head, though others have"},
    {"QKNormWithFFNBiases", "llama3",
     "vernier-relocate-scale{to=dual-norm norm-axis=head branches=q,k}", nullptr,
     "no family has norms per head on q and k together with biases in the FFN"},
    {"AnotherEpsilon", "llama", nothing,
     [](ModuleOp module) { find<RMSNormOp>(module, 3).setEpsilon(APFloat(1e-3)); },
     "its epsilon is"},
    {"AnotherTheta", "llama", nothing,
     [](ModuleOp module) { find<RopeOp>(module, 2).setTheta(APFloat(500.0)); },
     "its frequencies differ"},
    {"AnotherActivation", "llama", nothing,
     [](ModuleOp module) { find<GluOp>(module, 1).setActivation(Activation::GELU); },
     "its activation differs"},
    {"AttentionScale", "llama", nothing,
     [](ModuleOp module) { find<AttentionOp>(module, 0).setScale(APFloat(0.5)); },
     "expected 1 / sqrt(head_dim)"},
    {"NotCausal", "llama", nothing,
     [](ModuleOp module) { find<AttentionOp>(module, 1).setCausal(false); }, "is not causal"},
    {"TwoWindows", "llama", nothing,
     [](ModuleOp module) {
       find<AttentionOp>(module, 0).setWindow(3);
       find<AttentionOp>(module, 1).setWindow(4);
     },
     "layer 1 has a window of 4, others of 3"},
    {"WindowAndOutputBias", "llama3", nothing,
     [](ModuleOp module) { find<AttentionOp>(module, 0).setWindow(3); },
     "no family has a bias on o together with a sliding window"},
    {"NoResidualAdd", "llama", nothing,
     [](ModuleOp module) {
       auto add = find<AddOp>(module, 1);
       add.getLhsMutable().assign(add.getRhs());
     },
     "where its result is added to the residual stream"},
    {"SublayerOutputNorm", "llama", nothing,
     [](ModuleOp module) { normalize(find<AddOp>(module, 1).getRhs()); },
     "'vernier.rms_norm' behind a sublayer of layer 0"},
    {"EmbeddingNorm", "llama", nothing,
     [](ModuleOp module) { normalize(find<EmbeddingOp>(module, 0).getResult()); },
     "at a norm of the embedding"},
    {"ScaleOfTheLogits", "llama", "vernier-insert-scale{value=2 branches=head}",
     [](ModuleOp module) { normalize(find<LinearOp>(module, 14).getResult()); }, "at the logits"},
};
INSTANTIATE_TEST_SUITE_P(Graphs, Rejected, ::testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.name); });

// The message says what could be exported.
TEST(NotExported, NamesTheStrategiesThatCouldBe) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  ASSERT_TRUE(graph.rewrite("vernier-scale-strategy{preset=dnp}")) << graph.errors;
  std::string notes;
  ScopedDiagnosticHandler handler(graph.after->getContext(), [&](Diagnostic &diagnostic) {
    for (Diagnostic &note : diagnostic.getNotes())
      notes += note.str();
  });
  EXPECT_TRUE(failed(exportGraph(graph)));
  EXPECT_NE(notes.find("hg, dp, or, er and iwd can be exported"), std::string::npos) << notes;
}
