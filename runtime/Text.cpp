//===- Text.cpp - Numbers and names in messages ---------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Text.h"
#include <cstdio>
#include <cstdlib>

std::string vernier::runtime::formatNumber(double value) {
  char text[32];
  for (int digits : {6, 15, 16, 17}) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value)
      break;
  }
  return text;
}

llvm::StringRef vernier::runtime::findNearest(llvm::StringRef name,
                                              llvm::ArrayRef<llvm::StringRef> candidates) {
  llvm::StringRef best;
  unsigned bestDistance = name.size() / 2 + 2; // beyond this nothing looks alike
  for (llvm::StringRef candidate : candidates) {
    unsigned distance = name.edit_distance(candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}
