//===- ParseGraph.h - What the fuzz targets of graphs share ------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_FUZZ_PARSEGRAPH_H
#define VERNIER_TEST_FUZZ_PARSEGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include <memory>

namespace vernier::fuzz {

/// A context that is made anew now and then, since attributes and types stay in
/// it for ever. Diagnostics are counted, not printed.
class GraphContext {
public:
  explicit GraphContext(const mlir::DialectRegistry &registry) : registry(registry) {}

  mlir::MLIRContext &get() {
    if (uses++ % 2000 == 0) {
      context =
          std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
      context->getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
        errors += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        return mlir::success();
      });
    }
    errors = 0;
    return *context;
  }

  /// A module that verifies, or none; then there was an error that says why.
  /// As a file's contents are, the text must be followed by a zero.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    mlir::ParserConfig config(&get());
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, config);
    if (!module && errors == 0)
      std::abort();
    return module;
  }

  int getErrors() const { return errors; }

private:
  const mlir::DialectRegistry &registry;
  std::unique_ptr<mlir::MLIRContext> context;
  unsigned uses = 0;
  int errors = 0;
};

} // namespace vernier::fuzz

#endif // VERNIER_TEST_FUZZ_PARSEGRAPH_H
