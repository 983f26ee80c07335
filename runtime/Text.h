//===- Text.h - Numbers and names in messages ---------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_TEXT_H
#define VERNIER_RUNTIME_TEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace vernier::runtime {

/// The shortest decimal number that reads back as the same double.
std::string formatNumber(double value);

/// The candidate that `name` was most likely meant to be; empty if none is close.
llvm::StringRef findNearest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_TEXT_H
