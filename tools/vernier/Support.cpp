//===- Support.cpp - What the subcommands share ---------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "runtime/Status.h"
#include "vernier/Compiler/RegisterAll.h"
#include "llvm/Support/WithColor.h"

using namespace vernier;

int vernier::fail(llvm::Error error) {
  llvm::WithColor::error() << llvm::toString(std::move(error)) << "\n";
  return 1;
}

int vernier::finish(llvm::Error error) { return error ? fail(std::move(error)) : 0; }

/// The name that an operation bears in the place of a line; empty if it has one.
static llvm::StringRef findName(mlir::Location loc) {
  if (loc->findInstanceOf<mlir::FileLineColLoc>())
    return "";
  auto named = loc->findInstanceOf<mlir::NameLoc>();
  return named ? named.getName().getValue() : "";
}

Session::Session() : sources(std::make_unique<llvm::SourceMgr>()) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  context = std::make_unique<mlir::MLIRContext>(registry);
  context->printOpOnDiagnostic(false); // a whole model
  handler = std::make_unique<mlir::SourceMgrDiagnosticHandler>(*sources, context.get());
  namedHandler = std::make_unique<mlir::ScopedDiagnosticHandler>(
      context.get(), [this](mlir::Diagnostic &diagnostic) {
        llvm::StringRef name = findName(diagnostic.getLocation());
        if (name.empty() || diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return mlir::failure();
        llvm::WithColor::error() << path << ": " << name << ": " << diagnostic.str() << "\n";
        for (mlir::Diagnostic &note : diagnostic.getNotes())
          llvm::WithColor::note() << note.str() << "\n";
        return mlir::success();
      });
}

Session::~Session() = default;

/// MLIR's parser calls itself at each bracket. An error for a text that would use up
/// its stack; of bytecode nothing is said.
static llvm::Error checkNesting(llvm::StringRef path, llvm::StringRef text) {
  constexpr int deepest = 256;
  if (text.starts_with("ML\xefR"))
    return llvm::Error::success();
  int depth = 0, line = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '"') {
      do
        i += text[i] == '\\' ? 2 : 1;
      while (i < text.size() && text[i] != '"' && text[i] != '\n');
    } else if (c == '/' && next == '/')
      i = std::min(text.find('\n', i), text.size()) - 1;
    else if (llvm::StringRef("([{").contains(c) || (c == '<' && next != '='))
      ++depth;
    else if (llvm::StringRef(")]}").contains(c) ||
             (c == '>' && next != '=' && i > 0 && text[i - 1] != '-'))
      depth = std::max(depth - 1, 0);
    line += i < text.size() && text[i] == '\n';
    if (depth > deepest)
      return runtime::makeError("{0}:{1}: brackets are nested more than {2} deep", path, line,
                                deepest);
  }
  return llvm::Error::success();
}

mlir::OwningOpRef<mlir::ModuleOp> Session::load(llvm::StringRef file) {
  path = file.str();
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    fail(runtime::makeError("{0}: cannot read: {1}", path, buffer.getError().message()));
    return nullptr;
  }
  if (llvm::Error error = checkNesting(path, (*buffer)->getBuffer())) {
    fail(std::move(error));
    return nullptr;
  }
  sources->AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  return mlir::parseSourceFile<mlir::ModuleOp>(*sources, context.get());
}
