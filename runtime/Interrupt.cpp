//===- Interrupt.cpp - Stopping a run politely ----------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Interrupt.h"
#include <csignal>

static volatile std::sig_atomic_t received = 0; // a signal handler may touch nothing else

static void note(int signal) {
  received = signal;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void vernier::runtime::catchInterrupts() {
  received = 0;
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

int vernier::runtime::getInterrupt() { return received; }
