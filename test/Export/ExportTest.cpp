//===- ExportTest.cpp - What is exported computes the same -------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExportedGraph.h"
#include "vernier/Import/HuggingFace.h"
#include "vernier/Import/ModelGraph.h"
#include "vernier/Scale/ParameterValues.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::test;

namespace {

struct Case {
  const char *passes;
  const char *model;
  const char *family;
};

std::ostream &operator<<(std::ostream &stream, const Case &c) {
  return stream << c.passes << " on " << c.model;
}

class Exported : public ::testing::TestWithParam<Case> {};

constexpr const char *models[] = {"llama", "llama_tied", "llama3", "mistral", "qwen2", "qwen3"};

// Sums and products in f64, in another order.
constexpr double tolerance = 1e-10;

} // namespace

/// The loss of an exported model, as the importer reads it back.
static double evaluateImported(RewrittenGraph &graph, const StockCheckpoint &stock) {
  auto config = parseHuggingFaceConfig(writeHuggingFaceConfig(stock.config), "config.json");
  EXPECT_TRUE(bool(config)) << toString(config.takeError());
  OwningOpRef<ModuleOp> module =
      buildModelGraph(graph.after->getContext(), *config, BatchShape{2, 5});
  Values values;
  for (const StockTensor &tensor : stock.tensors)
    values[tensor.name] = tensor.value;
  size_t params = 0;
  for (ParamOp param : module->getOps<ParamOp>()) {
    ++params;
    auto found = values.find(param.getSymName());
    EXPECT_TRUE(found != values.end()) << param.getSymName().str();
    if (found == values.end())
      return NAN;
    EXPECT_EQ(param.getTensorType().getShape().vec(), found->second.shape);
  }
  EXPECT_EQ(params, stock.tensors.size());
  Tensors results = graph.evaluate(*module, values);
  return results.empty() ? NAN : results[0].data[0];
}

/// Exports what the graph is now, and compares losses.
static void expectSameLoss(RewrittenGraph &graph, StringRef family) {
  FailureOr<StockCheckpoint> stock = exportGraph(graph);
  ASSERT_TRUE(succeeded(stock)) << graph.errors;
  EXPECT_EQ(stock->config.family, family.str());
  double before = graph.evaluateAfter()[0].data[0], after = evaluateImported(graph, *stock);
  EXPECT_NEAR(after / before, 1, tolerance);
}

TEST_P(Exported, HasTheSameLoss) {
  RewrittenGraph graph;
  graph.importGolden(GetParam().model);
  ASSERT_TRUE(graph.rewrite(GetParam().passes)) << graph.errors;
  expectSameLoss(graph, GetParam().family);
}

static const Case cases[] = {
    {"vernier-scale-strategy{preset=baseline}", "llama", "llama"},
    {"vernier-scale-strategy{preset=baseline}", "llama3", "llama"},
    {"vernier-scale-strategy{preset=baseline}", "mistral", "mistral"},
    {"vernier-scale-strategy{preset=baseline}", "qwen2", "qwen2"},
    {"vernier-scale-strategy{preset=baseline}", "qwen3", "qwen3"},
    {"vernier-scale-strategy{preset=hg}", "llama", "llama"},
    {"vernier-scale-strategy{preset=dp}", "qwen2", "qwen2"}, // biases are scaled, too
    {"vernier-scale-strategy{preset=or}", "mistral", "mistral"},
    {"vernier-scale-strategy{preset=hg+dp+or+iwd}", "llama", "llama"},
    {"vernier-scale-strategy{preset=hg+dp+or}", "llama_tied", "llama"}, // the final norm's stays
    {"vernier-scale-strategy{preset=hg+dp+or}", "llama3", "llama"},
    {"vernier-scale-strategy{preset=hg+dp+or}", "mistral", "mistral"},
    {"vernier-scale-strategy{preset=hg+dp+or}", "qwen3", "qwen3"},
    {"vernier-remove-scale", "llama", "llama"}, // ones
    {"vernier-relocate-scale{to=output}", "llama", "llama"},
    {"vernier-relocate-scale{to=dual branches=o,down}", "llama", "llama"},
    // Norms per head on q and k alone are qwen3's.
    {"vernier-relocate-scale{to=dual-norm norm-axis=head branches=q,k}", "llama", "qwen3"},
    {"vernier-split-scale,vernier-relocate-scale{to=dual-norm norm-axis=head branches=q,k},"
     "vernier-reparameterize-scale",
     "llama_tied", "qwen3"},
    {"vernier-relocate-scale{to=dual-norm norm-axis=head branches=q,k}", "qwen2", "qwen3"},
};
INSTANTIATE_TEST_SUITE_P(Passes, Exported, ::testing::ValuesIn(cases));

