//===- MachineLoad.h - Whether other processes are running -------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_MACHINELOAD_H
#define VERNIER_RUNTIME_MACHINELOAD_H

namespace vernier::runtime {

/// Watches from its creation on how much of the machine others use: a time
/// that was measured beside them means nothing.
class MachineLoad {
public:
  MachineLoad();

  /// Processor time that others (processes, or machines on the same host) have
  /// used so far, in cores. 0 if the system does not tell. The system counts in
  /// steps of 10 ms.
  double getOthers() const;

private:
  double start, busy, own; ///< seconds
};

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_MACHINELOAD_H
