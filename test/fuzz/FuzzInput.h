//===- FuzzInput.h - What the fuzz targets share ----------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_FUZZ_FUZZINPUT_H
#define VERNIER_TEST_FUZZ_FUZZINPUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace vernier::fuzz {

inline llvm::StringRef toText(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// A file in memory that holds one input after another.
class InputFile {
public:
  /// The path of a file with these contents, the same each time.
  const std::string &write(llvm::StringRef contents) {
    if (::ftruncate(descriptor, 0) != 0 ||
        ::pwrite(descriptor, contents.data(), contents.size(), 0) != ssize_t(contents.size()))
      std::abort();
    return path;
  }

private:
  int descriptor = ::memfd_create("input", 0);
  std::string path = "/proc/self/fd/" + std::to_string(descriptor);
};

/// An error must have a message of one line and be about something: the promise of
/// every parser here.
inline void expectMessage(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  if (text.empty())
    std::abort();
}

/// Whether there is a value; if not, its error must have a message.
template <typename T> bool succeeds(llvm::Expected<T> &value) {
  if (value)
    return true;
  expectMessage(value.takeError());
  return false;
}

} // namespace vernier::fuzz

#endif // VERNIER_TEST_FUZZ_FUZZINPUT_H
