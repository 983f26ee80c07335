//===- Compile.cpp - From a model graph to a program ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Compiler/Compile.h"

using namespace vernier;

CompiledProgram::~CompiledProgram() = default;

std::unique_ptr<CompiledProgram> vernier::compile(mlir::ModuleOp model,
                                                  const CompileOptions &options) {
  model.emitError("this build has no code generation; --reference works");
  return nullptr;
}
