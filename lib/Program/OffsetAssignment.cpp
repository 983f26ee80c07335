//===- OffsetAssignment.cpp - Where buffers lie that live for a while --===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OffsetAssignment.h"
#include "vernier/Program/Geometry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <map>

using namespace vernier::program;

static int64_t getSpan(const Lifetime &lifetime) {
  return llvm::alignTo(lifetime.bytes, kBufferAlignment);
}

namespace {

struct Placed {
  int64_t offset, end, first, last;
};

} // namespace

// The offset of the tightest gap of `span` bytes between those of `placed`
// (ordered by offset) that are in use together with `lifetime`.
static int64_t findGap(llvm::ArrayRef<Placed> placed, const Lifetime &lifetime, int64_t span) {
  int64_t best = -1, bestGap = std::numeric_limits<int64_t>::max(), free = 0;
  for (const Placed &other : placed) {
    if (other.last < lifetime.first || lifetime.last < other.first)
      continue;
    int64_t gap = other.offset - free;
    if (gap >= span && gap < bestGap) {
      best = free;
      bestGap = gap;
    }
    free = std::max(free, other.end);
  }
  return best < 0 ? free : best;
}

Placement vernier::program::assignOffsets(llvm::ArrayRef<Lifetime> lifetimes) {
  auto order = llvm::to_vector(llvm::seq<size_t>(0, lifetimes.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(-getSpan(lifetimes[a]), a) < std::pair(-getSpan(lifetimes[b]), b);
  });
  Placement placement;
  placement.offsets.resize(lifetimes.size());
  llvm::SmallVector<Placed, 0> placed;
  for (size_t index : order) {
    const Lifetime &lifetime = lifetimes[index];
    int64_t span = getSpan(lifetime);
    int64_t offset = findGap(placed, lifetime, span);
    placement.offsets[index] = offset;
    placement.bytes = std::max(placement.bytes, offset + span);
    auto after = llvm::upper_bound(
        placed, offset, [](int64_t value, const Placed &other) { return value < other.offset; });
    placed.insert(after, {offset, offset + span, lifetime.first, lifetime.last});
  }
  return placement;
}

Peak vernier::program::getPeak(llvm::ArrayRef<Lifetime> lifetimes) {
  std::map<int64_t, int64_t> changes;
  for (const Lifetime &lifetime : lifetimes) {
    changes[lifetime.first] += getSpan(lifetime);
    changes[lifetime.last + 1] -= getSpan(lifetime);
  }
  Peak peak;
  int64_t bytes = 0;
  for (auto [position, change] : changes) {
    bytes += change;
    if (bytes > peak.bytes)
      peak = {bytes, position};
  }
  return peak;
}
