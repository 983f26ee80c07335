//===- AttentionBenchmark.cpp - Rate of attention beside a product ---------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: attention-benchmark [batch sequence heads keyHeads headDim [window]]
//
// Prints useful GFLOP/s of one thread (those above the diagonal do not count)
// beside those of a 768^3 product of oneDNN, measured in turns, best of all.
//
//===----------------------------------------------------------------------===//

#include "AttentionHarness.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <oneapi/dnnl/dnnl.h>

using namespace vernier::test;

static double timeOf(llvm::function_ref<void()> work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

static double countPairs(const AttentionShape &shape) {
  double pairs = 0;
  for (int64_t query = 0; query < shape.sequence; ++query)
    for (int64_t key = 0; key < shape.sequence; ++key)
      pairs += shape.sees(query, key);
  return pairs * shape.batch * shape.heads;
}

namespace {
struct Run {
  AttentionKernel kernel;
  std::vector<GuardedBuffer> buffers;
  std::vector<char *> addresses;
  GuardedBuffer scratch;

  Run(AttentionKernel compiled, llvm::ArrayRef<int64_t> sizes)
      : kernel(std::move(compiled)), scratch(kernel.scratchBytes / 4) {
    for (int64_t size : sizes)
      buffers.emplace_back(Floats(size, 0.01f));
    for (GuardedBuffer &buffer : buffers)
      addresses.push_back(buffer.data());
    addresses.push_back(nullptr);
  }
  void operator()() {
    for (int64_t block = 0; block < kernel.blocks; ++block)
      kernel.run(addresses.data(), scratch.data(), block);
  }
};
} // namespace

int main(int argc, char **argv) {
  AttentionShape shape{8, 256, 6, 6, 64};
  int64_t *fields[] = {&shape.batch,    &shape.sequence, &shape.heads,
                       &shape.keyHeads, &shape.headDim,  &shape.window};
  for (int i = 1; i < argc && i <= 6; ++i)
    if (!llvm::to_integer(argv[i], *fields[i - 1]))
      return 1;
  int64_t q = shape.queryRows() * shape.headDim, k = shape.keyRows() * shape.headDim;
  Run forward(compileAttention(shape, false, "native"), {q, k, k, q, shape.queryRows()});
  Run backward(compileAttention(shape, true, "native"),
               {q, q, k, k, q, shape.queryRows(), q, k, k});
  const int64_t n = 768;
  Floats a(n * n, 1), b(n * n, 1), c(n * n);
  double product = 1e9, times[2] = {1e9, 1e9};
  for (int round = 0; round < 30; ++round) {
    product = std::min(product, timeOf([&] {
                         dnnl_sgemm('N', 'N', n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
                       }));
    times[0] = std::min(times[0], timeOf(forward));
    times[1] = std::min(times[1], timeOf(backward));
  }
  double pairs = countPairs(shape);
  llvm::outs() << llvm::format("product  %6.1f GFLOP/s\n", 2e-9 * n * n * n / product);
  const double flops[] = {4 * pairs * shape.headDim, 10 * pairs * shape.headDim};
  const Run *runs[] = {&forward, &backward};
  for (auto [i, run] : llvm::enumerate(runs))
    llvm::outs() << llvm::format(
        "%s %6.1f GFLOP/s  ratio %.2f  compile %.0f ms  scratch %lld KiB\n",
        i ? "backward" : "forward ", flops[i] / times[i] * 1e-9,
        flops[i] / times[i] / (2.0 * n * n * n / product), 1e3 * run->kernel.compileSeconds,
        (long long)run->kernel.scratchBytes / 1024);
}
