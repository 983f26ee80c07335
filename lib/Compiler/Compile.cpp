//===- Compile.cpp - From a model graph to a program ------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Compiler/Compile.h"
#include "mlir/Pass/PassManager.h"
#include "vernier/CPU/Kernels.h"
#include "vernier/CPU/MachineCode.h"
#include "vernier/Compiler/ExportProgram.h"
#include "vernier/Compiler/ModelInterface.h"
#include "vernier/Program/Passes.h"
#include "vernier/Scale/Passes.h"
#include "vernier/Training/Passes.h"

using namespace mlir;
using namespace vernier;

CompiledProgram::~CompiledProgram() = default;

namespace {
struct HostProgram : CompiledProgram {
  const runtime::Program &getProgram() const override { return program; }

  runtime::Program program;
  std::unique_ptr<cpu::LoadedCode> code;
};
} // namespace

static std::vector<std::string> getPhases(const CompileOptions &options) {
  if (!options.phases.empty() || options.microBatches > 1)
    return options.phases;
  return {"prepare",  "accumulate_first", "update",         "gradients",
          "evaluate", "logits",           "gradient_norms", "scales"};
}

static bool wantStatistics(ArrayRef<std::string> phases) {
  return phases.empty() || llvm::is_contained(phases, "scales") ||
         llvm::is_contained(phases, "gradient_norms");
}

/// A weight that is scaled for one batch forward costs more than it saves.
static std::string getScaleSide(const CompileOptions &options) {
  bool trains = options.phases.empty() || llvm::is_contained(options.phases, "accumulate_first");
  return options.scaleSide == "auto" && !trains ? "activations" : options.scaleSide;
}

/// Runs the pipelines from a model graph to a planned kernel program, in place.
static LogicalResult plan(ModuleOp module, const CompileOptions &options) {
  PassManager manager(module.getContext());
  std::vector<std::string> phases = getPhases(options);
  // Statistics are about scales where the graph has them, not where they go now.
  if (wantStatistics(phases))
    manager.addPass(createBuildStatistics());
  ApplyScaleToWeightsOptions scales;
  scales.side = getScaleSide(options);
  scales.microBatches = options.microBatches;
  manager.addPass(createApplyScaleToWeights(scales));
  TrainingGraphOptions training;
  training.beta1 = options.optimizer.beta1;
  training.beta2 = options.optimizer.beta2;
  training.epsilon = options.optimizer.epsilon;
  training.weightDecay = options.optimizer.weightDecay;
  training.clipNorm = options.optimizer.clipNorm;
  training.phases = phases;
  buildTrainingGraphPipeline(manager, training);
  program::buildKernelProgramPipeline(manager);
  return manager.run(module);
}

/// Compiles the kernels of a planned module and puts their addresses into the
/// program.
static LogicalResult addCode(ModuleOp planned, const CompileOptions &options, HostProgram &result) {
  auto emitError = [&] { return planned.emitError(); };
  auto target = cpu::getCPUTarget(options.cpu, emitError);
  if (failed(target))
    return failure();
  if (!cpu::runsOnHost(*target))
    return planned.emitError() << "this machine does not execute code for " << target->name;
  auto objects = cpu::compileKernels(planned, *target);
  if (failed(objects))
    return failure();
  result.code = cpu::LoadedCode::load(std::move(objects->files), emitError);
  if (!result.code)
    return failure();
  for (runtime::Kernel &kernel : result.program.kernels) {
    kernel.run = result.code->lookup(kernel.name);
    kernel.scratchBytes = objects->scratchBytes.lookup(kernel.name);
    if (kernel.finishBlocks > 0)
      kernel.finish = result.code->lookup(kernel.name + cpu::kFinishSuffix.str());
    if (!kernel.run || (kernel.finishBlocks > 0 && !kernel.finish))
      return planned.emitError() << "no code was generated for kernel '" << kernel.name << "'";
  }
  return success();
}

/// Functions beside the loss are not part of the training step: those that map
/// values, or that someone evaluates.
static void eraseOtherFunctions(ModuleOp module) {
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function.getSymName() != "loss")
      function.erase();
}

/// Code and products are f32 now. Kernels would be refused too, but their names
/// say less than those of the model's operations.
static LogicalResult checkPrecision(ModuleOp model) {
  auto loss = model.lookupSymbol<func::FuncOp>("loss");
  if (!loss)
    return success(); // reported where the loss is needed
  Operation *first = nullptr;
  int64_t count = 0;
  loss.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (llvm::none_of(op->getResultTypes(), cpu::isNarrow))
      return;
    first = first ? first : op;
    ++count;
  });
  if (!first)
    return success();
  return first->emitOpError("gives ")
         << *llvm::find_if(first->getResultTypes(), cpu::isNarrow) << " (the first of " << count
         << " operations narrower than f32), but compiled programs are f32 throughout; the "
            "reference evaluator has bf16";
}

/// Plans `module` in place and exports it, with what the model graph says.
static FailureOr<runtime::Program> planInPlace(ModuleOp module, const CompileOptions &options) {
  auto interface = getModelInterface(module);
  if (failed(interface))
    return failure();
  eraseOtherFunctions(module);
  if (failed(plan(module, options)))
    return failure();
  auto program = exportProgram(module);
  if (failed(program))
    return failure();
  program->parameters = std::move(interface->parameters);
  program->scaleVectors = std::move(interface->scaleVectors);
  program->batch = interface->batch;
  program->sequence = interface->sequence;
  program->vocabulary = interface->vocabulary;
  program->ignoreIndex = interface->ignoreIndex;
  return program;
}

FailureOr<runtime::Program> vernier::planProgram(ModuleOp model, const CompileOptions &options) {
  OwningOpRef<ModuleOp> module(model.clone());
  return planInPlace(*module, options);
}

std::unique_ptr<CompiledProgram> vernier::compile(ModuleOp model, const CompileOptions &options) {
  if (failed(checkPrecision(model)))
    return nullptr;
  OwningOpRef<ModuleOp> module(model.clone());
  auto program = planInPlace(*module, options);
  if (failed(program))
    return nullptr;
  auto result = std::make_unique<HostProgram>();
  result->program = std::move(*program);
  if (failed(addCode(*module, options, *result)))
    return nullptr;
  return result;
}
