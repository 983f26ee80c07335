//===- TestFiles.h - Temporary files for tests --------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_RUNTIME_TESTFILES_H
#define VERNIER_TEST_RUNTIME_TESTFILES_H

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

/// A folder that is removed at the end.
class TemporaryFolder {
public:
  TemporaryFolder() {
    // In memory if possible, where flushing costs nothing.
    for (const char *place : {"/dev/shm/vernier-test-XXXXXX", "/tmp/vernier-test-XXXXXX"}) {
      std::string name = place;
      if (path.empty() && ::mkdtemp(name.data()))
        path = name;
    }
    EXPECT_NE(path, "");
  }
  ~TemporaryFolder() { (void)llvm::sys::fs::remove_directories(path); }

  std::string operator/(llvm::StringRef name) const { return path + "/" + name.str(); }

  /// Writes a file and gives its path.
  std::string write(llvm::StringRef name, llvm::StringRef contents) const {
    std::error_code code;
    llvm::raw_fd_ostream stream(*this / name, code);
    EXPECT_FALSE(code);
    stream << contents;
    return *this / name;
  }

  std::string path;
};

/// The message of an Error or Expected, "" if there is none.
inline std::string message(llvm::Error error) { return llvm::toString(std::move(error)); }
template <typename T> std::string message(llvm::Expected<T> value) {
  return value ? "" : llvm::toString(value.takeError());
}

/// The bytes of values, as a file would hold them.
template <typename T> std::string bytes(std::initializer_list<T> values) {
  return {reinterpret_cast<const char *>(values.begin()), values.size() * sizeof(T)};
}

#define EXPECT_CONTAINS(text, part)                                                                \
  EXPECT_NE((text).find(part), std::string::npos) << "message: " << (text)

#endif // VERNIER_TEST_RUNTIME_TESTFILES_H
