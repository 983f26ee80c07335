//===- ModelFile.h - A model graph from a file --------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TOOLS_VERNIER_MODELFILE_H
#define VERNIER_TOOLS_VERNIER_MODELFILE_H

#include "Support.h"
#include "vernier/Compiler/ModelInterface.h"
#include <optional>

namespace vernier {

/// A model graph, as it stands in its file and as a module.
struct ModelFile {
  std::string path, text;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ModelInterface interface;
};

/// Reads and verifies a graph with a loss; nothing if a diagnostic has said what
/// is wrong. The session must outlive the graph.
std::optional<ModelFile> loadModelFile(Session &session, llvm::StringRef path);

/// The text of a graph, with locations: they say which layer an op belongs to.
std::string printGraph(mlir::ModuleOp module);

} // namespace vernier

#endif // VERNIER_TOOLS_VERNIER_MODELFILE_H
