//===- StatisticsOfLLVM.h - Statistics as LLVM's libraries have them ------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included before everything else in builds with assertions. Whether a statistic
// of a pass counts, and so how large it is, LLVM's header decides by NDEBUG; the
// libraries, whose code makes the object, are built with it.
//
//===----------------------------------------------------------------------===//

#ifndef NDEBUG
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#include <cassert>
#endif
