//===- RunLock.h - One process to a run -------------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_RUNLOCK_H
#define VERNIER_RUNTIME_RUNLOCK_H

#include "runtime/Status.h"
#include "llvm/ADT/StringRef.h"

namespace vernier::runtime {

/// The right to write into a run's folder. The system takes it back when the
/// process ends, however it ends; the file RUN/lock that it is held by stays.
/// Movable, not copyable.
class RunLock {
public:
  static constexpr llvm::StringLiteral fileName = "lock";

  /// An error that names the process that has the lock, if another has it.
  static Expected<RunLock> acquire(llvm::StringRef run);

  RunLock() = default;
  RunLock(RunLock &&other) { *this = std::move(other); }
  RunLock &operator=(RunLock &&other);
  ~RunLock();

private:
  int descriptor = -1;
};

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_RUNLOCK_H
