//===- VernierPlugin.cpp - Vernier inside stock mlir-opt -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// mlir-opt-22 --load-dialect-plugin=libVernierPlugin.so \
//   --load-pass-plugin=libVernierPlugin.so --pass-pipeline='builtin.module(vernier-...)'

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "vernier/Compiler/RegisterAll.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Vernier", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) { vernier::registerVernierDialects(*registry); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Vernier", LLVM_VERSION_STRING,
          []() { vernier::registerVernierPasses(); }};
}
