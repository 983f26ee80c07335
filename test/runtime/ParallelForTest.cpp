//===- ParallelForTest.cpp - Loops over the threads of OpenMP -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ParallelFor.h"
#include "gtest/gtest.h"
#include <atomic>
#include <set>
#include <thread>
#include <vector>

using namespace vernier::runtime;

namespace {

class ParallelFor : public testing::TestWithParam<std::tuple<int, Schedule>> {};

TEST_P(ParallelFor, VisitsEachIndexOnce) {
  auto [threads, schedule] = GetParam();
  ThreadTeam team(threads);
  for (int64_t count : {0, 1, 2, 3, 7, 100, 5000}) {
    std::vector<std::atomic<int>> visits(count);
    team.parallelFor(
        count,
        [&](int64_t index, int thread) {
          EXPECT_GE(thread, 0);
          EXPECT_LT(thread, team.size());
          visits[index]++;
        },
        schedule);
    for (int64_t i = 0; i < count; ++i)
      EXPECT_EQ(visits[i], 1) << "index " << i << " of " << count;
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelFor,
                         testing::Combine(testing::Values(1, 2, 3, 4),
                                          testing::Values(Schedule::Dynamic, Schedule::Static)));

TEST(ThreadTeam, RunsOnAsManyThreadsAsItHas) {
  ThreadTeam team(4);
  std::vector<std::thread::id> ids(4);
  team.parallelFor(
      4, [&](int64_t index, int) { ids[index] = std::this_thread::get_id(); }, Schedule::Static);
  EXPECT_EQ(std::set<std::thread::id>(ids.begin(), ids.end()).size(), 4u);
}

TEST(ThreadTeam, RunsASingleIndexOnTheCallingThread) {
  ThreadTeam team(4);
  std::thread::id id;
  team.parallelFor(1, [&](int64_t, int) { id = std::this_thread::get_id(); });
  EXPECT_EQ(id, std::this_thread::get_id());
}

TEST(ThreadTeam, TakesAllCoresWhenNotTold) { EXPECT_GE(ThreadTeam().size(), 1); }

} // namespace
