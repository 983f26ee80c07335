//===- BenchmarkReport.cpp - The figures of a benchmark -------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Benchmark.h"
#include "llvm/Support/JSON.h"

using namespace vernier::runtime;
using llvm::formatv;

/// `amount` of a step per second, in units of 10^9; empty if it is unknown.
static std::string formatRate(const StepTiming &timing, double amount, const char *unit) {
  if (amount == 0 || timing.seconds == 0)
    return "";
  return formatv("{0:F1} {1}", amount * timing.calls / timing.seconds * 1e-9, unit).str();
}

static void printShare(const char *name, double seconds, double whole, llvm::raw_ostream &os) {
  os << formatv("  {0,-10}{1,10:F1} ms{2,7:F1} %\n", name, seconds * 1e3, 100 * seconds / whole);
}

static void printTimings(const char *title, llvm::ArrayRef<StepTiming> timings,
                         const BenchmarkResult &result, llvm::raw_ostream &os) {
  size_t width = 12;
  for (const StepTiming &timing : timings)
    width = std::max(width, timing.name.size());
  os << formatv("\n{0}{1,7}{2,11}{3,16}{4,8}{5,14}\n", llvm::left_justify(title, width + 2),
                "calls", "ms", "", "roof", "");
  for (const StepTiming &timing : timings) {
    std::string roof;
    if (timing.flops > 0 && timing.seconds > 0)
      roof = formatv("{0:F2}", timing.flops * timing.calls / timing.seconds / result.referenceRate);
    os << formatv("{0}{1,7}{2,11:F2}{3,16}{4,8}{5,14}\n",
                  llvm::left_justify(timing.name, width + 2), timing.calls, timing.seconds * 1e3,
                  formatRate(timing, timing.flops, "GFLOP/s"), roof,
                  formatRate(timing, timing.bytes, "GB/s"));
  }
}

void vernier::runtime::printBenchmark(const BenchmarkResult &result, double usefulFlops,
                                      llvm::raw_ostream &os) {
  os << formatv("compiled in {0:F2} s\n", result.compileSeconds);
  os << formatv("step of {0} tokens on {1} threads: {2:F1} ms, {3:F0} tokens/s\n", result.tokens,
                result.threads, result.stepSeconds * 1e3, result.tokens / result.stepSeconds);
  os << formatv("roof ratio {0:F3}: {1:F1} useful GFLOP/s, a 1024^3 product reaches {2:F1}\n",
                result.getRoofRatio(usefulFlops), usefulFlops / result.stepSeconds * 1e-9,
                result.referenceRate * 1e-9);
  double whole = result.productSeconds + result.kernelSeconds + result.elsewhereSeconds;
  printShare("products", result.productSeconds, whole, os);
  printShare("kernels", result.kernelSeconds, whole, os);
  printShare("elsewhere", result.elsewhereSeconds, whole, os);
  os << formatv("memory: planned {0}, scratch and workspace {1}, real peak {2}\n",
                formatBytes(result.plannedBytes), formatBytes(result.workspaceBytes),
                formatBytes(result.peakBytes));
  os << formatv("others used {0:F2} of a core at most; {1} measurements were discarded{2}\n",
                result.otherLoad, result.discarded,
                result.disturbed ? "; DISTURBED: there was no quiet" : "");
  printTimings("product", result.products, result, os);
  printTimings("kernel", result.kernels, result, os);
}

static void writeTimings(llvm::json::OStream &json, const char *name,
                         llvm::ArrayRef<StepTiming> timings) {
  json.attributeArray(name, [&] {
    for (const StepTiming &timing : timings)
      json.object([&] {
        json.attribute("name", timing.name);
        json.attribute("calls", timing.calls);
        json.attribute("seconds", timing.seconds);
        json.attribute("flops_per_call", timing.flops);
        json.attribute("bytes_per_call", timing.bytes);
      });
  });
}

void vernier::runtime::writeBenchmarkJson(const BenchmarkResult &result, double usefulFlops,
                                          llvm::raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("threads", result.threads);
    json.attribute("tokens", result.tokens);
    json.attribute("compile_seconds", result.compileSeconds);
    json.attribute("step_seconds", result.stepSeconds);
    json.attribute("tokens_per_second", result.tokens / result.stepSeconds);
    json.attribute("useful_flops", usefulFlops);
    json.attribute("reference_rate", result.referenceRate);
    json.attribute("roof_ratio", result.getRoofRatio(usefulFlops));
    json.attribute("product_seconds", result.productSeconds);
    json.attribute("kernel_seconds", result.kernelSeconds);
    json.attribute("elsewhere_seconds", result.elsewhereSeconds);
    json.attribute("planned_bytes", result.plannedBytes);
    json.attribute("workspace_bytes", result.workspaceBytes);
    json.attribute("peak_bytes", result.peakBytes);
    json.attribute("other_load", result.otherLoad);
    json.attribute("discarded", result.discarded);
    json.attribute("disturbed", result.disturbed);
    writeTimings(json, "products", result.products);
    writeTimings(json, "kernels", result.kernels);
  });
  os << '\n';
}
