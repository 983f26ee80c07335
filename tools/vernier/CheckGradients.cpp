//===- CheckGradients.cpp - vernier check-gradients ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subcommands.h"
#include "Support.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/Status.h"
#include "vernier/Reference/GradientCheck.h"
#include "vernier/Training/Passes.h"
#include <cmath>

using namespace llvm;
using vernier::runtime::makeError;

static cl::SubCommand command("check-gradients",
                              "Compare the gradients of functions with finite differences in f64");
static cl::opt<std::string> path(cl::Positional, cl::sub(command), cl::Required,
                                 cl::value_desc("graph.mlir"), cl::desc("<graph.mlir>"));
static cl::list<std::string> functions("function", cl::sub(command), cl::CommaSeparated,
                                       cl::desc("The functions to check (all public ones)"));
static cl::opt<uint64_t> seed("seed", cl::sub(command), cl::init(1),
                              cl::desc("Of values and directions (1)"));
static cl::opt<double> step("step", cl::sub(command), cl::init(3e-4),
                            cl::desc("Length of the differences (3e-4)"));
static cl::opt<double> tolerance("tolerance", cl::sub(command), cl::init(1e-8),
                                 cl::desc("Largest relative error (1e-8)"));

static std::vector<std::string> functionsToCheck(mlir::ModuleOp module) {
  std::vector<std::string> names(functions.begin(), functions.end());
  if (names.empty())
    for (auto function : module.getOps<mlir::func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        names.push_back(function.getSymName().str());
  return names;
}

// Exit code 1 if it is wrong, or cannot be checked.
static int check(mlir::ModuleOp module, const std::string &function) {
  mlir::PassManager passes(module.getContext());
  vernier::DifferentiateOptions differentiate;
  differentiate.function = function;
  passes.addPass(vernier::createDifferentiate(differentiate));
  if (failed(passes.run(module)))
    return 1;
  vernier::reference::GradientCheckOptions options;
  options.seed = seed;
  options.step = step;
  auto pairs = vernier::reference::checkGradients(module, function, options);
  if (failed(pairs))
    return 1;
  outs() << "function '" << function << "'\n";
  vernier::reference::print(*pairs, outs());
  outs().flush();
  double error = vernier::reference::largestError(*pairs);
  if (error <= tolerance)
    return 0;
  return vernier::fail(makeError("{0}: the gradient of '{1}' is off by {2:e}, more than {3:e}",
                                 path, function, error, tolerance.getValue()));
}

static int run() {
  if (!(step > 0 && std::isfinite(step)))
    return vernier::fail(
        makeError("--step: expected a positive number, found {0}", step.getValue()));
  if (!(tolerance >= 0))
    return vernier::fail(
        makeError("--tolerance: expected 0 or more, found {0}", tolerance.getValue()));
  vernier::Session session;
  auto module = session.load(path);
  if (!module)
    return 1;
  int code = 0;
  std::vector<std::string> names = functionsToCheck(*module);
  for (const std::string &function : names)
    code |= check(*module, function);
  if (names.empty())
    return vernier::fail(makeError("{0}: there is no public function to check", path));
  return code;
}

const vernier::Subcommand vernier::checkGradientsSubcommand{command, run};
