//===- CheckpointFaultTest.cpp - Saves that die or fail on the way --------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckpointFixture.h"
#include "SystemCallFault.h"

using namespace vernier::runtime;
namespace fs = llvm::sys::fs;

namespace {

/// A run with the checkpoint of step 1, in which the save of step 2 meets one
/// fault after another.
class SaveFaults : public Checkpoints {
protected:
  SaveFaults() {
    train(old, 1);
    train(newer, 2);
  }

  /// Saves step 2 with a fault at a system call, in a process of its own, which
  /// exits with 1 if the save says that it failed.
  FaultResult saveWithFault(Fault fault, int count) {
    (void)fs::remove_directories(run());
    (void)fs::create_directory(run());
    EXPECT_EQ(save(old, {1, 0, "", ""}), "");
    return runWithFault(fault, count,
                        [&] { return save(newer, {2, 0, "", ""}, 1).empty() ? 0 : 1; });
  }

  /// Whatever happened, one of the two can be loaded, whole. Gives its step.
  int64_t loadLatest() {
    auto checkpoint = openCheckpoint(run());
    if (!checkpoint) {
      ADD_FAILURE() << message(checkpoint.takeError());
      return 0;
    }
    FakeEngine loaded;
    EXPECT_EQ(message(loadWeights(run(), loaded)), "");
    EXPECT_EQ(message(loadOptimizer(*checkpoint, loaded)), "");
    FakeEngine &expected = checkpoint->state.step == 2 ? newer : old;
    for (int i : {0, 1, 2})
      EXPECT_EQ(loaded.state[i], expected.state[i]);
    return checkpoint->state.step;
  }

  /// What a fault left is no hindrance.
  void saveAgain() {
    EXPECT_EQ(save(newer, {2, 0, "", ""}, 1), "");
    EXPECT_EQ(loadLatest(), 2);
    EXPECT_FALSE(has("step-000001"));
    EXPECT_FALSE(has(".tmp-step-000002"));
  }

  FakeEngine old, newer;
};

TEST_F(SaveFaults, SurvivesAKillAtEverySystemCall) {
  int saw[3] = {0, 0, 0}; // by the step that is there after a kill
  for (int count = 1;; ++count) {
    FaultResult result = saveWithFault(Fault::Kill, count);
    if (result == FaultResult::NotAllowed)
      GTEST_SKIP() << "this process may not trace its children";
    ++saw[loadLatest()];
    saveAgain();
    ASSERT_FALSE(HasFailure()) << "killed at call " << count;
    if (result != FaultResult::Killed)
      break;
  }
  EXPECT_GT(saw[1], 50);
  EXPECT_GT(saw[2], 10);
  RecordProperty("kills", saw[1] + saw[2] - 1);
}

/// A save that says it succeeded did; one that says it failed left what was
/// there before (or died between moving the pointer and tidying up).
TEST_F(SaveFaults, SurvivesAnErrorOfEverySystemCall) {
  for (Fault fault : {Fault::NoSpace, Fault::IoError}) {
    int failures = 0, successes = 0;
    for (int count = 1;; ++count) {
      FaultResult result = saveWithFault(fault, count);
      if (result == FaultResult::NotAllowed)
        GTEST_SKIP() << "this process may not trace its children";
      if (result == FaultResult::NoSuchCall)
        break;
      ASSERT_NE(result, FaultResult::Killed) << "call " << count;
      int64_t step = loadLatest();
      if (result == FaultResult::Succeeded)
        EXPECT_EQ(step, 2);
      ++(result == FaultResult::Failed ? failures : successes);
      saveAgain();
      ASSERT_FALSE(HasFailure()) << "error at call " << count;
    }
    EXPECT_GT(failures, 30);
    EXPECT_GT(successes, 0); // tidying up may fail
  }
}

TEST_F(SaveFaults, ShortWritesAreContinued) {
  int writes = 0;
  for (int count = 1;; ++count) {
    FaultResult result = saveWithFault(Fault::ShortWrite, count);
    if (result == FaultResult::NotAllowed)
      GTEST_SKIP() << "this process may not trace its children";
    if (result == FaultResult::NoSuchCall)
      break;
    ASSERT_EQ(result, FaultResult::Succeeded) << "write " << count;
    ASSERT_EQ(loadLatest(), 2) << "write " << count;
    ++writes;
  }
  EXPECT_GE(writes, 7); // five files, their checksums, the pointer
}

} // namespace
