//===- Random.h - Numbers that depend on a counter only ----------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_RANDOM_H
#define VERNIER_RUNTIME_RANDOM_H

#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <utility>

namespace vernier::runtime {

/// Philox4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3,
/// SC 2011): four words of a counter and two of a key give four random words.
/// There is no state, so any thread may compute any part of a sequence.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// A sequence of random numbers, one for each (seed, name).
class RandomSequence {
public:
  RandomSequence(uint64_t seed, llvm::StringRef name);

  /// Entry `index`: two 64-bit words.
  std::pair<uint64_t, uint64_t> getWords(uint64_t index) const;

  /// Entry `index`: two independent numbers of the standard normal
  /// distribution (Box and Muller 1958), in f64.
  std::pair<double, double> getNormals(uint64_t index) const;

private:
  std::array<uint32_t, 2> key;
};

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_RANDOM_H
