//===- fuzz-passes.cpp - All passes on graphs that nobody wrote -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "ParseGraph.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "vernier/Compiler/RegisterAll.h"

using namespace vernier;

/// The input's length chooses one.
static constexpr const char *pipelines[] = {
    "builtin.module(vernier-training-graph)",
    "builtin.module(vernier-training-graph,vernier-kernel-program)",
    "builtin.module(vernier-scale-strategy{preset=unified})",
    "builtin.module(vernier-scale-strategy{preset=unified},vernier-apply-scale-to-weights,"
    "vernier-training-graph,vernier-kernel-program)",
    "builtin.module(vernier-fold-scale)",
    "builtin.module(vernier-remove-scale,vernier-insert-scale)",
};

/// A pass on a graph that verifies either succeeds or says why it does not.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static mlir::DialectRegistry registry = [] {
    registerAllPasses();
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }();
  static fuzz::GraphContext context(registry);
  auto module = context.parse(fuzz::toText(data, size).str());
  if (!module)
    return 0;
  mlir::PassManager passes(module->getContext());
  if (failed(mlir::parsePassPipeline(pipelines[size % std::size(pipelines)], passes)))
    std::abort();
  if (failed(passes.run(*module)) && context.getErrors() == 0)
    std::abort();
  return 0;
}
