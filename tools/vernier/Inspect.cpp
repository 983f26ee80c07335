//===- Inspect.cpp - vernier inspect --------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subcommands.h"
#include "Support.h"
#include "vernier/Model/ParameterTable.h"

using namespace llvm;

static cl::SubCommand command("inspect", "Print the parameters of a model graph, and why each is "
                                         "in its decay group");
static cl::opt<std::string> modelPath(cl::Positional, cl::sub(command), cl::Required,
                                      cl::value_desc("model.mlir"), cl::desc("<model.mlir>"));

static int run() {
  vernier::Session session;
  mlir::OwningOpRef<mlir::ModuleOp> module = session.load(modelPath);
  if (!module)
    return 1;
  vernier::printParameterTable(*module, outs());
  vernier::printParameterCounts(*module, outs());
  return 0;
}

const vernier::Subcommand vernier::inspectSubcommand{command, run};
