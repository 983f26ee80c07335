//===- Compare.cpp - vernier compare -------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Reference/Compare.h"
#include "Subcommands.h"
#include "Support.h"
#include "vernier/Program/Evaluation.h"
#include "llvm/Support/Format.h"

using namespace llvm;

static cl::SubCommand command("compare", "Evaluate two modules in f64 on the same random values");
static cl::opt<std::string> before(cl::Positional, cl::sub(command), cl::Required,
                                   cl::value_desc("before.mlir"), cl::desc("<before.mlir>"));
static cl::opt<std::string> after(cl::Positional, cl::sub(command), cl::Required,
                                  cl::value_desc("after.mlir"), cl::desc("<after.mlir>"));
static cl::opt<double>
    tolerance("tolerance", cl::sub(command), cl::init(1e-6),
              cl::desc("Largest difference over the largest entry of a result (1e-6: constants "
                       "of kernels are f32)"));
static cl::opt<uint64_t> seed("seed", cl::sub(command), cl::init(1), cl::desc("Of the values (1)"));

static int run() {
  if (!(tolerance >= 0))
    return vernier::fail(
        createStringError("--tolerance: expected 0 or more, found %g", tolerance.getValue()));
  vernier::Session firstSession, secondSession;
  auto first = firstSession.load(before), second = secondSession.load(after);
  if (!first || !second)
    return 1;
  auto differences = vernier::reference::compareModules(
      *first, *second, vernier::program::getEvaluationRules(), seed);
  if (failed(differences))
    return 1;
  int code = 0;
  for (const auto &entry : *differences) {
    bool fits = entry.difference <= tolerance;
    outs() << format("%s result %zu: difference %.2e%s\n", entry.function.c_str(), entry.result,
                     entry.difference, fits ? "" : ", which is too large");
    code |= !fits;
  }
  if (differences->empty())
    return vernier::fail(createStringError(before + ": there is no public function to evaluate"));
  return code;
}

const vernier::Subcommand vernier::compareSubcommand{command, run};
