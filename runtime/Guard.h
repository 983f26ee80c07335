//===- Guard.h - Buffers that end at inaccessible memory --------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_GUARD_H
#define VERNIER_RUNTIME_GUARD_H

#include "runtime/Status.h"
#include "llvm/ADT/ArrayRef.h"
#include <csignal>
#include <string>
#include <vector>

namespace vernier::runtime {

/// Which side of a buffer is inaccessible, to the byte.
enum class GuardSide { Off, End, Begin };

/// Finds steps that read or write outside their buffers, which sanitizers cannot
/// see in generated code: each buffer of a step is copied to memory of its own
/// between two inaccessible ranges, and back.
///
/// With GuardSide::End a buffer ends where such a range begins. It is then aligned
/// as its length is, so to its elements only, and not to 64 bytes: generated code
/// and oneDNN promise to need no more. With GuardSide::Begin it begins where such a
/// range ends, and is aligned to a page. The other side of the buffer is at most a
/// page away from inaccessible memory; what lies between is filled with NaNs, so
/// that reading it is likely to show, and looked at afterwards.
///
/// A step that touches inaccessible memory ends the process with exit code 1 and a
/// message that names the step and the buffer. For tests: a guarded program is
/// several times slower. One guard at a time may be between `enter` and `leave`.
class Guard {
public:
  /// Memory that a step may use. Several at one place are one.
  struct Buffer {
    std::string name; ///< "operand 2"
    int64_t bytes = 0;
    bool isWritten = false;
  };

  /// Messages begin with `subject`, if there is one.
  explicit Guard(GuardSide side, std::string subject = "")
      : side(side), subject(std::move(subject)) {}
  Guard(const Guard &) = delete;
  Guard &operator=(const Guard &) = delete;
  ~Guard();

  /// Copies the buffers of a step; `places` says where each of them is, and then
  /// where its copy is. Null places stay null. `step` is for messages.
  Error enter(std::string step, llvm::ArrayRef<Buffer> buffers,
              llvm::MutableArrayRef<char *> places);

  /// Copies back what may have been written. An error if the step wrote beside a
  /// buffer, or into one that it may only read.
  Error leave();

private:
  /// A copy of a buffer: accessible pages between two inaccessible ranges.
  struct Region {
    char *begin = nullptr, *end = nullptr; ///< of the accessible pages
    Buffer buffer;
    char *original = nullptr, *copy = nullptr;
  };
  Region &findRegion(const Buffer &buffer, char *original);
  Error fill(Region &region);
  static Error reserve(Region &region);
  static void release(Region &region);
  llvm::MutableArrayRef<char> getRest(const Region &region) const;
  static void handleFault(int signal, siginfo_t *info, void *context);
  void report(const char *address) const;

  GuardSide side;
  std::string subject;
  std::vector<Region> regions;
  size_t used = 0; ///< regions of the current step
  std::string step;
};

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_GUARD_H
