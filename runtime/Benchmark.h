//===- Benchmark.h - Where the time of a training step goes ------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_BENCHMARK_H
#define VERNIER_RUNTIME_BENCHMARK_H

#include "runtime/CompiledEngine.h"
#include "runtime/Memory.h"

namespace vernier::runtime {

struct BenchmarkOptions {
  int steps = 5;
  /// Measurements beside which others used more of a core than this are taken
  /// again, for as long as `patience` seconds in all.
  double mostOtherLoad = 0.05;
  double patience = 120;
};

/// A kind of step of a phase: a kernel, or products of one shape.
struct StepTiming {
  std::string name;
  int64_t calls = 0;  ///< in an optimizer step
  double seconds = 0; ///< in an optimizer step
  double flops = 0;   ///< useful ones of a call; 0 if unknown
  double bytes = 0;   ///< moved by a call; 0 if unknown
};

/// Of an optimizer step with one micro-batch. Times are means of the steps
/// measured, and `stepSeconds` their median.
struct BenchmarkResult {
  int threads = 0;
  int64_t tokens = 0;
  double compileSeconds = 0; ///< from model graph to runnable code; the caller's to fill
  double stepSeconds = 0;
  double productSeconds = 0, kernelSeconds = 0, elsewhereSeconds = 0;
  std::vector<StepTiming> products, kernels; ///< longest first
  /// FLOP/s of a 1024 x 1024 x 1024 product, the better of oneDNN's own way to
  /// use threads and ours: what times are held against.
  double referenceRate = 0;
  int64_t plannedBytes = 0;   ///< the arena
  int64_t workspaceBytes = 0; ///< beside it: scratch of kernels and products
  int64_t peakBytes = 0;      ///< anonymous memory above what `meter` began with
  /// The most that others used of a core during a measurement that counts, and
  /// how many were discarded. Disturbed: it was too much, until patience ended.
  double otherLoad = 0;
  int discarded = 0;
  bool disturbed = false;

  /// `usefulFlops` a step over its time, as a share of the reference rate.
  double getRoofRatio(double usefulFlops) const {
    return usefulFlops / stepSeconds / referenceRate;
  }
};

/// Trains on random tokens. `meter` was made before the engine.
Expected<BenchmarkResult> runBenchmark(CompiledEngine &engine, MemoryMeter &meter,
                                       const BenchmarkOptions &options);

/// The figures for people: shares of the step, memory, and each product and
/// kernel with its rates.
void printBenchmark(const BenchmarkResult &result, double usefulFlops, llvm::raw_ostream &os);

/// The same for programs, one JSON object. Times in seconds, memory in bytes,
/// rates per second.
void writeBenchmarkJson(const BenchmarkResult &result, double usefulFlops, llvm::raw_ostream &os);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_BENCHMARK_H
