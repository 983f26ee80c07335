//===- Benchmark.cpp - Where the time of a training step goes -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Benchmark.h"
#include "runtime/Initialize.h"
#include "runtime/MachineLoad.h"
#include "runtime/Random.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <numeric>

using namespace vernier::runtime;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Adds up what an executor's observer is told, by kernel and by shape.
class Profile {
public:
  explicit Profile(const Program &program) : program(&program) {}
  void add(const Step &step, double seconds);
  /// Kernels, or products, of `steps` steps.
  std::vector<StepTiming> get(bool products, int steps) const;

private:
  const Program *program;
  std::map<std::pair<bool, std::string>, StepTiming> timings;
};

class Benchmark {
public:
  Benchmark(CompiledEngine &engine, MemoryMeter &meter, const BenchmarkOptions &options)
      : engine(engine), executor(engine.getExecutor()), meter(meter), options(options) {}
  Expected<BenchmarkResult> run();

private:
  Batch makeBatch() const;
  Expected<double> timeStep(const Batch &batch);
  Error measureSteps();
  void summarize(const Profile &profile, std::vector<double> times);
  Error measureReference();
  Expected<double> timeOurProduct(char *base);
  Expected<double> timeTheirProduct(char *base);
  Expected<double> timeProducts(llvm::function_ref<Error()> product);
  bool accept(const MachineLoad &load);

  CompiledEngine &engine;
  Executor &executor;
  MemoryMeter &meter;
  BenchmarkOptions options;
  BenchmarkResult result;
  Clock::time_point begin = Clock::now();
};

} // namespace

static std::string describe(const Product &product) {
  return llvm::formatv("{0}x{1}x{2} {3}{4}{5}", product.m, product.n, product.k,
                       product.transposeLhs ? 'T' : 'N', product.transposeRhs ? 'T' : 'N',
                       product.accumulate ? " +" : "")
      .str();
}

static double countFlops(const Product &product) { return 2.0 * product.m * product.n * product.k; }

void Profile::add(const Step &step, double seconds) {
  StepTiming timing;
  bool isProduct = std::holds_alternative<Product>(step);
  if (isProduct) {
    const Product &product = std::get<Product>(step);
    timing.name = describe(product);
    timing.flops = countFlops(product);
  } else {
    const Kernel &kernel = program->kernels[std::get<Launch>(step).kernel];
    timing.name = kernel.name;
    timing.flops = kernel.flops;
    timing.bytes = kernel.bytesMoved;
  }
  StepTiming &sum = timings.try_emplace({isProduct, timing.name}, timing).first->second;
  ++sum.calls;
  sum.seconds += seconds;
}

