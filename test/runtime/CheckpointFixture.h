//===- CheckpointFixture.h - A run with checkpoints -------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_RUNTIME_CHECKPOINTFIXTURE_H
#define VERNIER_TEST_RUNTIME_CHECKPOINTFIXTURE_H

#include "FakeEngine.h"
#include "TestFiles.h"
#include "runtime/Checkpoint.h"

/// A folder of a run, and engines whose state is saved in it.
class Checkpoints : public testing::Test {
protected:
  /// An engine after some steps.
  void train(FakeEngine &engine, int steps) {
    vernier::runtime::Batch batch{{1, 2, 3}, {2, 3, 4}, 3};
    for (int i = 0; i < steps; ++i)
      ASSERT_TRUE(bool(engine.step({batch}, 0.1)));
  }
  std::string save(FakeEngine &engine, vernier::runtime::RunState state, int keep = 0) {
    return message(
        vernier::runtime::saveCheckpoint(run(), engine, {"graph", "steps: 5\n"}, state, keep));
  }
  std::string run() { return folder.path; }
  bool has(const std::string &name) { return llvm::sys::fs::exists(folder / name); }
  TemporaryFolder folder;
};

#endif // VERNIER_TEST_RUNTIME_CHECKPOINTFIXTURE_H
