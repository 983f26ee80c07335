//===- Support.h - What the subcommands share -------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TOOLS_VERNIER_SUPPORT_H
#define VERNIER_TOOLS_VERNIER_SUPPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>

namespace vernier {

/// Prints "error: MESSAGE" to standard error; gives 1, the exit code.
int fail(llvm::Error error);

/// 0, if there is no error; otherwise as `fail`.
int finish(llvm::Error error);

/// An MLIR context with all dialects, whose diagnostics go to standard error
/// with the line of the file they are about; or, in a graph whose operations
/// are named (an imported one), with the file and the name.
class Session {
public:
  Session();
  ~Session();
  mlir::MLIRContext &getContext() { return *context; }

  /// Parses and verifies a module, text or bytecode, once per session; null if
  /// a diagnostic has said what is wrong.
  mlir::OwningOpRef<mlir::ModuleOp> load(llvm::StringRef path);

private:
  std::unique_ptr<llvm::SourceMgr> sources;
  std::unique_ptr<mlir::MLIRContext> context;
  // Each as what it is: their base has no virtual destructor.
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> handler;
  std::unique_ptr<mlir::ScopedDiagnosticHandler> namedHandler;
  std::string path;
};

} // namespace vernier

#endif // VERNIER_TOOLS_VERNIER_SUPPORT_H
