//===- MachineLoad.cpp - Whether other processes are running --------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/MachineLoad.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <ctime>
#include <unistd.h>

using namespace vernier::runtime;

static double readClock(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

/// Time that all processors were not idle, in seconds. The first line of
/// /proc/stat: "cpu user nice system idle iowait irq softirq steal ...".
static double readBusyTime() {
  auto buffer = llvm::MemoryBuffer::getFileAsStream("/proc/stat");
  if (!buffer)
    return 0;
  llvm::SmallVector<llvm::StringRef, 12> fields;
  (*buffer)->getBuffer().split('\n').first.split(fields, ' ', -1, /*KeepEmpty=*/false);
  double ticks = 0;
  for (size_t i = 1; i < std::min<size_t>(fields.size(), 9); ++i) {
    double value = 0;
    bool idle = i == 4 || i == 5;
    if (!idle && !fields[i].getAsDouble(value))
      ticks += value;
  }
  return ticks / sysconf(_SC_CLK_TCK);
}

MachineLoad::MachineLoad()
    : start(readClock(CLOCK_MONOTONIC)), busy(readBusyTime()),
      own(readClock(CLOCK_PROCESS_CPUTIME_ID)) {}

double MachineLoad::getOthers() const {
  double seconds = readClock(CLOCK_MONOTONIC) - start;
  double others = (readBusyTime() - busy) - (readClock(CLOCK_PROCESS_CPUTIME_ID) - own);
  return seconds > 0 ? std::max(0.0, others / seconds) : 0;
}
