//===- Memory.cpp - The process's and the machine's memory ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Memory.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>

using namespace vernier::runtime;
using llvm::StringRef;

/// The number after `key` at the start of a line of a file like /proc/meminfo,
/// in bytes (the files count in kB). -1 if it is not there.
static int64_t readKilobytes(const char *path, StringRef key) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  if (!buffer)
    return -1;
  StringRef rest = (*buffer)->getBuffer();
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    rest = next;
    int64_t value = 0;
    if (line.consume_front(key) && !line.ltrim().consumeInteger(10, value))
      return value * 1024;
  }
  return -1;
}

/// The number that is a file's whole text. -1 if there is none (cgroup: "max").
static int64_t readNumber(const char *path) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  int64_t value = -1;
  if (!buffer || (*buffer)->getBuffer().trim().getAsInteger(10, value))
    return -1;
  return value;
}

int64_t vernier::runtime::getAvailableMemory() {
  int64_t available = readKilobytes("/proc/meminfo", "MemAvailable:");
  if (available < 0)
    return -1;
  available += std::max<int64_t>(0, readKilobytes("/proc/meminfo", "SwapFree:"));
  // What the group uses now includes file cache that it would give up, so only
  // what this process holds counts against the limit.
  int64_t limit = readNumber("/sys/fs/cgroup/memory.max");
  if (limit >= 0)
    available = std::min(available, std::max<int64_t>(0, limit - getResidentAnonymousBytes()));
  return available;
}

int64_t vernier::runtime::getResidentAnonymousBytes() {
  return readKilobytes("/proc/self/status", "RssAnon:");
}

std::string vernier::runtime::formatBytes(int64_t bytes) {
  if (bytes < 1000)
    return llvm::formatv("{0} B", bytes).str();
  static const char *const units[] = {"kB", "MB", "GB", "TB", "PB"};
  double value = bytes / 1000.0;
  size_t unit = 0;
  for (; value >= 999.95 && unit + 1 < std::size(units); ++unit)
    value /= 1000.0;
  return llvm::formatv("{0:F1} {1}", value, units[unit]).str();
}

void MemoryMeter::sample() { peak = std::max(peak, getResidentAnonymousBytes() - before); }
