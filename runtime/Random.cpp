//===- Random.cpp - Numbers that depend on a counter only -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Random.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace vernier::runtime;

std::array<uint32_t, 4> vernier::runtime::philox(std::array<uint32_t, 4> counter,
                                                 std::array<uint32_t, 2> key) {
  // Multipliers and Weyl increments of the paper.
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53) * counter[0];
    uint64_t b = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(b >> 32) ^ counter[1] ^ key[0], uint32_t(b),
               uint32_t(a >> 32) ^ counter[3] ^ key[1], uint32_t(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

RandomSequence::RandomSequence(uint64_t seed, llvm::StringRef name) {
  uint64_t hash = llvm::xxh3_64bits(name);
  auto mixed =
      philox({uint32_t(seed), uint32_t(seed >> 32), uint32_t(hash), uint32_t(hash >> 32)}, {0, 0});
  key = {mixed[0], mixed[1]};
}

std::pair<uint64_t, uint64_t> RandomSequence::getWords(uint64_t index) const {
  auto words = philox({uint32_t(index), uint32_t(index >> 32), 0, 0}, key);
  return {uint64_t(words[1]) << 32 | words[0], uint64_t(words[3]) << 32 | words[2]};
}

std::pair<double, double> RandomSequence::getNormals(uint64_t index) const {
  auto [a, b] = getWords(index);
  double uniform = ((a >> 11) + 1) * 0x1p-53; // in (0, 1]: the logarithm is finite
  double radius = std::sqrt(-2 * std::log(uniform));
  double angle = 2 * 3.14159265358979323846 * ((b >> 11) * 0x1p-53);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}
