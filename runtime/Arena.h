//===- Arena.h - The one allocation a program runs in ------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_ARENA_H
#define VERNIER_RUNTIME_ARENA_H

#include "runtime/Status.h"
#include <cstdint>

namespace vernier::runtime {

/// Memory that a program's offsets point into: zero when it is new, aligned to
/// a huge page, of which the system is asked to use many (first touch is dear,
/// and products walk far). Movable, not copyable; freed with the object.
class Arena {
public:
  /// An error, before anything is allocated, if the machine does not have
  /// `bytes`; `what` is the subject of its message.
  static Expected<Arena> allocate(int64_t bytes, const char *what = "the program");

  Arena() = default;
  Arena(Arena &&other) { *this = std::move(other); }
  Arena &operator=(Arena &&other);
  ~Arena();

  char *data() const { return base; }
  int64_t size() const { return bytes; }

private:
  char *base = nullptr;
  int64_t bytes = 0;
  void *mapping = nullptr; ///< what was mapped: larger, for alignment
  int64_t mappedBytes = 0;
};

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_ARENA_H
