//===- Executor.h - Runs the phases of a program -----------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_EXECUTOR_H
#define VERNIER_RUNTIME_EXECUTOR_H

#include "runtime/Guard.h"
#include "runtime/Product.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <functional>

namespace vernier::runtime {

/// Null if there is none of that role and name.
const Slot *findSlot(const std::vector<Slot> &slots, Role role, llvm::StringRef name = "");

/// Entries of a slot's shape.
int64_t countEntries(const Slot &slot);

/// A program in memory. Runs what it is told to and nothing else: which phase
/// comes when, and what is in its inputs, is for the caller to know.
class Executor {
public:
  /// Checks the program, allocates its arena, and makes what its products
  /// need. `program` and its kernels' code must outlive the executor. Threads
  /// are as in ThreadTeam.
  static Expected<std::unique_ptr<Executor>> create(const Program &program, int threads = 0);

  const Program &getProgram() const { return program; }
  const ThreadTeam &getTeam() const { return team; }

  /// Memory beside the arena: scratch of kernels, workspace of products.
  int64_t getWorkspaceBytes() const { return scratch.size() + products.getWorkspaceBytes(); }

  /// The entries of a value; T is the type that its dtype says.
  template <typename T> llvm::MutableArrayRef<T> get(const Slot &slot) const {
    return {reinterpret_cast<T *>(arena.data() + slot.offset), size_t(countEntries(slot))};
  }
  llvm::MutableArrayRef<char> getBytes(const Slot &slot) const {
    return {arena.data() + slot.offset, size_t(countEntries(slot) * sizeOf(slot.dtype))};
  }

  /// Runs a phase, or its steps [begin, end).
  Error run(const Phase &phase) { return run(phase, 0, phase.steps.size()); }
  Error run(const Phase &phase, size_t begin, size_t end);

  /// Is told each step and how long it took, in seconds.
  using Observer = std::function<void(const Step &step, double seconds)>;
  void setObserver(Observer newObserver) { observer = std::move(newObserver); }

  /// With poison, memory that does not outlive a phase (of the arena, the kernels'
  /// scratch and the products' workspace) is filled with NaNs (bytes 0xff) before a
  /// phase starts, so that reading what nobody wrote shows. Slow; for tests of
  /// programs.
  void setPoison(bool on) { poison = on; }

  /// With a guard, each kernel and product works on copies of its buffers, which
  /// end or begin at inaccessible memory (see Guard; the workspace of products is
  /// not guarded). An error if a kernel does not say how large its buffers are.
  /// Messages begin with `subject`. Slow; for tests of programs.
  Error setGuard(GuardSide side, std::string subject = "");

private:
  Executor(const Program &program, int threads) : program(program), team(threads), products(team) {}
  Error load();
  Error allocateScratch();
  void poisonTransientMemory(const Phase &phase);
  /// `where` is the beginning of a guard's messages.
  Error runStep(const std::string &where, const Launch &launch);
  Error runStep(const std::string &where, const Product &product);

  const Program &program;
  ThreadTeam team;
  Products products;
  Arena arena;
  Arena scratch; ///< `scratchBytes` for each thread
  int64_t scratchBytes = 0;
  Observer observer;
  bool poison = false;
  std::unique_ptr<Guard> guard; ///< null: none
};

/// The number of the first steps of a phase after which the output is known and
/// final: all up to the last that writes it. 0 if none does.
size_t findStepsUpTo(const Program &program, const Phase &phase, const Slot &output);

/// The outputs of these roles and places that the steps [0, end) write.
std::vector<const Slot *> findOutputsWrittenBefore(const Program &program, const Phase &phase,
                                                   size_t end);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_EXECUTOR_H
