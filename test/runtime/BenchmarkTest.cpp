//===- BenchmarkTest.cpp - Where the time of a training step goes ---------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Benchmark.h"
#include "ToyProgram.h"
#include "runtime/MachineLoad.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"
#include <chrono>
#include <ctime>
#include <numeric>
#include <thread>

using namespace vernier::runtime;

namespace {

/// By default on a machine as busy as it is.
BenchmarkResult measure(double mostOtherLoad = 1000) {
  static Program program = toy::makeProgram();
  program.kernels[0].flops = 1000;
  MemoryMeter meter;
  auto engine = cantFail(CompiledEngine::create(program, 2));
  BenchmarkOptions options;
  options.steps = 3;
  options.patience = 0.2;
  options.mostOtherLoad = mostOtherLoad;
  return cantFail(runBenchmark(*engine, meter, options));
}

TEST(Benchmark, CountsEachKernelOfAStep) {
  BenchmarkResult result = measure();
  EXPECT_EQ(result.threads, 2);
  EXPECT_EQ(result.tokens, 4);
  EXPECT_EQ(result.plannedBytes, 832);
  ASSERT_EQ(result.kernels.size(), 6u); // twice, loss_first, and four of the update
  for (const StepTiming &kernel : result.kernels)
    EXPECT_EQ(kernel.calls, 1) << kernel.name;
  EXPECT_TRUE(result.products.empty());
  double sum = std::accumulate(
      result.kernels.begin(), result.kernels.end(), 0.0,
      [](double seconds, const StepTiming &kernel) { return seconds + kernel.seconds; });
  EXPECT_DOUBLE_EQ(result.kernelSeconds, sum);
  EXPECT_GT(result.elsewhereSeconds, 0);
  EXPECT_GT(result.referenceRate, 1e9);
}

TEST(Benchmark, DiscardsWhatOthersDisturbAndSaysSoWhenPatienceEnds) {
  BenchmarkResult quiet = measure();
  EXPECT_EQ(quiet.discarded, 0);
  EXPECT_FALSE(quiet.disturbed);
  BenchmarkResult busy = measure(/*mostOtherLoad=*/-1); // never quiet enough
  EXPECT_GT(busy.discarded, 0);
  EXPECT_TRUE(busy.disturbed);
  std::string text;
  llvm::raw_string_ostream stream(text);
  printBenchmark(busy, 1e9, stream);
  EXPECT_NE(text.find("DISTURBED"), std::string::npos) << text;
}

BenchmarkResult makeResult() {
  BenchmarkResult result;
  result.threads = 2;
  result.tokens = 2048;
  result.stepSeconds = 0.5;
  result.productSeconds = 0.3;
  result.kernelSeconds = 0.15;
  result.elsewhereSeconds = 0.05;
  result.referenceRate = 160e9;
  result.products = {{"2048x384x384 NT", 24, 0.1, 6e8, 0}};
  result.kernels = {{"norm", 13, 0.013, 0, 1e7}};
  return result;
}

TEST(Benchmark, ReportsForPeople) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printBenchmark(makeResult(), 60e9, os);
  EXPECT_NE(text.find("step of 2048 tokens on 2 threads: 500.0 ms, 4096 tokens/s\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("roof ratio 0.750: 120.0 useful GFLOP/s, a 1024^3 product reaches 160.0\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("2048x384x384 NT       24     100.00   144.0 GFLOP/s    0.90"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("10.0 GB/s"), std::string::npos) << text;
}

TEST(Benchmark, ReportsForPrograms) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeBenchmarkJson(makeResult(), 60e9, os);
  llvm::json::Value value = cantFail(llvm::json::parse(text));
  const llvm::json::Object &object = *value.getAsObject();
  EXPECT_EQ(object.getNumber("roof_ratio"), 0.75);
  EXPECT_EQ(object.getNumber("tokens_per_second"), 4096);
  EXPECT_EQ((*object.getArray("products"))[0].getAsObject()->getInteger("calls"), 24);
}

TEST(MachineLoad, DoesNotCountThisProcess) {
  MachineLoad load;
  std::clock_t own = std::clock();
  auto start = std::chrono::steady_clock::now();
  std::chrono::duration<double> wall{};
  volatile int work = 0;
  while (wall.count() < 0.5) {
    work = work + 1;
    wall = std::chrono::steady_clock::now() - start;
  }
  double others = load.getOthers();
  // Others may be running too, but only on what this process left.
  double used = double(std::clock() - own) / CLOCKS_PER_SEC / wall.count();
  EXPECT_LE(others, std::thread::hardware_concurrency() - used + 0.1);
}

} // namespace
