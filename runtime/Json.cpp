//===- Json.cpp - Strict reading of JSON ----------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Json.h"
#include "runtime/Files.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

using namespace vernier::runtime;

static constexpr size_t maxDepth = 64;
static constexpr size_t maxBytes = 100'000'000;

namespace {
/// Walks over the text's brackets and strings. What is no JSON at all is left
/// to the parser to complain about.
class NestingCheck {
public:
  NestingCheck(llvm::StringRef text, llvm::StringRef what) : text(text), what(what) {}

  Error run() {
    for (position = 0; position < text.size(); ++position)
      if (Error error = visit(text[position]))
        return error;
    return Error::success();
  }

private:
  struct Container {
    bool isObject;
    bool expectsKey;
    llvm::StringSet<> keys;
  };

  Error visit(char c) {
    if (c == '{' || c == '[') {
      if (containers.size() == maxDepth)
        return makeError("{0}: nested deeper than {1} levels", what, maxDepth);
      containers.push_back({c == '{', c == '{', {}});
    } else if ((c == '}' || c == ']') && !containers.empty()) {
      containers.pop_back();
    } else if (c == ',' && !containers.empty()) {
      containers.back().expectsKey = containers.back().isObject;
    } else if (c == '"') {
      return visitString();
    }
    return Error::success();
  }

  Error visitString() {
    size_t begin = position++;
    while (position < text.size() && text[position] != '"')
      position += text[position] == '\\' ? 2 : 1;
    bool terminated = position < text.size();
    if (!terminated || containers.empty() || !containers.back().expectsKey)
      return Error::success();
    containers.back().expectsKey = false;
    std::string key = decode(text.slice(begin, position + 1));
    if (!containers.back().keys.insert(key).second)
      return makeError("{0}: duplicate key '{1}'", what, key);
    return Error::success();
  }

  /// The string of a literal: "\u0061" and "a" are the same key.
  static std::string decode(llvm::StringRef literal) {
    if (literal.contains('\\')) {
      if (auto value = llvm::json::parse(literal))
        return value->getAsString().value_or(literal).str();
      else
        llvm::consumeError(value.takeError());
    }
    return literal.drop_front().drop_back().str();
  }

  llvm::StringRef text, what;
  size_t position = 0;
  std::vector<Container> containers;
};
} // namespace

Expected<llvm::json::Value> vernier::runtime::parseJson(llvm::StringRef text,
                                                        llvm::StringRef what) {
  if (Error error = NestingCheck(text, what).run())
    return error;
  auto value = llvm::json::parse(text);
  if (!value)
    return makeError("{0}: {1}", what, llvm::toString(value.takeError()));
  return value;
}

Expected<llvm::json::Value> vernier::runtime::parseJsonFile(llvm::StringRef path) {
  auto buffer = mapFile(path);
  if (!buffer)
    return buffer.takeError();
  if ((*buffer)->getBufferSize() > maxBytes)
    return makeError("{0}: expected at most {1} bytes of JSON, found {2}", path, maxBytes,
                     (*buffer)->getBufferSize());
  return parseJson((*buffer)->getBuffer(), path);
}
