//===- ConfigReader.cpp - Fields of a JSON object, checked ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConfigReader.h"
#include "runtime/Status.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace vernier;
using llvm::StringRef;
namespace json = llvm::json;

// Sizes of tensors index with 32 bits (token ids do), and two of them multiply
// in 64.
static constexpr int64_t maxSize = std::numeric_limits<int32_t>::max();

/// A value as in the file, cut where it is long.
static std::string print(const json::Value &value) {
  std::string text = llvm::formatv("{0}", value).str();
  // LLVM prints 0.1 as 0.10000000000000001.
  if (auto number = value.getAsNumber(); number && std::trunc(*number) != *number)
    llvm::raw_string_ostream(text = "") << llvm::format("%.15g", *number);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

bool ConfigReader::has(StringRef field) const {
  const json::Value *value = object.get(field);
  return value && value->kind() != json::Value::Null;
}

void ConfigReader::fail(std::string text) {
  if (message.empty())
    message = file + ": " + std::move(text);
}

void ConfigReader::reject(StringRef field, const llvm::Twine &expected, const llvm::Twine &found) {
  fail(llvm::formatv("field '{0}{1}': expected {2}, found {3}", prefix, field, expected.str(),
                     found.str()));
}

void ConfigReader::rejectValue(StringRef field, const llvm::Twine &expected) {
  reject(field, expected, print(*object.get(field)));
}

void ConfigReader::require(StringRef field) {
  if (!object.get(field))
    fail(llvm::formatv("field '{0}{1}' is missing", prefix, field));
}

const json::Value *ConfigReader::any(StringRef field) {
  used.insert(field);
  return object.get(field);
}

/// Null, and an error is kept, if the field is missing or null.
const json::Value *ConfigReader::find(StringRef field) {
  require(field);
  const json::Value *value = any(field);
  if (value && value->kind() == json::Value::Null)
    rejectValue(field, "a value");
  return has(field) ? value : nullptr;
}

template <typename T>
T ConfigReader::read(StringRef field, const std::optional<T> &fallback, const T &placeholder,
                     llvm::function_ref<std::optional<T>(const json::Value &)> parse,
                     const llvm::Twine &expected) {
  used.insert(field);
  if (fallback && !has(field))
    return *fallback;
  const json::Value *value = find(field);
  if (!value)
    return placeholder;
  if (std::optional<T> parsed = parse(*value))
    return *parsed;
  rejectValue(field, expected);
  return placeholder;
}

int64_t ConfigReader::size(StringRef field, std::optional<int64_t> fallback) {
  auto parse = [](const json::Value &value) {
    std::optional<int64_t> number = value.getAsInteger();
    return number && *number >= 1 && *number <= maxSize ? number : std::nullopt;
  };
  return read<int64_t>(field, fallback, 1, parse, "an integer from 1 to " + llvm::Twine(maxSize));
}

double ConfigReader::positive(StringRef field, std::optional<double> fallback) {
  auto parse = [](const json::Value &value) {
    std::optional<double> number = value.getAsNumber();
    return number && std::isfinite(*number) && *number > 0 ? number : std::nullopt;
  };
  return read<double>(field, fallback, 1, parse, "a number above 0");
}

bool ConfigReader::flag(StringRef field, std::optional<bool> fallback) {
  auto parse = [](const json::Value &value) { return value.getAsBoolean(); };
  return read<bool>(field, fallback, false, parse, "true or false");
}

std::string ConfigReader::text(StringRef field, std::optional<std::string> fallback) {
  auto parse = [](const json::Value &value) -> std::optional<std::string> {
    std::optional<StringRef> text = value.getAsString();
    return text ? std::optional<std::string>(text->str()) : std::nullopt;
  };
  return read<std::string>(field, fallback, "", parse, "a string");
}

const json::Array *ConfigReader::array(StringRef field) {
  used.insert(field);
  if (!has(field))
    return nullptr;
  const json::Array *array = object.getArray(field);
  if (!array)
    rejectValue(field, "an array");
  return array;
}

void ConfigReader::nested(StringRef field, llvm::function_ref<void(ConfigReader &)> read) {
  used.insert(field);
  if (!has(field))
    return;
  const json::Object *inner = object.getObject(field);
  if (!inner)
    return rejectValue(field, "an object");
  ConfigReader reader(*inner, file, prefix + field.str() + ".");
  read(reader);
  if (llvm::Error error = reader.finish(field)) {
    std::string text = llvm::toString(std::move(error));
    if (message.empty())
      message = text;
  }
}

llvm::Error ConfigReader::finish(StringRef format) {
  if (failed())
    return runtime::makeError("{0}", message);
  std::vector<StringRef> unused; // sorted, since the object is not
  for (const auto &field : object)
    if (!used.contains(field.first))
      unused.push_back(field.first);
  llvm::sort(unused);
  if (!unused.empty())
    return runtime::makeError("{0}: field '{1}{2}' is not known for {3}, and may change the model",
                              file, prefix, unused.front(), format);
  return llvm::Error::success();
}
