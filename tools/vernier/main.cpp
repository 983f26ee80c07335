//===- main.cpp - The vernier program -------------------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecipeFlags.h"
#include "Subcommands.h"
#include "Support.h"
#include "runtime/Checkpoint.h"
#include "runtime/Interrupt.h"
#include "vernier/Compiler/RegisterAll.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include <csignal>

using namespace llvm;

static const vernier::Subcommand *const subcommands[] = {
    &vernier::benchSubcommand,    &vernier::checkGradientsSubcommand, &vernier::compareSubcommand,
    &vernier::evaluateSubcommand, &vernier::exportSubcommand,         &vernier::generateSubcommand,
    &vernier::importSubcommand,   &vernier::inspectSubcommand,        &vernier::rewriteSubcommand,
    &vernier::trainSubcommand,
};

/// Leaves `--help` and the like: libLLVM registers hundreds of options with the
/// top level.
static void hideForeignOptions() {
  static cl::OptionCategory none("Options of vernier");
  cl::HideUnrelatedOptions(none, cl::SubCommand::getTopLevel());
}

/// The exit code `code`, or that of an error if standard output took not all: its
/// device is full, say. That nobody reads a pipe any more is no error.
static int finishOutput(int code) {
  outs().flush();
  std::error_code failure = outs().error();
  if (!failure)
    return code;
  outs().clear_error(); // or LLVM ends the process
  if (failure == std::errc::broken_pipe)
    return code;
  vernier::fail(
      vernier::runtime::makeError("standard output: cannot write: {0}", failure.message()));
  return code != 0 ? code : 1;
}

int main(int argc, char **argv) {
  // Otherwise what is printed could end up in the first file that is opened.
  if (sys::Process::FixupStandardFileDescriptors())
    return 1;
  vernier::runtime::rememberIgnoredSignals();
  InitLLVM init(argc, argv);
  std::signal(SIGXFSZ, SIG_IGN); // a file beyond the limit is an error of its writing
  cl::SetVersionPrinter(
      [](raw_ostream &stream) { stream << vernier::runtime::getProgramVersion() << "\n"; });
  hideForeignOptions();
  std::vector<const char *> arguments =
      vernier::RecipeFlags::repeatForEachFile({argv, size_t(argc)});
  cl::ParseCommandLineOptions(arguments.size(), arguments.data(),
                              "Vernier compiles transformer pre-training\n");
  vernier::registerAllPasses(); // pipelines name passes by their text
  for (const vernier::Subcommand *subcommand : subcommands)
    if (subcommand->options)
      return finishOutput(subcommand->run());
  cl::PrintHelpMessage();
  return 1;
}
