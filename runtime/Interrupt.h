//===- Interrupt.h - Stopping a run politely ----------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_INTERRUPT_H
#define VERNIER_RUNTIME_INTERRUPT_H

namespace vernier::runtime {

/// To be called first in `main`, before LLVM puts its handlers in the place of
/// what a parent, such as nohup, has set.
void rememberIgnoredSignals();

/// From now on the first SIGINT, SIGTERM or, unless it is ignored, SIGHUP is only
/// noted, and a line on standard error says so; a second signal, of any of these kinds, ends the
/// process at once.
void catchInterrupts();

/// The signal that was noted, or 0.
int getInterrupt();

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_INTERRUPT_H
