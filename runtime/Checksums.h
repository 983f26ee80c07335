//===- Checksums.h - Whether files are as they were written -----*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_CHECKSUMS_H
#define VERNIER_RUNTIME_CHECKSUMS_H

#include "runtime/Status.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace vernier::runtime {

/// XXH3 in 128 bits, as 32 hexadecimal digits. It finds every accident that
/// disks and memories have and runs at memory speed; against somebody who wants
/// to deceive it proves nothing. Algorithm: https://github.com/Cyan4973/xxHash
std::string computeChecksum(llvm::StringRef bytes);

/// A line "CHECKSUM  NAME" for each file of a folder, as `xxhsum -H2` prints
/// and checks them. The files are read back from the system.
Expected<std::string> listChecksums(llvm::StringRef folder, llvm::ArrayRef<llvm::StringRef> names);

/// An error that names the first file that is missing or differs from `list`,
/// which must be what listChecksums gave for these names. `listName` is the
/// list's own file name, for messages.
Error checkChecksums(llvm::StringRef folder, llvm::ArrayRef<llvm::StringRef> names,
                     llvm::StringRef list, llvm::StringRef listName);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_CHECKSUMS_H
