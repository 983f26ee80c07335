//===- Files.h - Reading and writing files safely -----------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_FILES_H
#define VERNIER_RUNTIME_FILES_H

#include "runtime/Status.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <memory>

namespace vernier::runtime {

/// Whether it is there, and is a device, a pipe or a socket.
bool isStream(llvm::StringRef path);

/// An error if it is there, and is neither a file nor a folder: reading a pipe may
/// take for ever.
Error checkIsFile(llvm::StringRef path);

/// A file's contents, read-only; memory-mapped if it is large. Offsets are 64
/// bits wide.
Expected<std::unique_ptr<llvm::MemoryBuffer>> mapFile(llvm::StringRef path);

/// Stands in the names of files and folders that are written first, and renamed.
constexpr const char *temporaryInfix = ".tmp-";

/// Replaces a file by what `write` puts into the stream, or leaves it as it
/// was: the contents go to a temporary file beside it, are flushed to the disk,
/// and take the file's name in one step. A full disk is an error.
Error writeFileAtomically(llvm::StringRef path,
                          llvm::function_ref<Error(llvm::raw_ostream &)> write);
Error writeFileAtomically(llvm::StringRef path, llvm::StringRef contents);

/// Flushes a folder's list of names to the disk: without it a crash can lose a
/// file that was flushed itself.
Error syncFolder(llvm::StringRef path);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_FILES_H
