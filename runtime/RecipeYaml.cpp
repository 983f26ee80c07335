//===- RecipeYaml.cpp - Recipes as YAML -----------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Files.h"
#include "runtime/Recipe.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

using namespace vernier::runtime;
namespace yaml = llvm::yaml;

namespace {
class Reader {
public:
  Reader(llvm::StringRef path, llvm::StringRef text, Recipe &recipe)
      : path(path), text(text), recipe(recipe), stream(text, sources) {
    sources.setDiagHandler(
        [](const llvm::SMDiagnostic &diagnostic, void *self) {
          auto &reader = *static_cast<Reader *>(self);
          if (reader.syntaxError.empty())
            reader.syntaxError = llvm::formatv("{0}:{1}: {2}", reader.path, diagnostic.getLineNo(),
                                               diagnostic.getMessage());
        },
        this);
  }

  Error run() {
    Error error = readDocument();
    if (syntaxError.empty())
      return error;
    llvm::consumeError(std::move(error)); // a consequence
    return makeError("{0}", syntaxError);
  }

private:
  Error at(const yaml::Node &node, Error error) {
    // After a syntax error nodes have no place, or one outside the text.
    const char *place = node.getSourceRange().Start.getPointer();
    if (place < text.begin() || place > text.end())
      return makeError("{0}: {1}", path, llvm::toString(std::move(error)));
    unsigned line = sources.getLineAndColumn(node.getSourceRange().Start).first;
    return makeError("{0}:{1}: {2}", path, line, llvm::toString(std::move(error)));
  }

  Error readDocument() {
    yaml::document_iterator document = stream.begin();
    if (document == stream.end())
      return Error::success();
    yaml::Node *root = document->getRoot();
    if (!root || llvm::isa<yaml::NullNode>(root))
      return Error::success();
    auto *mapping = llvm::dyn_cast<yaml::MappingNode>(root);
    if (!mapping)
      return at(*root, makeError("expected keys with values"));
    for (yaml::KeyValueNode &entry : *mapping)
      if (Error error = readEntry(entry))
        return error;
    if (++document != stream.end())
      return makeError("{0}: expected one document, found another one", path);
    return Error::success();
  }

  Error readEntry(yaml::KeyValueNode &entry) {
    auto *keyNode = llvm::dyn_cast_if_present<yaml::ScalarNode>(entry.getKey());
    if (!keyNode)
      return makeError("{0}: expected keys with values", path);
    llvm::SmallString<32> storage;
    llvm::StringRef name = keyNode->getValue(storage);
    auto key = findRecipeKey(name);
    if (!key)
      return at(*keyNode, key.takeError());
    if (!seen.insert(name).second)
      return at(*keyNode, makeError("duplicate key '{0}'", name));
    auto values = readValues(name, entry.getValue(), (*key)->isList());
    if (!values)
      return at(*keyNode, values.takeError());
    if (Error error = (*key)->set(recipe, *values))
      return at(*keyNode, std::move(error));
    return Error::success();
  }

  Expected<std::vector<std::string>> readValues(llvm::StringRef key, yaml::Node *node,
                                                bool isList) {
    std::vector<std::string> values;
    llvm::SmallString<128> storage;
    if (auto *scalar = llvm::dyn_cast_if_present<yaml::ScalarNode>(node)) {
      values.push_back(scalar->getValue(storage).str());
      return values;
    }
    auto *sequence = llvm::dyn_cast_if_present<yaml::SequenceNode>(node);
    if (!sequence || !isList)
      return makeError("{0}: expected {1}", key, isList ? "a value or a list" : "a value");
    for (yaml::Node &element : *sequence) {
      auto *scalar = llvm::dyn_cast<yaml::ScalarNode>(&element);
      if (!scalar)
        return makeError("{0}: expected a list of values", key);
      storage.clear();
      values.push_back(scalar->getValue(storage).str());
    }
    return values;
  }

  llvm::StringRef path, text;
  Recipe &recipe;
  llvm::SourceMgr sources;
  yaml::Stream stream;
  std::string syntaxError;
  llvm::StringSet<> seen;
};
} // namespace

Error vernier::runtime::readRecipe(llvm::StringRef path, Recipe &recipe) {
  auto buffer = mapFile(path);
  if (!buffer)
    return buffer.takeError();
  constexpr size_t maxBytes = 1 << 20;
  if ((*buffer)->getBufferSize() > maxBytes)
    return makeError("{0}: expected a recipe of at most {1} bytes, found {2}", path, maxBytes,
                     (*buffer)->getBufferSize());
  return Reader(path, (*buffer)->getBuffer(), recipe).run();
}

static std::string quote(llvm::StringRef text) {
  bool plain = !text.empty() && llvm::all_of(text, [](char c) {
    return llvm::isAlnum(c) || c == '-' || c == '+' || c == '.' || c == '_' || c == '/';
  });
  return plain ? text.str() : "\"" + yaml::escape(text) + "\"";
}

std::string Recipe::toYaml() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const RecipeKey &key : getRecipeKeys()) {
    std::vector<std::string> values = key.get(*this);
    if (!key.isList()) {
      if (!values[0].empty())
        stream << key.name << ": " << quote(values[0]) << "\n";
      continue;
    }
    if (!values.empty())
      stream << key.name << ":\n";
    for (const std::string &value : values)
      stream << "  - " << quote(value) << "\n";
  }
  return text;
}
