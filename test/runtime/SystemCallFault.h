//===- SystemCallFault.h - Faults at chosen system calls --------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_RUNTIME_SYSTEMCALLFAULT_H
#define VERNIER_TEST_RUNTIME_SYSTEMCALLFAULT_H

#include "llvm/ADT/STLFunctionalExtras.h"

/// What happens to a process, once.
enum class Fault {
  Kill,       ///< it dies at the entry of its system call number N, whatever it is
  NoSpace,    ///< the Nth call that makes or changes files fails: no space left
  IoError,    ///< the same with an input/output error
  ShortWrite, ///< the Nth `write` of more than a byte writes half of it
};

enum class FaultResult {
  NotAllowed, ///< this process may not trace its children
  NoSuchCall, ///< there are fewer than N calls
  Killed,     ///< by the fault, or by something else
  Succeeded,  ///< `body` gave 0
  Failed      ///< `body` gave something else
};

/// Runs `body` in a process of its own that meets the fault at call number
/// `count` (from 1).
FaultResult runWithFault(Fault fault, int count, llvm::function_ref<int()> body);

#endif // VERNIER_TEST_RUNTIME_SYSTEMCALLFAULT_H
