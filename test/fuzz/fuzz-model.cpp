//===- fuzz-model.cpp - Texts of model graphs -----------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "ParseGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "vernier/Model/ParameterTable.h"
#include "vernier/Model/Vernier.h"

using namespace vernier;

static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// Parsers, verifiers and printers of all operations: what verifies is printed so
/// that it reads back as the same, and its table of parameters can be made.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry registry;
    registry.insert<VernierDialect, mlir::func::FuncDialect, mlir::tensor::TensorDialect>();
    return registry;
  }();
  static fuzz::GraphContext context(registry);
  auto module = context.parse(fuzz::toText(data, size).str());
  if (!module)
    return 0;
  std::string text = print(*module);
  // In the same context: a new one would end the module.
  mlir::ParserConfig config(module->getContext());
  auto again = mlir::parseSourceString<mlir::ModuleOp>(text, config);
  if (!again || print(*again) != text)
    std::abort();
  std::string table;
  llvm::raw_string_ostream stream(table);
  printParameterTable(*module, stream);
  printParameterCounts(*module, stream);
  return 0;
}
