//===- Files.cpp - Reading and writing files safely -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <unistd.h>

using namespace vernier::runtime;

Expected<std::unique_ptr<llvm::MemoryBuffer>> vernier::runtime::mapFile(llvm::StringRef path) {
  if (llvm::sys::fs::is_directory(path))
    return makeError("{0}: expected a file, found a folder", path);
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      status.type() == llvm::sys::fs::file_type::character_file) // may have no end
    return makeError("{0}: expected a file, found a device", path);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError("{0}: cannot read: {1}", path, buffer.getError().message());
  return std::move(*buffer);
}

/// Writes, flushes to the disk, closes; the file may be incomplete on errors.
static Error writeAndSync(int descriptor, llvm::StringRef path,
                          llvm::function_ref<Error(llvm::raw_ostream &)> write) {
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  Error error = write(stream);
  stream.flush();
  bool synced = !stream.has_error() && ::fsync(descriptor) == 0;
  std::error_code reason =
      stream.has_error() ? stream.error() : std::error_code(errno, std::generic_category());
  stream.close();
  if (synced && stream.has_error()) {
    synced = false;
    reason = stream.error();
  }
  stream.clear_error(); // reported here; the destructor would end the program
  if (error)
    return error;
  if (!synced)
    return makeError("{0}: cannot write: {1}", path, reason.message());
  return Error::success();
}

bool vernier::runtime::isStream(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  return !llvm::sys::fs::status(path, status) && llvm::sys::fs::exists(status) &&
         status.type() != llvm::sys::fs::file_type::regular_file &&
         status.type() != llvm::sys::fs::file_type::directory_file;
}

Error vernier::runtime::checkIsFile(llvm::StringRef path) {
  return isStream(path) ? makeError("{0}: expected a file, found a pipe or a device", path)
                        : Error::success();
}

/// What cannot be replaced as a file can: written as far as it goes.
static Error writeStream(llvm::StringRef path,
                         llvm::function_ref<Error(llvm::raw_ostream &)> write) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::FA_Write,
                              llvm::sys::fs::OF_None);
  if (code)
    return makeError("{0}: cannot write: {1}", path, code.message());
  Error error = write(stream);
  stream.close();
  if (!error && stream.has_error())
    error = makeError("{0}: cannot write: {1}", path, stream.error().message());
  stream.clear_error(); // reported here; the destructor would end the program
  return error;
}

Error vernier::runtime::writeFileAtomically(llvm::StringRef link,
                                            llvm::function_ref<Error(llvm::raw_ostream &)> write) {
  if (isStream(link))
    return writeStream(link, write);
  llvm::SmallString<256> resolved(link);
  if (llvm::sys::fs::is_symlink_file(link)) // which stays
    if (std::error_code code = llvm::sys::fs::real_path(link, resolved))
      return makeError("{0}: cannot write: {1}", link, code.message());
  llvm::StringRef path = resolved;
  llvm::SmallString<256> temporary;
  int descriptor = -1;
  if (std::error_code code = llvm::sys::fs::createUniqueFile(
          path + temporaryInfix + "%%%%%%%%", descriptor, temporary, llvm::sys::fs::OF_None, 0644))
    return makeError("{0}: cannot write: {1}", path, code.message());
  Error error = writeAndSync(descriptor, path, write);
  if (!error)
    if (std::error_code code = llvm::sys::fs::rename(temporary, path))
      error = makeError("{0}: cannot write: {1}", path, code.message());
  if (error) {
    (void)llvm::sys::fs::remove(temporary);
    return error;
  }
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  return syncFolder(folder.empty() ? "." : folder);
}

Error vernier::runtime::writeFileAtomically(llvm::StringRef path, llvm::StringRef contents) {
  return writeFileAtomically(path, [&](llvm::raw_ostream &stream) -> Error {
    stream << contents;
    return Error::success();
  });
}

Error vernier::runtime::syncFolder(llvm::StringRef path) {
  int descriptor = ::open(path.str().c_str(), O_RDONLY | O_DIRECTORY);
  // Some file systems cannot flush folders, and say EINVAL.
  bool failed = descriptor < 0 || (::fsync(descriptor) != 0 && errno != EINVAL);
  std::error_code reason(errno, std::generic_category());
  if (descriptor >= 0)
    ::close(descriptor);
  if (failed)
    return makeError("{0}: cannot flush the folder: {1}", path, reason.message());
  return Error::success();
}
