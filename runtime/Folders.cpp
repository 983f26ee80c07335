//===- Folders.cpp - Writing folders safely -------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Folders.h"
#include "runtime/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace vernier::runtime;
namespace fs = llvm::sys::fs;

/// Fills, flushes and renames the temporary folder.
static Error fillFolder(llvm::StringRef temporary, llvm::StringRef path,
                        llvm::function_ref<Error(llvm::StringRef)> write) {
  if (Error error = write(temporary))
    return error;
  if (Error error = syncFolder(temporary))
    return error;
  if (std::error_code code = fs::rename(temporary, path))
    return makeError("{0}: cannot write: {1}", path, code.message());
  llvm::StringRef parent = llvm::sys::path::parent_path(path);
  return syncFolder(parent.empty() ? "." : parent);
}

Error vernier::runtime::writeFolderAtomically(llvm::StringRef path,
                                              llvm::function_ref<Error(llvm::StringRef)> write) {
  path = path.rtrim('/');
  if (fs::exists(path))
    return makeError("{0}: exists already", path);
  std::string temporary = llvm::formatv("{0}{1}{2}", path, temporaryInfix, ::getpid()).str();
  if (std::error_code code =
          fs::create_directory(temporary, /*IgnoreExisting=*/false, fs::perms::all_all))
    return makeError("{0}: cannot write: {1}", path, code.message());
  Error error = fillFolder(temporary, path, write);
  if (error)
    (void)fs::remove_directories(temporary);
  return error;
}
