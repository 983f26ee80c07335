//===- OffsetAssignment.h - Where buffers lie that live for a while -*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_PROGRAM_OFFSETASSIGNMENT_H
#define VERNIER_LIB_PROGRAM_OFFSETASSIGNMENT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace vernier::program {

/// A buffer of so many bytes that is in use from position `first` to `last`,
/// both included.
struct Lifetime {
  int64_t bytes = 0;
  int64_t first = 0, last = 0;
};

/// An offset for each buffer such that no two that are in use at the same
/// position overlap, and the bytes that this takes in all. Offsets are
/// multiples of kBufferAlignment.
struct Placement {
  llvm::SmallVector<int64_t> offsets;
  int64_t bytes = 0;
};

/// Places the largest buffers first, each into the tightest gap that the
/// placed ones leave it, or at the end. (Best fit by decreasing size: Pisarchyk
/// and Lee, "Efficient Memory Management for Deep Neural Net Inference",
/// arXiv 2001.03288, "greedy by size".)
Placement assignOffsets(llvm::ArrayRef<Lifetime> lifetimes);

/// The most bytes in use at one position, each buffer rounded up to the
/// alignment: no placement takes less. Also gives such a position.
struct Peak {
  int64_t bytes = 0;
  int64_t position = 0;
};
Peak getPeak(llvm::ArrayRef<Lifetime> lifetimes);

} // namespace vernier::program

#endif // VERNIER_LIB_PROGRAM_OFFSETASSIGNMENT_H
