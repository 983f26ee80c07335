//===- RunLock.cpp - One process to a run ---------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/RunLock.h"
#include "runtime/Files.h"
#include "llvm/Support/Errno.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace vernier::runtime;

/// "process 1234 of host", as the holder of a lock wrote it.
static std::string describeHolder(const std::string &path) {
  auto text = mapFile(path);
  if (!text) {
    llvm::consumeError(text.takeError());
    return "another process";
  }
  llvm::StringRef holder = (*text)->getBuffer().trim();
  return holder.empty() ? "another process" : holder.str();
}

/// For messages only: that it cannot be written changes nothing.
static void writeHolder(int descriptor) {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  std::string text = llvm::formatv("process {0} of {1}\n", ::getpid(), host).str();
  if (::ftruncate(descriptor, 0) == 0)
    (void)!::pwrite(descriptor, text.data(), text.size(), 0);
}

Expected<RunLock> RunLock::acquire(llvm::StringRef run) {
  std::string path = (run + "/" + fileName).str();
  RunLock lock;
  lock.descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock.descriptor < 0)
    return makeError("{0}: cannot write: {1}", path, llvm::sys::StrError(errno));
  if (::flock(lock.descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      return makeError("{0}: {1} is training in it; one run has one process", run,
                       describeHolder(path));
    return makeError("{0}: cannot be locked: {1}", path, llvm::sys::StrError(errno));
  }
  writeHolder(lock.descriptor);
  return std::move(lock);
}

RunLock &RunLock::operator=(RunLock &&other) {
  std::swap(descriptor, other.descriptor);
  return *this;
}

RunLock::~RunLock() {
  if (descriptor >= 0)
    ::close(descriptor);
}
