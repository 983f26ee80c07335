//===- Interrupt.h - Stopping a run politely ----------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_INTERRUPT_H
#define VERNIER_RUNTIME_INTERRUPT_H

namespace vernier::runtime {

/// From now on the first SIGINT or SIGTERM is only noted; a second signal, of
/// either kind, ends the process at once.
void catchInterrupts();

/// The signal that was noted, or 0.
int getInterrupt();

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_INTERRUPT_H
