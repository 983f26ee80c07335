//===- EmitObject.cpp - Object code of lowered kernels -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "vernier/CPU/MachineCode.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;

static void initializeTargets() {
  static bool done = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    return true;
  }();
  (void)done;
}

static std::unique_ptr<llvm::TargetMachine> createTargetMachine(ModuleOp module,
                                                                const CPUTarget &target) {
  initializeTargets();
  std::string message;
  llvm::Triple triple(target.triple);
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!backend) {
    module.emitError() << "no code generator for " << target.triple << ": " << message;
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
      triple, target.cpu, target.features, llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

// Kernels are vectors and loops already: what is left is to clean up. LLVM's
// vectorizers and its unrolling made kernels slower (docs/Rationale.md).
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false;
  tuning.LoopUnrolling = tuning.LoopInterleaving = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1).run(module, modules);
}

// The attribute keeps LLVM from making calls of memset and memcpy of loops.
static void setAttributes(llvm::Module &module, llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr("no-builtins");
      function.addFnAttr(llvm::Attribute::NoUnwind);
      function.addFnAttr("target-cpu", machine.getTargetCPU());
      function.addFnAttr("target-features", machine.getTargetFeatureString());
    }
}

static LogicalResult checkImportsNothing(ModuleOp module, llvm::MemoryBufferRef buffer) {
  auto object = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!object)
    return module.emitError() << "unreadable object code: " << llvm::toString(object.takeError());
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (flags && name && (*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty())
      return module.emitError() << "kernels must not call '" << *name
                                << "', but an operation has no code of its own on this target";
    llvm::consumeError(flags.takeError());
    llvm::consumeError(name.takeError());
  }
  return success();
}

FailureOr<std::unique_ptr<llvm::MemoryBuffer>> cpu::emitObject(ModuleOp lowered,
                                                               const CPUTarget &target) {
  registerBuiltinDialectTranslation(*lowered.getContext());
  registerLLVMDialectTranslation(*lowered.getContext());
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(lowered, target);
  if (!machine)
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(lowered, context, "kernels");
  if (!module)
    return failure();
  setAttributes(*module, *machine);
  optimize(*module, *machine);

  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager manager;
  if (machine->addPassesToEmitFile(manager, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return lowered.emitError() << "no object code for " << target.triple;
  manager.run(*module);
  std::unique_ptr<llvm::MemoryBuffer> object =
      std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes));
  if (failed(checkImportsNothing(lowered, *object)))
    return failure();
  return object;
}
