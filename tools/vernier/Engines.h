//===- Engines.h - Compiled and reference engines -----------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TOOLS_VERNIER_ENGINES_H
#define VERNIER_TOOLS_VERNIER_ENGINES_H

#include "ModelFile.h"
#include "runtime/CompiledEngine.h"
#include "vernier/Compiler/Compile.h"
#include "vernier/Compiler/ReferenceEngine.h"
#include "llvm/Support/CommandLine.h"

namespace vernier {

/// A program in memory that is ready to run.
struct CompiledModel {
  std::unique_ptr<CompiledProgram> program;
  std::unique_ptr<runtime::CompiledEngine> engine;
};

/// An error that names the flag, if there cannot be so many threads.
llvm::Error checkThreads(int threads);

/// Compiles a model and allocates its memory; prints what was compiled, how
/// long it took and the planned peak of memory. Diagnostics come from the
/// compiler; the error then only says that it failed.
llvm::Expected<CompiledModel> compileModel(const ModelFile &model, const CompileOptions &options,
                                           int threads, llvm::raw_ostream &log);

/// The flag `--reference[=exact|rounded]` of a subcommand: use the reference
/// evaluator in place of compiled code.
class ReferenceFlag {
public:
  explicit ReferenceFlag(llvm::cl::SubCommand &command);

  /// Nothing if the flag was not given.
  llvm::Expected<std::optional<reference::Precision>> get() const;

private:
  llvm::cl::opt<std::string> value;
};

/// The flags `--poison` and `--guard[=end|begin]` of a subcommand: slow ways to
/// execute, for tests of compiled programs.
class CheckFlags {
public:
  explicit CheckFlags(llvm::cl::SubCommand &command);

  /// Sets the executor up as the flags say.
  llvm::Error apply(runtime::Executor &executor) const;

  /// An error if a flag was given: the reference evaluator has no such memory.
  llvm::Error refuse() const;

private:
  llvm::cl::opt<bool> poison;
  llvm::cl::opt<runtime::GuardSide> guard;
};

/// A model's engine by the reference evaluator. Errors as above.
llvm::Expected<std::unique_ptr<ReferenceEngine>>
makeReferenceEngine(const ModelFile &model, const OptimizerOptions &options,
                    reference::Precision precision);

} // namespace vernier

#endif // VERNIER_TOOLS_VERNIER_ENGINES_H
