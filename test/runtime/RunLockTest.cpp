//===- RunLockTest.cpp - Two processes and one run ------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/RunLock.h"
#include "TestFiles.h"
#include <sys/wait.h>
#include <unistd.h>

using namespace vernier::runtime;

namespace {

TEST(RunLocks, TheSecondProcessIsRefused) {
  TemporaryFolder folder;
  auto lock = RunLock::acquire(folder.path);
  ASSERT_TRUE(bool(lock)) << message(lock.takeError());
  std::string expected = folder.path + ": process " + std::to_string(getpid()) + " of ";
  pid_t child = fork();
  if (child == 0) { // an inherited descriptor is the parent's lock; a new one is not
    std::string text = message(RunLock::acquire(folder.path));
    bool right = llvm::StringRef(text).starts_with(expected) &&
                 llvm::StringRef(text).ends_with("is training in it; one run has one process");
    _exit(right ? 0 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(RunLocks, AProcessThatDiesGivesItBack) {
  TemporaryFolder folder;
  pid_t child = fork();
  if (child == 0) {
    auto lock = RunLock::acquire(folder.path);
    _exit(lock ? 0 : 1); // no destructor runs
  }
  int status;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(message(RunLock::acquire(folder.path)), "");
  EXPECT_EQ(message(RunLock::acquire(folder.path)), ""); // the first is gone again
}

TEST(RunLocks, NeedAFolder) {
  TemporaryFolder folder;
  EXPECT_CONTAINS(message(RunLock::acquire(folder / "absent")), "absent/lock: cannot write: ");
}

} // namespace
