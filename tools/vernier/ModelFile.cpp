//===- ModelFile.cpp - A model graph from a file --------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelFile.h"
#include "mlir/IR/OperationSupport.h"
#include "runtime/Files.h"

using namespace vernier;

std::string vernier::printGraph(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo().printNameLocAsPrefix();
  module.print(stream, flags);
  return text + "\n";
}

/// Bytecode is kept as text, so that a checkpoint's graph can be read.
static std::string toText(llvm::StringRef contents, mlir::ModuleOp module) {
  return contents.starts_with("ML\xefR") ? printGraph(module) : contents.str();
}

std::optional<ModelFile> vernier::loadModelFile(Session &session, llvm::StringRef path) {
  auto contents = runtime::mapFile(path);
  if (!contents) {
    fail(contents.takeError());
    return std::nullopt;
  }
  ModelFile model;
  model.path = path.str();
  model.module = session.load(path);
  if (!model.module)
    return std::nullopt;
  auto interface = getModelInterface(*model.module);
  if (failed(interface))
    return std::nullopt;
  model.interface = std::move(*interface);
  model.text = toText((*contents)->getBuffer(), *model.module);
  return model;
}
