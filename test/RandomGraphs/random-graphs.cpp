//===- random-graphs.cpp - Checks model graphs made by chance -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphChecks.h"
#include "OperationPairs.h"
#include "RandomGraph.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "vernier/Compiler/RegisterAll.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include <chrono>

using namespace llvm;
using namespace vernier::test;

static cl::opt<uint64_t> firstSeed("seed", cl::init(1), cl::desc("Of the first graph (1)"));
static cl::opt<int64_t> graphs("count", cl::init(1), cl::desc("Graphs to check (1)"));
static cl::opt<double> seconds("seconds", cl::init(0),
                               cl::desc("Stop after this time (0: do not)"));
static cl::opt<bool> print("print", cl::desc("Print the graph of --seed, and check nothing"));
static cl::opt<bool> onlyPairs("pairs", cl::desc("Count pairs of operations, and check nothing"));
static cl::opt<std::string> check("check", cl::value_desc("graph.mlir"),
                                  cl::desc("Check this graph with the values of --seed"));
static cl::opt<std::string> expected("expect", cl::value_desc("check"),
                                     cl::desc("With --check: exit with 1 if this check fails, "
                                              "otherwise with 0, as vernier-reduce wants it"));

static int checkFile(mlir::MLIRContext &context) {
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(check, &context);
  if (!module)
    return expected.empty();
  bool isNoise = false;
  GraphFailure failure = checkGraph(*module, firstSeed, isNoise);
  if (!expected.empty())
    return failure.check == expected;
  if (failure)
    errs() << "error: " << check << ": " << failure.check << ": " << failure.message;
  return bool(failure);
}

static void report(uint64_t seed, const GraphFailure &failure) {
  errs() << formatv("error: seed {0}: {1}: {2}\nshrink it with: random-graphs --print --seed={0} > "
                    "graph.mlir; tools/dev/reduce-graph.sh graph.mlir {0} '{1}'\n",
                    seed, failure.check, failure.message);
}

static int checkGraphs(mlir::MLIRContext &context) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  OperationPairs pairs;
  int64_t done = 0, failures = 0, noisy = 0;
  for (; done < graphs; ++done) {
    if (seconds > 0 && std::chrono::duration<double>(Clock::now() - start).count() > seconds)
      break;
    uint64_t seed = firstSeed + done;
    auto graph = makeRandomGraph(context, seed);
    pairs.add(*graph);
    if (onlyPairs)
      continue;
    bool isNoise = false;
    if (GraphFailure failure = checkGraph(*graph, seed, isNoise)) {
      report(seed, failure);
      ++failures;
    }
    noisy += isNoise;
  }
  outs() << pairs.print();
  std::vector<OperationPair> missing = pairs.findMissing();
  for (const OperationPair &pair : missing)
    outs() << pair.first << " -> " << pair.second << " 0, though it is legal\n";
  outs() << formatv("{0} graphs, {1} failures, {2} legal pairs missing, {3} only noise in f32\n",
                    done, failures, missing.size(), noisy);
  return failures > 0 || (onlyPairs && !missing.empty());
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Checks model graphs made by chance\n");
  vernier::registerAllPasses();
  mlir::DialectRegistry registry;
  vernier::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  if (!check.empty())
    return checkFile(context);
  if (print) {
    makeRandomGraph(context, firstSeed)->print(outs());
    return 0;
  }
  return checkGraphs(context);
}
