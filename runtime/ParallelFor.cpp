//===- ParallelFor.cpp - Loops over the threads of OpenMP -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ParallelFor.h"
#include <algorithm>
#include <atomic>

using namespace vernier::runtime;

// Clang's -fopenmp would bring LLVM's libomp and with it a second pool, so the
// entry points of libgomp are called as GCC's own code would.
extern "C" {
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_thread_num();
int omp_get_num_threads();
int omp_get_max_threads();
void omp_set_num_threads(int threads);
}

namespace {
struct Loop {
  ThreadTeam::Body body;
  int64_t count;
  int64_t chunk; ///< 0: static
  std::atomic<int64_t> next{0};
};
} // namespace

static void runStatic(Loop &loop, int thread) {
  int64_t threads = omp_get_num_threads();
  int64_t end = loop.count * (thread + 1) / threads;
  for (int64_t i = loop.count * thread / threads; i < end; ++i)
    loop.body(i, thread);
}

static void runShare(void *data) {
  Loop &loop = *static_cast<Loop *>(data);
  int thread = omp_get_thread_num();
  if (loop.chunk == 0)
    return runStatic(loop, thread);
  for (;;) {
    int64_t begin = loop.next.fetch_add(loop.chunk, std::memory_order_relaxed);
    if (begin >= loop.count)
      return;
    for (int64_t i = begin, end = std::min(begin + loop.chunk, loop.count); i < end; ++i)
      loop.body(i, thread);
  }
}

// OMP_NUM_THREADS may ask for more threads than libgomp has stack for.
static constexpr int kMostThreads = 4096;

ThreadTeam::ThreadTeam(int threads)
    : threads(std::min(threads > 0 ? threads : omp_get_max_threads(), kMostThreads)) {}

void ThreadTeam::parallelFor(int64_t count, Body body, Schedule schedule) const {
  if (count <= 1 || threads == 1) {
    for (int64_t i = 0; i < count; ++i)
      body(i, 0);
    return;
  }
  // Short chunks balance well; neighbours share cache lines and pages, so many
  // small blocks are taken a few at a time.
  int64_t chunk = std::max<int64_t>(1, count / (int64_t(threads) * 32));
  Loop loop{body, count, schedule == Schedule::Static ? 0 : chunk};
  GOMP_parallel(runShare, &loop, threads, 0);
}

ThreadCountScope::ThreadCountScope(int threads) : saved(omp_get_max_threads()) {
  if (threads > 0)
    omp_set_num_threads(threads);
}

ThreadCountScope::~ThreadCountScope() { omp_set_num_threads(saved); }
