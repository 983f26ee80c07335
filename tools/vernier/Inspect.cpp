//===- Inspect.cpp - vernier inspect --------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subcommands.h"
#include "Support.h"
#include "runtime/Memory.h"
#include "vernier/Compiler/Compile.h"
#include "vernier/Model/ParameterTable.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

static cl::SubCommand command("inspect",
                              "Print the parameters of a model graph, why each is in its "
                              "decay group, and the memory that training plans");
static cl::opt<std::string> modelPath(cl::Positional, cl::sub(command), cl::Required,
                                      cl::value_desc("model.mlir"), cl::desc("<model.mlir>"));

/// The planned peak of a training step, by class. A graph that is not a whole
/// model (it has no function `loss`) has no plan, and none is printed.
static int printMemory(mlir::ModuleOp module) {
  if (!module.lookupSymbol("loss"))
    return 0;
  auto program = vernier::planProgram(module, {});
  if (failed(program))
    return 1;
  outs() << formatv("memory of a training step at batch {0} x {1}, f32:\n", program->batch,
                    program->sequence);
  for (const vernier::runtime::MemoryClass &row : program->memory)
    outs() << formatv("  {0,-12} {1,10}\n", row.name, vernier::runtime::formatBytes(row.bytes));
  outs() << formatv("  {0,-12} {1,10}\n", "peak",
                    vernier::runtime::formatBytes(program->arenaBytes));
  return 0;
}

static int run() {
  vernier::Session session;
  mlir::OwningOpRef<mlir::ModuleOp> module = session.load(modelPath);
  if (!module)
    return 1;
  vernier::printParameterTable(*module, outs());
  vernier::printParameterCounts(*module, outs());
  return printMemory(*module);
}

const vernier::Subcommand vernier::inspectSubcommand{command, run};
