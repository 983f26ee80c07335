//===- vernier-opt.cpp - Runs passes on model graphs --------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "vernier/Compiler/RegisterAll.h"

int main(int argc, char **argv) {
  vernier::registerAllPasses();
  mlir::DialectRegistry registry;
  vernier::registerAllDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Vernier's optimizer driver\n", registry));
}
