//===- ConfigReader.h - Fields of a JSON object, checked --------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_LIB_IMPORT_CONFIGREADER_H
#define VERNIER_LIB_IMPORT_CONFIGREADER_H

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>

namespace vernier {

/// Reads the fields of a JSON object, checks their types and ranges, and knows
/// in the end which ones nobody asked for. The first error is kept and given by
/// `finish`; until then the readers return something harmless, so that the code
/// that reads a format is a list of its fields. A field that is null counts as
/// missing. The object must outlive the reader.
class ConfigReader {
public:
  /// `file` begins each message; `prefix` ("rope_scaling.") goes before the
  /// names of fields in it.
  ConfigReader(const llvm::json::Object &object, std::string file, std::string prefix = "")
      : object(object), file(std::move(file)), prefix(std::move(prefix)) {}

  /// Whether the field is there and not null.
  bool has(llvm::StringRef field) const;

  /// Whether something has read the field.
  bool isUsed(llvm::StringRef field) const { return used.contains(field); }

  /// Fails if the field is not there; null is a value.
  void require(llvm::StringRef field);

  // Each has a fallback for a missing field; without one the field is required.
  /// An integer from 1 to 2^31 - 1.
  int64_t size(llvm::StringRef field, std::optional<int64_t> fallback = std::nullopt);
  /// A finite number above 0.
  double positive(llvm::StringRef field, std::optional<double> fallback = std::nullopt);
  bool flag(llvm::StringRef field, std::optional<bool> fallback = std::nullopt);
  std::string text(llvm::StringRef field, std::optional<std::string> fallback = std::nullopt);

  /// The field's elements; null if it is missing or null.
  const llvm::json::Array *array(llvm::StringRef field);

  /// Reads a nested object: `read` gets a reader of its own, whose error is kept.
  void nested(llvm::StringRef field, llvm::function_ref<void(ConfigReader &)> read);

  /// The field's value whatever it is; null if it is not there.
  const llvm::json::Value *any(llvm::StringRef field);

  /// Keeps an error about a field: "config.json: field 'x': expected ..., found ...".
  void reject(llvm::StringRef field, const llvm::Twine &expected, const llvm::Twine &found);
  void rejectValue(llvm::StringRef field, const llvm::Twine &expected);
  bool failed() const { return !message.empty(); }

  /// The first error, or one about a field that nobody read.
  llvm::Error finish(llvm::StringRef format);

private:
  const llvm::json::Value *find(llvm::StringRef field);
  /// The field as `parse` understands it, or the fallback where it is absent;
  /// `placeholder` after a failure, which is recorded.
  template <typename T>
  T read(llvm::StringRef field, const std::optional<T> &fallback, const T &placeholder,
         llvm::function_ref<std::optional<T>(const llvm::json::Value &)> parse,
         const llvm::Twine &expected);
  void fail(std::string text);

  const llvm::json::Object &object;
  std::string file, prefix, message;
  llvm::StringSet<> used;
};

} // namespace vernier

#endif // VERNIER_LIB_IMPORT_CONFIGREADER_H
