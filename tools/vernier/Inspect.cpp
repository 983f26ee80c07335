//===- Inspect.cpp - vernier inspect --------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subcommands.h"
#include "Support.h"
#include "runtime/Checkpoint.h"
#include "runtime/Memory.h"
#include "runtime/Recipe.h"
#include "vernier/Compiler/Compile.h"
#include "vernier/Model/ParameterTable.h"
#include "vernier/Scale/Rewrites.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

static cl::SubCommand command("inspect",
                              "Print the parameters of a model graph, why each is in its "
                              "decay group, and the memory that training plans");
static cl::opt<std::string> modelPath(cl::Positional, cl::sub(command), cl::Required,
                                      cl::value_desc("model.mlir"),
                                      cl::desc("<model.mlir, run or checkpoint>"));

static cl::opt<int64_t> microBatches("accumulate", cl::sub(command), cl::init(1),
                                     cl::value_desc("n"),
                                     cl::desc("Micro-batches per step (1; those of a run)"));
static cl::opt<std::string> scaleSide("scale-side", cl::sub(command), cl::init("auto"),
                                      cl::value_desc("side"),
                                      cl::desc("Apply scales of linear maps to weights or "
                                               "activations (auto: whichever is cheaper)"));

/// The planned peak of a training step, by class; or why there is none, which
/// is no error: what cannot be trained can be inspected.
static void printMemory(mlir::ModuleOp module) {
  std::string reason;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    if (reason.empty() && diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      reason = diagnostic.str();
    return mlir::success();
  });
  vernier::CompileOptions options;
  options.microBatches = microBatches;
  options.scaleSide = scaleSide;
  auto program = vernier::planProgram(module, options);
  if (failed(program)) {
    outs() << "no memory plan: " << reason << "\n";
    return;
  }
  outs() << formatv("memory of a training step at batch {0} x {1}, f32:\n", program->batch,
                    program->sequence);
  for (const vernier::runtime::MemoryClass &row : program->memory)
    outs() << formatv("  {0,-12} {1,10}\n", row.name, vernier::runtime::formatBytes(row.bytes));
  outs() << formatv("  {0,-12} {1,10}\n", "peak",
                    vernier::runtime::formatBytes(program->arenaBytes));
}

static void printRewrites(mlir::ModuleOp module) {
  std::vector<vernier::Rewrite> rewrites = vernier::getRewrites(module);
  if (!rewrites.empty())
    outs() << "rewritten by:\n";
  for (const vernier::Rewrite &rewrite : rewrites)
    outs() << "  " << rewrite.pass << (rewrite.keepsFunction ? "" : "  (another function)") << "\n";
}

namespace {
/// A graph's file; if it is that of a checkpoint, with its recipe.
struct Inspected {
  std::string graph;
  std::optional<vernier::runtime::Recipe> recipe;
};
} // namespace

static Expected<Inspected> findGraph() {
  if (!sys::fs::is_directory(modelPath))
    return Inspected{modelPath, std::nullopt};
  auto checkpoint = vernier::runtime::openCheckpoint(modelPath);
  if (!checkpoint)
    return checkpoint.takeError();
  vernier::runtime::Recipe recipe;
  if (Error error = vernier::runtime::readRecipe(checkpoint->getRecipePath(), recipe))
    return std::move(error);
  return Inspected{checkpoint->getGraphPath(), recipe};
}

static int run() {
  Expected<Inspected> inspected = findGraph();
  if (!inspected)
    return vernier::fail(inspected.takeError());
  vernier::Session session;
  mlir::OwningOpRef<mlir::ModuleOp> module = session.load(inspected->graph);
  if (!module)
    return 1;
  vernier::ParameterTableOptions columns;
  if (inspected->recipe) {
    columns = {inspected->recipe->rate, inspected->recipe->weightDecay};
    if (microBatches.getNumOccurrences() == 0)
      microBatches = inspected->recipe->accumulate;
    if (scaleSide.getNumOccurrences() == 0)
      scaleSide = inspected->recipe->scaleSide;
  }
  vernier::printParameterTable(*module, outs(), columns);
  vernier::printParameterCounts(*module, outs());
  printRewrites(*module);
  printMemory(*module);
  return 0;
}

const vernier::Subcommand vernier::inspectSubcommand{command, run};
