//===- RegisterAll.cpp - Everything Vernier registers -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Compiler/RegisterAll.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "vernier/CPU/Passes.h"
#include "vernier/Model/Passes.h"
#include "vernier/Program/Passes.h"
#include "vernier/Program/Program.h"
#include "vernier/Scale/Passes.h"
#include "vernier/Training/Differentiation.h"
#include "vernier/Training/Passes.h"

void vernier::registerVernierDialects(mlir::DialectRegistry &registry) {
  registry.insert<VernierDialect, program::ProgramDialect>();
  registerGradientRules(registry);
}

void vernier::registerVernierPasses() {
  registerModelPasses();
  registerScalePasses();
  registerTrainingPasses();
  registerTrainingPipelines();
  cpu::registerCPUPasses();
  cpu::registerCPUPipelines();
  program::registerProgramPasses();
  program::registerProgramPipelines();
}

void vernier::registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerVernierDialects(registry);
}

void vernier::registerAllPasses() {
  mlir::registerAllPasses();
  registerVernierPasses();
}
