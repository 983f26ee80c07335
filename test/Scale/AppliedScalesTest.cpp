//===- AppliedScalesTest.cpp - Which scale vectors a graph applies ----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Scale/AppliedScales.h"
#include "RewrittenGraph.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::test;

namespace {

using Lines = std::vector<std::string>;

/// "label (site: branches, layer, form, magnitude)" of each, without what there is not.
Lines describe(ModuleOp module) {
  Lines lines;
  for (const AppliedScale &applied : findAppliedScales(module)) {
    std::string line = applied.label + " (" + applied.site + ": " + applied.branches;
    if (applied.layer)
      line += llvm::formatv(", layer {0}", *applied.layer);
    if (applied.form)
      line += (", " + stringifyScaleForm(*applied.form)).str();
    if (applied.magnitude)
      line += ", " + *applied.magnitude;
    if (applied.offset != 0)
      line += llvm::formatv(", {0:f0} +", applied.offset);
    lines.push_back(line + ")");
  }
  return lines;
}

GetParamOp findRead(ModuleOp module, StringRef param) {
  GetParamOp found;
  module.walk([&](GetParamOp read) {
    if (read.getParam() == param)
      found = read;
  });
  return found;
}

} // namespace

TEST(AppliedScales, SayWhereTheyAre) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  EXPECT_EQ(describe(*graph.before),
            Lines({"model.layers.0.input_layernorm.weight (attention-input: q, k, v, layer 0)",
                   "model.layers.0.post_attention_layernorm.weight (ffn-input: gate, up, layer 0)",
                   "model.layers.1.input_layernorm.weight (attention-input: q, k, v, layer 1)",
                   "model.layers.1.post_attention_layernorm.weight (ffn-input: gate, up, layer 1)",
                   "model.norm.weight (final: head)"}));
}

TEST(AppliedScales, SayWhatTheyAreComputedFrom) {
  RewrittenGraph graph;
  graph.load("gemma");
  ASSERT_TRUE(graph.rewrite("vernier-reparameterize-scale{sites=final form=original}"))
      << graph.errors;
  Lines lines = describe(*graph.after);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.front(), "attn_in (attention-input: q, k, v, layer 0, 1 +)");
  EXPECT_EQ(lines.back(), "final (final: head, original, final.magnitude)");
}

TEST(AppliedScales, OfSeveralPlacesHaveNoLayer) {
  RewrittenGraph graph;
  graph.importGolden("llama");
  GetParamOp first = findRead(*graph.before, "model.layers.0.input_layernorm.weight");
  for (const char *other :
       {"model.layers.1.input_layernorm.weight", "model.layers.1.post_attention_layernorm.weight"})
    findRead(*graph.before, other).getResult().replaceAllUsesWith(first.getResult());
  EXPECT_EQ(
      describe(*graph.before),
      Lines(
          {"model.layers.0.input_layernorm.weight (attention-input, ffn-input: q, k, v, gate, up)",
           "model.layers.0.post_attention_layernorm.weight (ffn-input: gate, up, layer 0)",
           "model.norm.weight (final: head)"}));
}
