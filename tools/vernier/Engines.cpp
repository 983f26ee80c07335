//===- Engines.cpp - Compiled and reference engines -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engines.h"
#include "runtime/Memory.h"
#include <chrono>
#include <utility>

using namespace vernier;
using runtime::GuardSide;
using runtime::makeError;

static void describe(const runtime::Program &program, double seconds, llvm::raw_ostream &log) {
  size_t launches = 0;
  for (const char *name : {"accumulate", "accumulate_first"})
    if (const runtime::Phase *phase = program.findPhase(name); phase && launches == 0)
      launches = phase->steps.size();
  log << llvm::formatv("compiled {0} kernels", program.kernels.size());
  if (launches)
    log << llvm::formatv(" ({0:N} launches and products per micro-batch)", launches);
  log << llvm::formatv(" in {0:F1} s; peak {1}", seconds, runtime::formatBytes(program.arenaBytes));
  const char *separator = ": ";
  for (const runtime::MemoryClass &row : program.memory)
    if (row.bytes > 0)
      log << std::exchange(separator, ", ") << row.name << " " << runtime::formatBytes(row.bytes);
  log << "\n";
}

llvm::Error vernier::checkThreads(int threads) {
  if (threads >= 0 && threads <= runtime::mostThreads)
    return llvm::Error::success();
  return makeError("--threads: expected 0 (one per core) to {0}, found {1}", runtime::mostThreads,
                   threads);
}

llvm::Expected<CompiledModel> vernier::compileModel(const ModelFile &model,
                                                    const CompileOptions &options, int threads,
                                                    llvm::raw_ostream &log) {
  if (llvm::Error error = checkThreads(threads))
    return std::move(error);
  auto start = std::chrono::steady_clock::now();
  CompiledModel result;
  result.program = compile(*model.module, options);
  if (!result.program)
    return makeError("{0}: cannot be compiled", model.path);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  describe(result.program->getProgram(), seconds.count(), log);
  auto engine = runtime::CompiledEngine::create(result.program->getProgram(), threads);
  if (!engine)
    return engine.takeError();
  result.engine = std::move(*engine);
  return result;
}

ReferenceFlag::ReferenceFlag(llvm::cl::SubCommand &command)
    : value("reference", llvm::cl::sub(command), llvm::cl::ValueOptional,
            llvm::cl::value_desc("exact|rounded"),
            llvm::cl::desc("Use the reference evaluator (slow): all in f64 (exact, the "
                           "default), or each result rounded once to its type")) {}

llvm::Expected<std::optional<reference::Precision>> ReferenceFlag::get() const {
  using reference::Precision;
  if (value.getNumOccurrences() == 0)
    return std::nullopt;
  if (value.empty() || value == "exact")
    return Precision::Exact;
  if (value == "rounded")
    return Precision::Rounded;
  return makeError("--reference={0}: expected exact or rounded", value);
}

CheckFlags::CheckFlags(llvm::cl::SubCommand &command)
    : poison("poison", llvm::cl::sub(command),
             llvm::cl::desc("Fill transient memory with NaNs before each phase (for tests: finds "
                            "what is read before it is written)")),
      guard("guard", llvm::cl::sub(command), llvm::cl::ValueOptional,
            llvm::cl::desc("Let each buffer of a kernel or product end at inaccessible memory (for "
                           "tests: finds what leaves its buffers; slow)"),
            llvm::cl::init(GuardSide::Off),
            llvm::cl::values(clEnumValN(GuardSide::End, "end", "this is the default"),
                             clEnumValN(GuardSide::Begin, "begin", "or begin there"),
                             clEnumValN(GuardSide::End, "", ""))) {}

llvm::Error CheckFlags::apply(runtime::Executor &executor) const {
  executor.setPoison(poison);
  return executor.setGuard(guard);
}

llvm::Error CheckFlags::refuse() const {
  if (poison || guard != GuardSide::Off)
    return makeError("--{0}: only compiled programs are checked so, and --reference compiles none",
                     poison ? "poison" : "guard");
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<ReferenceEngine>>
vernier::makeReferenceEngine(const ModelFile &model, const OptimizerOptions &options,
                             reference::Precision precision) {
  auto engine = ReferenceEngine::create(*model.module, model.interface.parameters, options,
                                        precision, model.interface.scaleVectors);
  if (!engine)
    return makeError("{0}: cannot be turned into a training graph", model.path);
  return engine;
}
