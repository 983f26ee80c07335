//===- LowerKernels.cpp - Turns each kernel into functions over vectors -----===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/CPU/Kernels.h"
#include "vernier/CPU/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace vernier::cpu {
#define GEN_PASS_DEF_LOWERKERNELSTOCPU
#include "vernier/CPU/Passes.h.inc"
} // namespace vernier::cpu

using namespace vernier::cpu;

bool cpu::isKernel(Operation &op) {
  return isa<KernelOp, GatherKernelOp, ScatterAddKernelOp, AttentionKernelOp>(op);
}

bool cpu::isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
}

/// A float without code is refused wherever in a kernel it is.
static LogicalResult checkPrecision(Operation *kernel) {
  auto type = cast<FunctionType>(kernel->getAttrOfType<TypeAttr>("function_type").getValue());
  SmallVector<Type> types(type.getInputs());
  llvm::append_range(types, type.getResults());
  kernel->walk([&](Operation *op) { llvm::append_range(types, op->getResultTypes()); });
  auto *narrow = llvm::find_if(types, isNarrow);
  if (narrow == types.end())
    return success();
  return kernel->emitOpError("has no lowering to the CPU for ") << *narrow << ": expected f32";
}

static LogicalResult lowerKernel(Operation *op, const CPUTarget &target, OpBuilder &builder) {
  if (failed(checkPrecision(op)))
    return failure();
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<KernelOp>([&](auto kernel) { return lowerRowKernel(kernel, target, builder); })
      .Case<GatherKernelOp>([&](auto kernel) { return lowerGatherKernel(kernel, target, builder); })
      .Case<ScatterAddKernelOp>(
          [&](auto kernel) { return lowerScatterAddKernel(kernel, target, builder); })
      .Case<AttentionKernelOp>(
          [&](auto kernel) { return lowerAttentionKernel(kernel, target, builder); });
}

namespace {
struct LowerKernelsToCPU : public cpu::impl::LowerKernelsToCPUBase<LowerKernelsToCPU> {
  using LowerKernelsToCPUBase::LowerKernelsToCPUBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<CPUTarget> chosen = getCPUTarget(target, [&] { return module.emitError(); });
    if (failed(chosen))
      return signalPassFailure();
    SmallVector<Operation *> kernels, rest;
    for (Operation &op : *module.getBody())
      (isKernel(op) ? kernels : rest).push_back(&op);
    // Phases launch kernels by name: they go first.
    for (Operation *op : llvm::reverse(rest))
      op->erase();
    bool lowered = true;
    for (Operation *op : kernels) {
      OpBuilder builder(op);
      lowered &= succeeded(lowerKernel(op, *chosen, builder));
      op->erase();
    }
    if (!lowered)
      signalPassFailure();
  }
};
} // namespace
