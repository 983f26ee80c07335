//===- MutateGraph.cpp - Changes texts of graphs token by token -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libFuzzer's changes of bytes hardly ever leave a graph that parses. These leave
// its tokens whole: a number becomes another one, a word, symbol, value or type
// another one of the text, a line goes, comes twice or changes places. The text
// is mostly still a module, with operations, operands, types or attributes that
// may not fit each other.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

using llvm::StringRef;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {
/// A part of the text, and what it may be replaced with: tokens of its own kind.
struct Token {
  enum Kind { Number, Word, Value, Symbol, Attribute, Type, Other } kind;
  StringRef text;
};
} // namespace

static bool isWordCharacter(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }

static Token::Kind classify(char first) {
  switch (first) {
  case '%':
    return Token::Value;
  case '@':
    return Token::Symbol;
  case '#':
    return Token::Attribute;
  case '!':
    return Token::Type;
  default:
    return llvm::isDigit(first) ? Token::Number : llvm::isAlpha(first) ? Token::Word : Token::Other;
  }
}

static std::vector<Token> tokenize(StringRef text) {
  std::vector<Token> tokens;
  while (!text.empty()) {
    size_t length = 1;
    Token::Kind kind = classify(text[0]);
    if (text.starts_with("tensor<")) { // a type as a whole
      kind = Token::Type;
      length = std::min(text.find('>'), text.size() - 1) + 1;
    } else if (kind != Token::Other) {
      while (length < text.size() && isWordCharacter(text[length]))
        ++length;
    }
    tokens.push_back({kind, text.take_front(length)});
    text = text.drop_front(length);
  }
  return tokens;
}

static const char *const numbers[] = {"0",          "1",
                                      "2",          "3",
                                      "7",          "64",
                                      "1.0e-5",     "-1",
                                      "0.0",        "1.0",
                                      "2147483648", "9223372036854775807",
                                      "1.0e308",    "0x7FF0000000000000"};
static const char *const elements[] = {"f32", "bf16", "f64", "i32", "i1", "index"};

/// Another size, rank or element type.
static std::string changeType(StringRef type, std::mt19937 &random) {
  std::string inside = type.drop_front(type.find('<') + 1).rtrim('>').str();
  size_t end = inside.rfind('x');
  std::string element = end == std::string::npos ? inside : inside.substr(end + 1);
  std::string dims = end == std::string::npos ? "" : inside.substr(0, end + 1);
  switch (random() % 4) {
  case 0:
    element = elements[random() % std::size(elements)];
    break;
  case 1:
    dims += std::to_string(random() % 9) + "x";
    break;
  case 2:
    dims = dims.substr(std::min(dims.find('x'), dims.size() - 1) + 1);
    break;
  default:
    dims = std::string(random() % 8 == 0 ? "?" : std::to_string(1 + random() % 8)) + "x" + dims;
  }
  return "tensor<" + dims + element + ">";
}

static std::string changeToken(llvm::ArrayRef<Token> tokens, const Token &token,
                               std::mt19937 &random) {
  if (token.kind == Token::Number && random() % 2)
    return numbers[random() % std::size(numbers)];
  if (token.text.starts_with("tensor<") && random() % 2)
    return changeType(token.text, random);
  llvm::SmallVector<StringRef> others;
  for (const Token &other : tokens)
    if (other.kind == token.kind && other.text != token.text)
      others.push_back(other.text);
  return others.empty() ? "" : others[random() % others.size()].str();
}

static std::string changeOneToken(StringRef text, std::mt19937 &random) {
  std::vector<Token> tokens = tokenize(text);
  llvm::SmallVector<size_t> places;
  for (auto [index, token] : llvm::enumerate(tokens))
    if (token.kind != Token::Other)
      places.push_back(index);
  if (places.empty())
    return text.str();
  size_t place = places[random() % places.size()];
  std::string result;
  for (auto [index, token] : llvm::enumerate(tokens))
    result += index == place ? changeToken(tokens, token, random) : token.text.str();
  return result;
}

static std::string changeLines(StringRef text, std::mt19937 &random) {
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  size_t line = random() % lines.size(), other = random() % lines.size();
  switch (random() % 3) {
  case 0:
    lines.erase(lines.begin() + line);
    break;
  case 1:
    lines.insert(lines.begin() + other, StringRef(lines[line]));
    break;
  default:
    std::swap(lines[line], lines[other]);
  }
  return llvm::join(lines, "\n");
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  std::mt19937 random(seed);
  if (random() % 16 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<char *>(data), size);
  for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
    text = random() % 6 == 0 ? changeLines(text, random) : changeOneToken(text, random);
  size = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), size);
  return size;
}