std::vector<StepTiming> Profile::get(bool products, int steps) const {
  std::vector<StepTiming> list;
  for (const auto &[key, timing] : timings)
    if (key.first == products) {
      list.push_back(timing);
      list.back().calls /= steps;
      list.back().seconds /= steps;
    }
  llvm::sort(list, [](const StepTiming &a, const StepTiming &b) { return a.seconds > b.seconds; });
  return list;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// Whether a measurement counts: nobody disturbed it, or there is no patience
/// left to wait for quiet.
bool Benchmark::accept(const MachineLoad &load) {
  double others = load.getOthers();
  if (others > options.mostOtherLoad && secondsSince(begin) < options.patience) {
    ++result.discarded;
    return false;
  }
  result.otherLoad = std::max(result.otherLoad, others);
  result.disturbed |= others > options.mostOtherLoad;
  return true;
}

Batch Benchmark::makeBatch() const {
  const Program &program = executor.getProgram();
  RandomSequence random(0, "benchmark");
  Batch batch;
  for (int64_t i = 0; i < program.batch * program.sequence; ++i) {
    auto [id, target] = random.getWords(i);
    batch.ids.push_back(id % program.vocabulary);
    batch.targets.push_back(target % program.vocabulary);
  }
  batch.validTargets = batch.targets.size();
  return batch;
}

/// An optimizer step, in seconds.
Expected<double> Benchmark::timeStep(const Batch &batch) {
  Clock::time_point start = Clock::now();
  Expected<StepResult> done = engine.step(batch, /*rate=*/1e-4);
  if (!done)
    return done.takeError();
  if (!done->nonFinite.empty())
    return makeError("benchmark: {0} is not finite", done->nonFinite);
  return secondsSince(start);
}

Error Benchmark::measureSteps() {
  Batch batch = makeBatch();
  if (Expected<double> warmUp = timeStep(batch); !warmUp)
    return warmUp.takeError();
  meter.sample();
  Profile accepted(executor.getProgram());
  std::vector<double> times;
  while (int(times.size()) < options.steps) {
    Profile profile = accepted;
    executor.setObserver([&](const Step &step, double seconds) { profile.add(step, seconds); });
    MachineLoad load;
    Expected<double> seconds = timeStep(batch);
    executor.setObserver(nullptr);
    if (!seconds)
      return seconds.takeError();
    if (!accept(load))
      continue;
    accepted = profile;
    times.push_back(*seconds);
  }
  meter.sample();
  summarize(accepted, times);
  return Error::success();
}

void Benchmark::summarize(const Profile &profile, std::vector<double> times) {
  llvm::sort(times);
  result.stepSeconds = times[times.size() / 2];
  result.products = profile.get(/*products=*/true, options.steps);
  result.kernels = profile.get(/*products=*/false, options.steps);
  for (const StepTiming &timing : result.products)
    result.productSeconds += timing.seconds;
  for (const StepTiming &timing : result.kernels)
    result.kernelSeconds += timing.seconds;
  double mean = std::accumulate(times.begin(), times.end(), 0.0) / times.size();
  result.elsewhereSeconds = mean - result.productSeconds - result.kernelSeconds;
}

/// Seconds of one product, the best of several rounds of half a second.
Expected<double> Benchmark::timeProducts(llvm::function_ref<Error()> product) {
  double best = 0;
  for (int rounds = 0; rounds < 3;) {
    MachineLoad load;
    double shortest = 0;
    for (Clock::time_point round = Clock::now(); secondsSince(round) < 0.5;) {
      Clock::time_point start = Clock::now();
      if (Error error = product())
        return std::move(error);
      double seconds = secondsSince(start);
      shortest = shortest == 0 ? seconds : std::min(shortest, seconds);
    }
    if (!accept(load))
      continue;
    best = rounds++ == 0 ? shortest : std::min(best, shortest);
  }
  return best;
}

/// Of the matrices of the reference product, as they lie in one arena.
static constexpr int64_t referenceSize = 1024;
static constexpr int64_t referenceBytes = referenceSize * referenceSize * int64_t(sizeof(float));

/// As programs do it.
Expected<double> Benchmark::timeOurProduct(char *base) {
  Product product;
  product.m = product.n = product.k = referenceSize;
  product.rhs = referenceBytes;
  product.result = 2 * referenceBytes;
  Products products(executor.getTeam());
  if (Error error = products.prepare(product))
    return std::move(error);
  if (Error error = products.allocate())
    return std::move(error);
  return timeProducts([&] { return products.run(product, base); });
}

/// As oneDNN does it if it may use all threads.
Expected<double> Benchmark::timeTheirProduct(char *base) {
  MatmulShape shape;
  shape.m = shape.n = shape.k = referenceSize;
  shape.lhsStride = shape.rhsStride = shape.resultStride = referenceSize;
  shape.threads = executor.getTeam().size();
  Expected<std::unique_ptr<Matmul>> whole = Matmul::create(shape);
  if (!whole)
    return whole.takeError();
  Expected<Arena> scratchpad = Arena::allocate((*whole)->getScratchpadBytes());
  if (!scratchpad)
    return scratchpad.takeError();
  auto *matrices = reinterpret_cast<float *>(base);
  constexpr int64_t entries = referenceSize * referenceSize;
  return timeProducts([&]() -> Error {
    int status =
        (*whole)->run(matrices, matrices + entries, matrices + 2 * entries, scratchpad->data());
    return status ? makeError("oneDNN returned status {0}", status) : Error::success();
  });
}

Error Benchmark::measureReference() {
  Expected<Arena> arena = Arena::allocate(3 * referenceBytes, "the reference product");
  if (!arena)
    return arena.takeError();
  auto *floats = reinterpret_cast<float *>(arena->data());
  for (int64_t i = 0; i < 2 * referenceSize * referenceSize; ++i)
    floats[i] = float(i % 1000) / 1000;
  Expected<double> ours = timeOurProduct(arena->data());
  if (!ours)
    return ours.takeError();
  Expected<double> theirs = timeTheirProduct(arena->data());
  if (!theirs)
    return theirs.takeError();
  double flops = 2.0 * referenceSize * referenceSize * referenceSize;
  result.referenceRate = flops / std::min(*ours, *theirs);
  return Error::success();
}

Expected<BenchmarkResult> Benchmark::run() {
  const Program &program = executor.getProgram();
  initialize(engine, /*seed=*/0);
  result.threads = executor.getTeam().size();
  result.tokens = program.batch * program.sequence;
  result.plannedBytes = program.arenaBytes;
  result.workspaceBytes = executor.getWorkspaceBytes();
  if (Error error = measureSteps())
    return std::move(error);
  result.peakBytes = meter.getPeakBytes();
  if (Error error = measureReference())
    return std::move(error);
  return result;
}

Expected<BenchmarkResult> vernier::runtime::runBenchmark(CompiledEngine &engine, MemoryMeter &meter,
                                                         const BenchmarkOptions &options) {
  return Benchmark(engine, meter, options).run();
}
