//===- Arena.cpp - The one allocation a program runs in -------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Arena.h"
#include "runtime/Memory.h"
#include "llvm/Support/Alignment.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

using namespace vernier::runtime;

static constexpr int64_t hugePage = int64_t(2) << 20;

Expected<Arena> Arena::allocate(int64_t bytes, const char *what) {
  int64_t available = getAvailableMemory();
  if (available >= 0 && bytes > available)
    return makeError("{0} needs {1} of memory, but only {2} are available on this machine", what,
                     formatBytes(bytes), formatBytes(available));
  Arena arena;
  arena.bytes = bytes;
  arena.mappedBytes = bytes + hugePage;
  void *mapping = mmap(nullptr, arena.mappedBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return makeError("{0}: cannot allocate {1} of memory: {2}", what, formatBytes(bytes),
                     std::strerror(errno));
  arena.mapping = mapping;
  arena.base = static_cast<char *>(mapping);
  arena.base +=
      llvm::offsetToAlignment(reinterpret_cast<uintptr_t>(mapping), llvm::Align(hugePage));
  // Advice only: without huge pages a program is slower, not wrong.
  madvise(arena.base, bytes, MADV_HUGEPAGE);
  return std::move(arena);
}

Arena &Arena::operator=(Arena &&other) {
  std::swap(base, other.base);
  std::swap(bytes, other.bytes);
  std::swap(mapping, other.mapping);
  std::swap(mappedBytes, other.mappedBytes);
  return *this;
}

Arena::~Arena() {
  if (mapping)
    munmap(mapping, mappedBytes);
}
