//===- Bench.cpp - vernier bench ------------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engines.h"
#include "Subcommands.h"
#include "runtime/Benchmark.h"
#include "vernier/Compiler/Compile.h"
#include "vernier/Model/Vernier.h"
#include <chrono>

using namespace llvm;
using namespace vernier;

static cl::SubCommand command("bench", "Measure a training step of a model graph on random tokens: "
                                       "time by product and kernel, memory, roof ratio");
static cl::opt<std::string> modelPath(cl::Positional, cl::sub(command), cl::Required,
                                      cl::value_desc("model.mlir"), cl::desc("<model.mlir>"));
static cl::opt<bool> asJson("json", cl::sub(command), cl::desc("Print the figures as JSON"));
static cl::opt<int> steps("steps", cl::sub(command), cl::init(5), cl::value_desc("number"),
                          cl::desc("Steps to measure, after one that is not (default 5)"));
static cl::opt<int> threads("threads", cl::sub(command), cl::init(0), cl::value_desc("number"),
                            cl::desc("Threads (default: one a core)"));
static cl::opt<std::string> scaleSide("scale-side", cl::sub(command), cl::init("auto"),
                                      cl::value_desc("side"),
                                      cl::desc("Apply scales of linear maps to weights or "
                                               "activations (auto: whichever is cheaper)"));
static cl::opt<double> patience("patience", cl::sub(command), cl::init(120),
                                cl::value_desc("seconds"),
                                cl::desc("How long to discard figures that other processes "
                                         "disturbed and take them again (default 120)"));

/// What a step has to compute whatever the program: 6 for each entry of a
/// linear map and token (2 forward, 4 backward), and for attention 6 x T x d a
/// token, the half of the scores that is not masked.
static double countUsefulFlops(mlir::ModuleOp module) {
  double flops = 0;
  module.walk([&](LinearOp linear) {
    auto input = cast<mlir::RankedTensorType>(linear.getInput().getType());
    auto weight = cast<mlir::RankedTensorType>(linear.getWeight().getType());
    double tokens = double(input.getNumElements()) / input.getShape().back();
    flops += 6.0 * weight.getNumElements() * tokens;
  });
  module.walk([&](AttentionOp attention) {
    auto query = cast<mlir::RankedTensorType>(attention.getQuery().getType());
    flops += 6.0 * query.getNumElements() * query.getDimSize(1);
  });
  return flops;
}

/// Compiles and measures. A failed compilation has been diagnosed; the error then
/// only says so.
static Expected<runtime::BenchmarkResult> measure(const ModelFile &model) {
  CompileOptions compileOptions;
  compileOptions.scaleSide = scaleSide;
  auto start = std::chrono::steady_clock::now();
  std::unique_ptr<CompiledProgram> program = compile(*model.module, compileOptions);
  if (!program)
    return runtime::makeError("{0}: cannot be compiled", model.path);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  runtime::MemoryMeter meter;
  auto engine = runtime::CompiledEngine::create(program->getProgram(), threads);
  if (!engine)
    return engine.takeError();
  runtime::BenchmarkOptions options;
  options.steps = steps;
  options.patience = patience;
  auto result = runtime::runBenchmark(**engine, meter, options);
  if (result)
    result->compileSeconds = seconds.count();
  return result;
}

static int run() {
  if (steps < 1)
    return fail(runtime::makeError("--steps: expected at least 1, found {0}", steps.getValue()));
  if (Error error = checkThreads(threads))
    return fail(std::move(error));
  if (!(patience >= 0))
    return fail(
        runtime::makeError("--patience: expected seconds from 0, found {0}", patience.getValue()));
  Session session;
  std::optional<ModelFile> model = loadModelFile(session, modelPath);
  if (!model)
    return 1;
  Expected<runtime::BenchmarkResult> result = measure(*model);
  if (!result)
    return fail(result.takeError());
  auto write = asJson ? runtime::writeBenchmarkJson : runtime::printBenchmark;
  write(*result, countUsefulFlops(*model->module), outs());
  return 0;
}

const Subcommand vernier::benchSubcommand{command, run};
