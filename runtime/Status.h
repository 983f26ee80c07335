//===- Status.h - How the runtime reports errors -----------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_STATUS_H
#define VERNIER_RUNTIME_STATUS_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include <utility>

namespace vernier::runtime {

// The runtime's status is LLVM's: a function that can fail returns `Error`, or
// `Expected<T>` if it gives something. A foreign error (errno, a library's code)
// is turned into one where it appears, with what it was about.
using llvm::Error;
using llvm::Expected;

/// An error with a message for the user: what it is about, what was expected,
/// what was found; starts in lower case and ends without a period. `format` is
/// that of llvm::formatv:
/// `makeError("{0}: expected {1} bytes, found {2}", path, expected, found)`.
template <typename... Args> Error makeError(const char *format, Args &&...args) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 llvm::formatv(format, std::forward<Args>(args)...).str());
}

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_STATUS_H
