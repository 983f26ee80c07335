//===- vernier-opt.cpp - Runs passes on model graphs --------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "vernier/Compiler/RegisterAll.h"
#include "llvm/Support/WithColor.h"

/// Whether `Plugin` can be loaded from each file that a flag names. MLIR itself
/// says "request ignored" and goes on without.
template <typename Plugin>
static bool checkPlugins(llvm::ArrayRef<char *> arguments, llvm::StringRef flag) {
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    auto [name, path] = llvm::StringRef(argument).split('=');
    if (!name.starts_with("-") || name.ltrim('-') != flag)
      continue;
    if (path.empty() && index + 1 < arguments.size())
      path = arguments[index + 1];
    if (auto plugin = Plugin::load(path.str()); !plugin) {
      llvm::WithColor::error() << "--" << flag << ": " << llvm::toString(plugin.takeError())
                               << "\n";
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::ArrayRef<char *> arguments(argv, argc);
  if (!checkPlugins<mlir::DialectPlugin>(arguments, "load-dialect-plugin") ||
      !checkPlugins<mlir::PassPlugin>(arguments, "load-pass-plugin"))
    return 1;
  vernier::registerAllPasses();
  mlir::DialectRegistry registry;
  vernier::registerAllDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Vernier's optimizer driver\n", registry));
}
