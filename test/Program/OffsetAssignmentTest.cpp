//===- OffsetAssignmentTest.cpp - Placements against a naive check -------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Program/OffsetAssignment.h"
#include <gtest/gtest.h>
#include <random>

using namespace vernier::program;

// No two buffers that are in use at one position share a byte.
static void expectValid(const std::vector<Lifetime> &lifetimes, const Placement &placement) {
  ASSERT_EQ(placement.offsets.size(), lifetimes.size());
  for (size_t a = 0; a < lifetimes.size(); ++a) {
    EXPECT_EQ(placement.offsets[a] % 64, 0);
    EXPECT_GE(placement.offsets[a], 0);
    EXPECT_LE(placement.offsets[a] + lifetimes[a].bytes, placement.bytes);
    for (size_t b = 0; b < a; ++b) {
      bool together =
          lifetimes[a].first <= lifetimes[b].last && lifetimes[b].first <= lifetimes[a].last;
      bool overlap = placement.offsets[a] < placement.offsets[b] + lifetimes[b].bytes &&
                     placement.offsets[b] < placement.offsets[a] + lifetimes[a].bytes;
      EXPECT_FALSE(together && overlap) << a << " and " << b;
    }
  }
}

TEST(OffsetAssignment, NeighboursInTimeShareAndOverlappingOnesDoNot) {
  std::vector<Lifetime> lifetimes = {{100, 0, 1}, {100, 2, 3}, {100, 1, 2}};
  Placement placement = assignOffsets(lifetimes);
  expectValid(lifetimes, placement);
  EXPECT_EQ(placement.offsets[0], placement.offsets[1]);
  EXPECT_EQ(placement.bytes, 2 * 128);
}

TEST(OffsetAssignment, AReaderAndAWriterAtOnePositionDoNotShare) {
  std::vector<Lifetime> lifetimes = {{64, 0, 1}, {64, 1, 2}};
  expectValid(lifetimes, assignOffsets(lifetimes));
  EXPECT_EQ(assignOffsets(lifetimes).bytes, 128);
}

TEST(OffsetAssignment, TheTightestGapIsTaken) {
  // At position 1, gaps of 128 and of 64 bytes lie free; 64 bytes go to the second.
  std::vector<Lifetime> lifetimes = {{640, 0, 2}, {128, 0, 0}, {512, 0, 2},
                                     {64, 0, 0},  {448, 0, 2}, {64, 1, 2}};
  Placement placement = assignOffsets(lifetimes);
  expectValid(lifetimes, placement);
  EXPECT_EQ(placement.bytes, getPeak(lifetimes).bytes);
}

TEST(OffsetAssignment, RandomLifetimes) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> lifetimes;
    for (unsigned i = 0, n = random() % 60; i < n; ++i) {
      int64_t first = random() % 40;
      lifetimes.push_back({1 + int64_t(random() % 1000), first, first + int64_t(random() % 12)});
    }
    Placement placement = assignOffsets(lifetimes);
    expectValid(lifetimes, placement);
    EXPECT_GE(placement.bytes, getPeak(lifetimes).bytes);
  }
}

TEST(OffsetAssignment, ThePeakIsWhereMostIsInUse) {
  std::vector<Lifetime> lifetimes = {{64, 0, 3}, {65, 2, 5}, {64, 4, 5}};
  Peak peak = getPeak(lifetimes);
  EXPECT_EQ(peak.bytes, 64 + 128);
  EXPECT_EQ(peak.position, 2);
  EXPECT_EQ(getPeak({}).bytes, 0);
}
