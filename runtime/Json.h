//===- Json.h - Strict reading of JSON ----------------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_RUNTIME_JSON_H
#define VERNIER_RUNTIME_JSON_H

#include "runtime/Status.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace vernier::runtime {

/// Parses JSON from a source that is not trusted. Beyond LLVM's parser, which
/// recurses without limit and lets the last of two equal keys win: nesting
/// deeper than 64 and duplicate keys are errors. `what` names the source in
/// messages ("config.json").
Expected<llvm::json::Value> parseJson(llvm::StringRef text, llvm::StringRef what);

/// The same for a file, of at most 100 MB.
Expected<llvm::json::Value> parseJsonFile(llvm::StringRef path);

} // namespace vernier::runtime

#endif // VERNIER_RUNTIME_JSON_H
