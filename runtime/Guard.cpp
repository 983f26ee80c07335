//===- Guard.cpp - Buffers that end at inaccessible memory ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Guard.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace vernier::runtime;

static constexpr int64_t page = 4096;
static constexpr int64_t inaccessible = 1 << 20; // on each side: costs addresses, no memory
static constexpr char filler = '\xff';           // a NaN, of any width

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// The guard whose step is running, for the signal handler.
static std::atomic<const Guard *> active{nullptr};
static struct sigaction previousSegv, previousBus;

static void print(const char *text) { (void)!::write(STDERR_FILENO, text, std::strlen(text)); }

/// Runs in a signal handler: reads what was there before, and calls `write`.
void Guard::report(const char *address) const {
  print("error: ");
  print(step.c_str());
  for (const Region &region : llvm::ArrayRef(regions).take_front(used)) {
    bool behind = address >= region.end && address < region.end + inaccessible;
    bool inFront = address < region.begin && address >= region.begin - inaccessible;
    if (!behind && !inFront)
      continue;
    print(behind ? " reads or writes behind the end of its " : " reads or writes in front of its ");
    print(region.buffer.name.c_str());
    print("\n");
    return;
  }
  print(" reads or writes outside its buffers\n");
}

void Guard::handleFault(int signal, siginfo_t *info, void *) {
  static std::atomic_flag reported = ATOMIC_FLAG_INIT;
  const Guard *guard = active.load();
  if (!guard) { // not ours: who was asked before is asked when it comes again
    ::sigaction(signal, signal == SIGSEGV ? &previousSegv : &previousBus, nullptr);
    return;
  }
  while (reported.test_and_set()) // several threads may leave the same buffer
    ::pause();
  guard->report(static_cast<const char *>(info->si_addr));
  ::_exit(1);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

void Guard::release(Region &region) {
  if (region.begin)
    ::munmap(region.begin - inaccessible, region.end - region.begin + 2 * inaccessible);
  region.begin = region.end = nullptr;
}

/// Makes room for the region's buffer.
Error Guard::reserve(Region &region) {
  int64_t size = llvm::alignTo(region.buffer.bytes, page);
  if (region.begin && region.end - region.begin >= size)
    return Error::success();
  release(region);
  void *mapping = ::mmap(nullptr, size + 2 * inaccessible, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return makeError("guarded buffers: cannot map {0} bytes: {1}", size + 2 * inaccessible,
                     llvm::sys::StrError(errno));
  region.begin = static_cast<char *>(mapping) + inaccessible;
  region.end = region.begin + size;
  if (size > 0 && ::mprotect(region.begin, size, PROT_READ | PROT_WRITE) != 0)
    return makeError("guarded buffers: cannot make {0} bytes accessible: {1}", size,
                     llvm::sys::StrError(errno));
  return Error::success();
}

/// The accessible memory at the other side of the buffer, at most a page of it.
llvm::MutableArrayRef<char> Guard::getRest(const Region &region) const {
  if (side == GuardSide::End) {
    int64_t bytes = std::min<int64_t>(page, region.copy - region.begin);
    return {region.copy - bytes, size_t(bytes)};
  }
  char *rest = region.copy + region.buffer.bytes;
  return {rest, size_t(std::min<int64_t>(page, region.end - rest))};
}

Guard::Region &Guard::findRegion(const Buffer &buffer, char *original) {
  for (Region &region : llvm::MutableArrayRef(regions).take_front(used))
    if (region.original == original) {
      region.buffer.bytes = std::max(region.buffer.bytes, buffer.bytes);
      region.buffer.isWritten |= buffer.isWritten;
      return region;
    }
  if (used == regions.size())
    regions.emplace_back();
  Region &region = regions[used++];
  region.buffer = buffer;
  region.original = original;
  return region;
}

Error Guard::fill(Region &region) {
  if (Error error = reserve(region))
    return error;
  region.copy = side == GuardSide::End ? region.end - region.buffer.bytes : region.begin;
  std::memcpy(region.copy, region.original, region.buffer.bytes);
  std::fill_n(getRest(region).begin(), getRest(region).size(), filler);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static void catchFaults(void (*handler)(int, siginfo_t *, void *)) {
  static bool caught = [&] {
    struct sigaction action = {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &action, &previousSegv);
    ::sigaction(SIGBUS, &action, &previousBus);
    return true;
  }();
  (void)caught;
}

Error Guard::enter(std::string newStep, llvm::ArrayRef<Buffer> buffers,
                   llvm::MutableArrayRef<char *> places) {
  catchFaults(handleFault);
  step = subject + newStep;
  used = 0;
  for (auto [buffer, place] : llvm::zip_equal(buffers, places))
    if (place)
      findRegion(buffer, place);
  for (Region &region : llvm::MutableArrayRef(regions).take_front(used))
    if (Error error = fill(region))
      return error;
  for (auto [buffer, place] : llvm::zip_equal(buffers, places))
    if (place)
      place = findRegion(buffer, place).copy;
  active = this;
  return Error::success();
}

Error Guard::leave() {
  active = nullptr;
  llvm::ArrayRef<Region> current = llvm::ArrayRef(regions).take_front(used);
  for (const Region &region : current) {
    const Buffer &buffer = region.buffer;
    if (!llvm::all_of(getRest(region), [](char c) { return c == filler; }))
      return makeError("{0} writes {1} its {2}", step,
                       side == GuardSide::End ? "in front of" : "behind the end of", buffer.name);
    if (!buffer.isWritten && std::memcmp(region.original, region.copy, buffer.bytes) != 0)
      return makeError("{0} writes into its {1}, which it may only read", step, buffer.name);
  }
  for (const Region &region : current)
    if (region.buffer.isWritten)
      std::memcpy(region.original, region.copy, region.buffer.bytes);
  return Error::success();
}

Guard::~Guard() {
  for (Region &region : regions)
    release(region);
}