// What is in stock form already is not touched: not folded, not rounded.
TEST(Export, KeepsTheValuesOfAStockGraph) {
  for (const char *model : models) {
    SCOPED_TRACE(model);
    RewrittenGraph graph;
    graph.importGolden(model);
    FailureOr<StockCheckpoint> stock = exportGraph(graph);
    ASSERT_TRUE(succeeded(stock)) << graph.errors;
    EXPECT_FALSE(stock->isFolded);
    EXPECT_EQ(stock->tensors.size(), graph.oldValues.size());
    for (const StockTensor &tensor : stock->tensors)
      EXPECT_EQ(tensor.value.data, graph.oldValues[tensor.name].data) << tensor.name;
  }
}

static void expectSameRope(const ModelConfig &read, const ModelConfig &written) {
  EXPECT_EQ(read.ropeTheta, written.ropeTheta);
  ASSERT_EQ(bool(read.ropeScaling), bool(written.ropeScaling));
  if (!read.ropeScaling)
    return;
  EXPECT_EQ(read.ropeScaling->factor, written.ropeScaling->factor);
  EXPECT_EQ(read.ropeScaling->lowFreqFactor, written.ropeScaling->lowFreqFactor);
  EXPECT_EQ(read.ropeScaling->highFreqFactor, written.ropeScaling->highFreqFactor);
  EXPECT_EQ(read.ropeScaling->originalContext, written.ropeScaling->originalContext);
}

// The config that is written is the one that was read, but for the length of
// context: a graph knows its own only.
TEST(Export, GivesTheConfigBack) {
  for (const char *model : models) {
    SCOPED_TRACE(model);
    RewrittenGraph graph;
    graph.importGolden(model);
    FailureOr<StockCheckpoint> stock = exportGraph(graph);
    ASSERT_TRUE(succeeded(stock)) << graph.errors;
    auto read = readHuggingFaceConfig((llvm::Twine(VERNIER_GOLDEN "/") + model).str());
    auto written = parseHuggingFaceConfig(writeHuggingFaceConfig(stock->config), "config.json");
    ASSERT_TRUE(bool(read)) << toString(read.takeError());
    ASSERT_TRUE(bool(written)) << toString(written.takeError());
    EXPECT_EQ(describe(*read), describe(*written));
    EXPECT_EQ(read->headDim, written->headDim);
    EXPECT_EQ(read->activation, written->activation);
    EXPECT_EQ(read->normEpsilon, written->normEpsilon);
    expectSameRope(*read, *written);
    EXPECT_EQ(read->initializerRange, written->initializerRange);
    EXPECT_EQ(read->qkNorm, written->qkNorm);
    EXPECT_EQ(read->qkvBias, written->qkvBias);
    EXPECT_EQ(read->outputBias, written->outputBias);
    EXPECT_EQ(read->mlpBias, written->mlpBias);
    EXPECT_EQ(read->windows, written->windows);
    EXPECT_EQ(written->maxContext, 5);
  }
}

// Places come from the flow of data: names play no part.
TEST(Export, RenamingEverySymbolChangesNothing) {
  RewrittenGraph graph;
  graph.importGolden("qwen3");
  ASSERT_TRUE(graph.rewrite("vernier-scale-strategy{preset=hg+dp+or}")) << graph.errors;
  FailureOr<StockCheckpoint> before = exportGraph(graph);
  ASSERT_TRUE(succeeded(before)) << graph.errors;
  dropStateFunctions(*graph.after);
  SymbolTable symbols(*graph.after);
  Values renamed;
  for (auto [number, param] : llvm::enumerate(graph.after->getOps<ParamOp>())) {
    std::string name = "lm_head." + std::to_string(number);
    renamed[name] = graph.newValues[param.getSymName()];
    ASSERT_TRUE(succeeded(symbols.rename(param, name)));
  }
  graph.newValues = std::move(renamed);
  FailureOr<StockCheckpoint> after = exportGraph(graph);
  ASSERT_TRUE(succeeded(after)) << graph.errors;
  ASSERT_EQ(before->tensors.size(), after->tensors.size());
  for (auto [one, other] : llvm::zip_equal(before->tensors, after->tensors)) {
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.value.data, other.value.data);
  }
}

// The families have no 1 + w: it is in the values.
TEST(Export, PutsOffsetsIntoTheValues) {
  for (const char *strategy : {"baseline", "hg+or"}) {
    RewrittenGraph graph;
    graph.importGolden("llama");
    for (ModuleOp module : {*graph.before, *graph.after})
      module.walk([](ScaleOp op) { op.setOffset(APFloat(1.0)); });
    ASSERT_TRUE(
        graph.rewrite((llvm::Twine("vernier-scale-strategy{preset=") + strategy + "}").str()))
        << graph.errors;
    expectSameLoss(graph, "llama");
  }
}

// One bias is enough for a family with biases: the others are zero.
TEST(Export, FillsBiasesThatOnlySomeMapsHave) {
  RewrittenGraph graph;
  graph.importGolden("llama3");
  for (ModuleOp module : {*graph.before, *graph.after}) {
    unsigned number = 0;
    module.walk([&](LinearOp op) {
      if (number++ != 3) // o of the first layer
        op.getBiasMutable().clear();
    });
  }
  ASSERT_TRUE(graph.rewrite("vernier-scale-strategy{preset=hg}")) << graph.errors;
  expectSameLoss(graph, "llama");
}
