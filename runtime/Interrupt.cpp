//===- Interrupt.cpp - Stopping a run politely ----------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Interrupt.h"
#include <csignal>
#include <unistd.h>

static volatile std::sig_atomic_t received = 0; // a signal handler may touch nothing else

static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};

static bool hangupIgnored = false;

static void note(int signal) {
  static constexpr char text[] = "\nfinishing the step, then saving; once more ends at once\n";
  received = signal;
  for (int other : signals)
    std::signal(other, SIG_DFL);
  if (::write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
    return; // there may be no terminal any more
}

void vernier::runtime::rememberIgnoredSignals() {
  struct sigaction now;
  hangupIgnored = ::sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void vernier::runtime::catchInterrupts() {
  received = 0;
  // `vernier train | tee log`: the terminal's signal ends tee first, and what is
  // printed then must not end the run.
  std::signal(SIGPIPE, SIG_IGN);
  for (int signal : signals)
    std::signal(signal, signal == SIGHUP && hangupIgnored ? SIG_IGN : note);
}

int vernier::runtime::getInterrupt() { return received; }
