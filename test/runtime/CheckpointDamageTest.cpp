//===- CheckpointDamageTest.cpp - Checkpoints that are not as written -----===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckpointFixture.h"
#include "runtime/Checksums.h"
#include "runtime/Files.h"
#include "runtime/Safetensors.h"

using namespace vernier::runtime;
namespace fs = llvm::sys::fs;

namespace {

/// A run with two good checkpoints, the second of which is then damaged.
class Damage : public Checkpoints {
protected:
  Damage() {
    train(engine, 1);
    EXPECT_EQ(save(engine, {1, 0, "", ""}), "");
    train(engine, 1);
    EXPECT_EQ(save(engine, {2, 0, "", ""}), "");
  }

  std::string read(llvm::StringRef name) {
    auto contents = mapFile(folder / name);
    EXPECT_TRUE(bool(contents));
    return (*contents)->getBuffer().str();
  }

  /// Whether the run is refused with the name of the file, and the good one is
  /// offered; whether its checkpoint is never loaded, even in part.
  void expectRefused(const std::string &name) {
    std::string text = message(openCheckpoint(run()));
    EXPECT_CONTAINS(text, "/" + llvm::sys::path::filename(name).str() + ": ");
    EXPECT_CONTAINS(text, "; the newest good checkpoint is " + (folder / "step-000001"));
    FakeEngine other;
    EXPECT_NE(message(loadWeights(run(), other)), "");
    EXPECT_EQ(other.state[0][0], std::vector<float>(6));
    EXPECT_EQ(other.changes, 0);
  }

  FakeEngine engine;
  const std::vector<std::string> files = {
      "step-000002/checksums.txt",     "step-000002/model.mlir",
      "step-000002/model.safetensors", "step-000002/optimizer.safetensors",
      "step-000002/recipe.yaml",       "step-000002/state.json"};
};

TEST(Checksums, AreXxh3) {
  // As `xxhsum -H2` prints them.
  EXPECT_EQ(computeChecksum(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(computeChecksum("a"), "a96faf705af16834e6c632b61e964e1f");
}

TEST_F(Damage, EachByteIsMissed) {
  for (const std::string &name : files) {
    std::string good = read(name);
    for (size_t i = 0; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] ^= 1 << (i % 8);
      folder.write(name, bad);
      expectRefused(name);
      ASSERT_FALSE(HasFailure()) << name << ", byte " << i;
    }
    folder.write(name, good);
    ASSERT_EQ(message(openCheckpoint(run())), "");
  }
}

TEST_F(Damage, EachByteOfThePointer) {
  std::string good = read("latest");
  for (size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] ^= 1 << bit;
      folder.write("latest", bad);
      // Either the name or the checksum is wrong; step 1 is never taken for step 2.
      std::string text = message(openCheckpoint(run()));
      EXPECT_CONTAINS(text, "the newest good checkpoint is " + (folder / "step-000002"));
      ASSERT_FALSE(HasFailure()) << "byte " << i << ", bit " << bit;
    }
}

TEST_F(Damage, EachLengthOfSmallFiles) {
  for (const std::string &name : files) {
    std::string good = read(name);
    for (size_t size = 0; size < good.size(); ++size) {
      folder.write(name, llvm::StringRef(good).take_front(size));
      expectRefused(name);
      ASSERT_FALSE(HasFailure()) << name << ", " << size << " bytes";
    }
    folder.write(name, good + "\n");
    expectRefused(name);
    (void)fs::remove(folder / name);
    expectRefused(name);
    folder.write(name, good);
  }
}

TEST_F(Damage, OneByteOfALargeFile) {
  constexpr int64_t entries = 8 << 20;
  engine.parameters[0].shape = {entries};
  for (FakeEngine::Arrays &arrays : engine.state)
    arrays[0].assign(entries, 0.5f);
  ASSERT_EQ(save(engine, {3, 0, "", ""}), "");
  ASSERT_EQ(message(openCheckpoint(run())), "");
  for (const char *name : {"step-000003/model.safetensors", "step-000003/optimizer.safetensors"}) {
    std::string good = read(name);
    std::string bad = good;
    bad[good.size() / 2] ^= 1;
    folder.write(name, bad);
    EXPECT_CONTAINS(message(openCheckpoint(run())),
                    "the newest good checkpoint is " + (folder / "step-000002"));
    folder.write(name, good);
  }
}

TEST_F(Damage, KeepCountsGoodOnes) {
  folder.write("step-000002/model.mlir", "damaged");
  ASSERT_EQ(save(engine, {3, 0, "", ""}, 2), "");
  EXPECT_TRUE(has("step-000001")); // the second of the good ones
  EXPECT_TRUE(has("step-000002")); // not ours to judge
  ASSERT_EQ(save(engine, {4, 0, "", ""}, 2), "");
  EXPECT_TRUE(has("step-000003"));
  EXPECT_FALSE(has("step-000002"));
  EXPECT_FALSE(has("step-000001"));
}

TEST_F(Damage, AStepIsSavedAgainIfItsCheckpointIsDamaged) {
  folder.write("step-000002/model.mlir", "damaged");
  ASSERT_EQ(save(engine, {2, 0, "", ""}), "");
  EXPECT_EQ(openCheckpoint(run())->state.step, 2);
}

TEST_F(Damage, AnOlderOneMayBecomeTheLatest) {
  auto older = openCheckpoint(folder / "step-000001");
  ASSERT_TRUE(bool(older));
  ASSERT_EQ(message(makeLatest(*older)), "");
  EXPECT_EQ(openCheckpoint(run())->state.step, 1);
  train(engine, 1);
  ASSERT_EQ(save(engine, {2, 7, "", ""}, 1), ""); // another step 2 takes the place of the first
  EXPECT_EQ(openCheckpoint(run())->state.cursor, 7u);
}

} // namespace
