//===- CheckpointTest.cpp - Saving, crashing, loading ---------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Checkpoint.h"
#include "CheckpointFixture.h"
#include <csignal>
#include <sys/resource.h>

using namespace vernier::runtime;
namespace fs = llvm::sys::fs;

namespace {

TEST_F(Checkpoints, LoadsWhatItSaved) {
  FakeEngine engine, other;
  train(engine, 3);
  uint64_t cursor = 0xfedcba9876543210; // all 64 bits
  ASSERT_EQ(save(engine, {3, cursor, "", ""}), "");
  auto checkpoint = openCheckpoint(run());
  ASSERT_TRUE(bool(checkpoint)) << message(checkpoint.takeError());
  EXPECT_EQ(checkpoint->folder, folder / "step-000003");
  EXPECT_EQ(checkpoint->state.step, 3);
  EXPECT_EQ(checkpoint->state.cursor, cursor);
  EXPECT_EQ(*checkpoint->readGraph(), "graph");
  ASSERT_EQ(message(loadWeights(run(), other)), "");
  ASSERT_EQ(message(loadOptimizer(*checkpoint, other)), "");
  for (int i : {0, 1, 2})
    EXPECT_EQ(other.state[i], engine.state[i]);
  EXPECT_EQ(other.steps, engine.steps);
  EXPECT_EQ(other.changes, 1);
}

TEST_F(Checkpoints, KeepsTheNewest) {
  FakeEngine engine;
  for (int step : {9, 10, 11})
    ASSERT_EQ(save(engine, {step, 0, "", ""}, 2), "");
  EXPECT_FALSE(has("step-000009"));
  EXPECT_TRUE(has("step-000010"));
  EXPECT_TRUE(has("step-000011"));
  // One that was resumed from an older checkpoint is not removed.
  ASSERT_EQ(save(engine, {3, 0, "", ""}, 1), "");
  EXPECT_TRUE(has("step-000003"));
  EXPECT_EQ(openCheckpoint(run())->state.step, 3);
}

TEST_F(Checkpoints, AFullDiskLeavesTheOldOne) {
  FakeEngine engine;
  ASSERT_EQ(save(engine, {1, 0, "", ""}), "");
  ASSERT_FALSE(fs::create_directory(folder / ".tmp-step-000002"));
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit limit{100, before.rlim_max};
  auto handler = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  std::string text = save(engine, {2, 0, "", ""});
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_CONTAINS(text, "model.safetensors: cannot write: File too large");
  EXPECT_FALSE(has(".tmp-step-000002"));
  EXPECT_EQ(openCheckpoint(run())->state.step, 1);
}

TEST_F(Checkpoints, SaysWhatIsNone) {
  EXPECT_CONTAINS(message(openCheckpoint(run())), "found no latest or state.json in it");
  folder.write("latest", "step-000001\n");
  EXPECT_CONTAINS(message(openCheckpoint(run())), "found no checkpoint that latest names in it");
  folder.write("latest", "../x\n");
  EXPECT_CONTAINS(message(openCheckpoint(run())), "latest: expected the name of a checkpoint");
  (void)fs::remove(folder / "latest");
  folder.write("state.json", R"({"version": 2, "step": 1, "cursor": 0})");
  EXPECT_CONTAINS(message(openCheckpoint(run())), "expected version 1, found 2");
  folder.write("state.json", R"({"version": 1, "step": -1, "cursor": 0})");
  EXPECT_CONTAINS(message(openCheckpoint(run())),
                  "expected version, step, cursor, data, engine and written_by");
}

TEST_F(Checkpoints, NamesTensorsThatAreMissing) {
  FakeEngine engine, other;
  ASSERT_EQ(save(engine, {1, 0, "", ""}), "");
  other.parameters[1].name = "other.bias";
  EXPECT_CONTAINS(message(loadWeights(run(), other)), "missing: 'other.bias'");
  EXPECT_CONTAINS(message(loadOptimizer(*openCheckpoint(run()), other)),
                  "optimizer.safetensors: no tensor 'first_moment.other.bias'");
}

} // namespace
