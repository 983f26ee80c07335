//===- Memory.h - The process's and the machine's memory ---------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_MEMORY_H
#define VERNIER_RUNTIME_MEMORY_H

#include <cstdint>
#include <string>

namespace vernier::runtime {

/// Bytes that this process can still get: the machine's available memory and
/// swap, less if its control group is limited further. -1 if unknown.
int64_t getAvailableMemory();

/// Bytes of anonymous memory that are resident now (RssAnon). -1 if unknown.
int64_t getResidentAnonymousBytes();

/// "1.5 GB" (powers of 1000).
std::string formatBytes(int64_t bytes);

/// The highest anonymous memory seen since a start, in bytes. Linux keeps no
/// high-water mark of it, so it is sampled: arenas stay resident, so a sample
/// after each phase finds it.
class MemoryMeter {
public:
  MemoryMeter() : before(getResidentAnonymousBytes()) {}
  void sample();
  /// Above what there was when the meter was made.
  int64_t getPeakBytes() const { return peak; }

private:
  int64_t before;
  int64_t peak = 0;
};

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_MEMORY_H
