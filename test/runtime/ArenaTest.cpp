//===- ArenaTest.cpp - The one allocation a program runs in ---------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Arena.h"
#include "runtime/Memory.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace vernier::runtime;

namespace {

TEST(Arena, IsZeroAndAligned) {
  Expected<Arena> arena = Arena::allocate(10'000'000);
  ASSERT_TRUE(bool(arena));
  EXPECT_EQ(arena->size(), 10'000'000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arena->data()) % 64, 0u);
  EXPECT_TRUE(std::all_of(arena->data(), arena->data() + arena->size(),
                          [](char byte) { return byte == 0; }));
}

TEST(Arena, RefusesMoreThanTheMachineHas) {
  Expected<Arena> arena = Arena::allocate(int64_t(1) << 60, "the program");
  ASSERT_FALSE(bool(arena));
  std::string message = toString(arena.takeError());
  EXPECT_EQ(message.find("the program needs 1152.9 PB of memory, but only "), 0u) << message;
}

TEST(Arena, MovesItsMemory) {
  Expected<Arena> arena = Arena::allocate(4096);
  ASSERT_TRUE(bool(arena));
  char *data = arena->data();
  Arena other = std::move(*arena);
  EXPECT_EQ(other.data(), data);
  EXPECT_EQ(arena->data(), nullptr);
}

TEST(MemoryMeter, SeesWhatIsTouchedAndKeepsThePeak) {
  MemoryMeter meter;
  {
    Expected<Arena> arena = Arena::allocate(64 << 20);
    ASSERT_TRUE(bool(arena));
    meter.sample();
    EXPECT_LT(meter.getPeakBytes(), 16 << 20); // nothing is touched yet
    std::fill(arena->data(), arena->data() + arena->size(), 1);
    meter.sample();
  }
  meter.sample();
  EXPECT_NEAR(double(meter.getPeakBytes()), 64 << 20, 4 << 20);
}

TEST(FormatBytes, PicksTheUnit) {
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(999), "999 B");
  EXPECT_EQ(formatBytes(1500), "1.5 kB");
  EXPECT_EQ(formatBytes(999'960'000), "1.0 GB");
  EXPECT_EQ(formatBytes(17'900'000'000), "17.9 GB");
}

} // namespace
