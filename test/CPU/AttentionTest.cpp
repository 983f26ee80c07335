//===- AttentionTest.cpp - Attention kernels against loops in f64 ----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionHarness.h"
#include "TestTargets.h"
#include "gtest/gtest.h"

using namespace vernier::test;

namespace {

// The largest difference, over the largest entry of what is expected.
double getError(const Floats &found, const Doubles &expected) {
  double largest = 0, error = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    double difference = std::abs(found[i] - expected[i]);
    error = std::isnan(difference) ? INFINITY : std::max(error, difference);
  }
  return largest ? error / largest : error;
}

void expectClose(const AttentionShape &shape, const ComputedAttention &found,
                 const AttentionResults &expected, double tolerance) {
  SCOPED_TRACE(printKernel(shape, false));
  EXPECT_TRUE(found.intact);
  EXPECT_LT(getError(found.output, expected.output), tolerance);
  EXPECT_LT(getError(found.logSumExp, expected.logSumExp), tolerance);
  EXPECT_LT(getError(found.queryGradient, expected.queryGradient), tolerance);
  EXPECT_LT(getError(found.keyGradient, expected.keyGradient), tolerance);
  EXPECT_LT(getError(found.valueGradient, expected.valueGradient), tolerance);
}

void check(const AttentionShape &shape, const std::string &target = "native") {
  AttentionKernel forward = compileAttention(shape, false, target);
  AttentionKernel backward = compileAttention(shape, true, target);
  ASSERT_TRUE(forward.run && backward.run);
  AttentionInputs inputs = makeInputs(shape, 7);
  expectClose(shape, runAttention(shape, inputs, forward, backward),
              computeAttention(shape, inputs), 2e-6);
}

// {batch, sequence, heads, keyHeads, headDim, causal, window, scale}: every
// length with rows left over in blocks, tiles and vectors, or none; every width
// with lanes left over, or none.
const AttentionShape kCausal[] = {
    {2, 1, 2, 1, 16, true, 0, 0.25},    {1, 5, 3, 3, 10, true, 0, 0.3},
    {2, 24, 4, 2, 12, true, 0, 0.3},    {1, 64, 6, 2, 64, true, 0, 0.125},
    {1, 65, 2, 2, 80, true, 0, 0.11},   {1, 96, 2, 1, 16, true, 0, 0.25},
    {1, 200, 2, 1, 128, true, 0, 0.09}, {2, 256, 6, 6, 64, true, 0, 0.125},
};
const AttentionShape kFull[] = {
    {1, 1, 1, 1, 64, false, 0, 0.125}, {2, 5, 4, 1, 12, false, 0, 0.3},
    {1, 65, 2, 2, 10, false, 0, 0.3},  {1, 200, 2, 1, 80, false, 0, 0.11},
    {1, 97, 3, 1, 16, false, 0, 0.25},
};
const AttentionShape kWindowed[] = {
    {1, 65, 2, 1, 16, true, 1, 0.25},    {1, 200, 2, 1, 16, true, 8, 0.25},
    {1, 200, 4, 2, 12, true, 64, 0.3},   {1, 256, 2, 2, 64, true, 100, 0.125},
    {1, 24, 2, 1, 10, true, 100, 0.3},   {1, 300, 1, 1, 16, true, 23, 0.25},
    {1, 200, 2, 1, 128, true, 17, 0.09},
};

TEST(Attention, Causal) {
  for (const AttentionShape &shape : kCausal)
    check(shape);
}

TEST(Attention, Full) {
  for (const AttentionShape &shape : kFull)
    check(shape);
}

TEST(Attention, Windowed) {
  for (const AttentionShape &shape : kWindowed)
    check(shape);
}

// Whole vectors and remainders of each target, forward and backward.
TEST(Attention, EachTarget) {
  for (const std::string &target : getRunnableTargets())
    for (const AttentionShape &shape : {kCausal[2], kCausal[4], kFull[1], kWindowed[1]}) {
      SCOPED_TRACE(target);
      check(shape, target);
    }
}
} // namespace
