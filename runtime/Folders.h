//===- Folders.h - Writing folders safely -------------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_FOLDERS_H
#define VERNIER_RUNTIME_FOLDERS_H

#include "runtime/Status.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace vernier::runtime {

/// Makes a folder of what `write` puts into it, or nothing: a temporary folder
/// beside it is filled, flushed to the disk and renamed. A path that exists is
/// an error.
Error writeFolderAtomically(llvm::StringRef path,
                            llvm::function_ref<Error(llvm::StringRef folder)> write);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_FOLDERS_H
