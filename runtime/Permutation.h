//===- Permutation.h - A shuffle that needs no memory -------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_PERMUTATION_H
#define VERNIER_RUNTIME_PERMUTATION_H

#include <array>
#include <cstdint>

namespace vernier::runtime {

/// A pseudo-random permutation of 0 ... size-1, computed entry by entry: files
/// have billions of windows, and a training run starts anywhere in an epoch.
///
/// A Feistel network permutes the numbers of `2 * halfBits` bits, the fewest
/// that suffice; an image outside the range is permuted again until it falls
/// inside ("cycle walking", Black and Rogaway, 2002), which takes less than
/// four rounds on average.
class Permutation {
public:
  /// The same size and key give the same permutation. `size` is positive.
  Permutation(uint64_t size, uint64_t key);

  /// The image of `index`, which is less than the size.
  uint64_t operator()(uint64_t index) const;

private:
  uint64_t permuteBits(uint64_t index) const;

  uint64_t size;
  unsigned halfBits;
  std::array<uint64_t, 6> roundKeys;
};

/// Mixes 64 bits (the finalizer of SplitMix64, Steele et al., 2014): equal
/// steps of the input become unrelated outputs.
uint64_t mixBits(uint64_t value);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_PERMUTATION_H
