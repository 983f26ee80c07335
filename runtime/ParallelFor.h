//===- ParallelFor.h - Loops over the threads of OpenMP ----------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_PARALLELFOR_H
#define VERNIER_RUNTIME_PARALLELFOR_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>

namespace vernier::runtime {

/// Dynamic: threads take indices as they finish others. Static: each has one
/// contiguous share.
enum class Schedule { Dynamic, Static };

/// More are taken for a mistake.
constexpr int mostThreads = 4096;

/// The threads that a program runs on: libgomp's, which oneDNN uses too, so
/// that there is one pool of threads in the process and not two that fight.
class ThreadTeam {
public:
  /// 0: as many as OpenMP would use (OMP_NUM_THREADS, or the cores there are).
  explicit ThreadTeam(int threads = 0);

  int size() const { return threads; }

  /// Is given the index and the number of the thread, less than `size()`.
  using Body = llvm::function_ref<void(int64_t index, int thread)>;

  /// Calls `body` for each index of [0, count), and returns when all are done.
  /// A single index runs on the calling thread. Not to be nested.
  void parallelFor(int64_t count, Body body, Schedule schedule = Schedule::Dynamic) const;

private:
  int threads;
};

/// While it lives, libraries that the calling thread calls use this many threads.
class ThreadCountScope {
public:
  /// 0: as many as they would use anyway.
  explicit ThreadCountScope(int threads);
  ~ThreadCountScope();
  ThreadCountScope(const ThreadCountScope &) = delete;
  ThreadCountScope &operator=(const ThreadCountScope &) = delete;

private:
  int saved;
};

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_PARALLELFOR_H
