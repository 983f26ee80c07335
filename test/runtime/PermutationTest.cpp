//===- PermutationTest.cpp - Shuffling without memory ---------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Permutation.h"
#include <gtest/gtest.h>
#include <set>

using namespace vernier::runtime;

TEST(Permutation, IsOneForEverySmallSize) {
  for (uint64_t size = 1; size <= 600; ++size)
    for (uint64_t key : {0ull, 1ull, 0xffffffffffffffffull}) {
      Permutation permutation(size, key);
      std::set<uint64_t> images;
      for (uint64_t i = 0; i < size; ++i)
        images.insert(permutation(i));
      ASSERT_EQ(images.size(), size);
      ASSERT_EQ(*images.rbegin(), size - 1);
    }
}

TEST(Permutation, DependsOnTheKeyAndMovesThings) {
  Permutation a(1000, 1), b(1000, 2);
  int same = 0, fixed = 0, successors = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    same += a(i) == b(i);
    fixed += a(i) == i;
    successors += i && a(i) == a(i - 1) + 1;
  }
  // Each is about 1 for random permutations.
  EXPECT_LT(same, 10);
  EXPECT_LT(fixed, 10);
  EXPECT_LT(successors, 10);
}

TEST(Permutation, SpreadsLargeRanges) {
  uint64_t size = (uint64_t(1) << 41) + 12345;
  Permutation permutation(size, 7);
  std::set<uint64_t> images;
  double sum = 0;
  for (uint64_t i = 0; i < 10000; ++i) {
    uint64_t image = permutation(i);
    ASSERT_LT(image, size);
    images.insert(image);
    sum += double(image) / double(size);
  }
  EXPECT_EQ(images.size(), 10000u);
  EXPECT_NEAR(sum / 10000, 0.5, 5 * 0.29 / 100); // five standard errors
}
