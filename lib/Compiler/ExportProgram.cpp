//===- ExportProgram.cpp - A planned module as the runtime's program --------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Compiler/ExportProgram.h"
#include "KernelCost.h"
#include "RopeTable.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "vernier/Program/Geometry.h"
#include "vernier/Program/MemoryPlan.h"
#include "vernier/Program/Program.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>

using namespace mlir;
using namespace vernier;

namespace {

/// Walks the phases of a planned module and collects the program.
class ProgramExporter {
public:
  explicit ProgramExporter(ModuleOp module) : module(module) {}
  FailureOr<runtime::Program> run();

private:
  void addKernel(Operation *op);
  LogicalResult addPhase(func::FuncOp function);
  LogicalResult addArguments(func::FuncOp function, runtime::Phase &phase);
  LogicalResult addOperation(Operation &op, runtime::Phase &phase);
  void addLaunch(program::LaunchOp op, runtime::Phase &phase);
  void addProduct(program::ProductOp op, runtime::Phase &phase);
  void addTable(program::RopeTableOp op);
  LogicalResult addResults(func::FuncOp function, runtime::Phase &phase);
  /// Records where the results of an operation lie.
  LogicalResult place(Operation &op, std::optional<ArrayRef<int64_t>> places);

  ModuleOp module;
  runtime::Program result;
  llvm::StringMap<int32_t> kernels; ///< index by symbol
  llvm::DenseMap<Value, int64_t> offsets;
  llvm::DenseSet<int64_t> constants; ///< offsets that have been filled
};

} // namespace

static runtime::DType convert(Type type) {
  if (type.isF64())
    return runtime::DType::F64;
  if (type.isBF16())
    return runtime::DType::BF16;
  if (type.isInteger(32))
    return runtime::DType::I32;
  if (type.isInteger(64))
    return runtime::DType::I64;
  return runtime::DType::F32;
}

static runtime::Slot convertSlot(SlotAttr slot, Type type, int64_t offset) {
  auto tensor = cast<RankedTensorType>(type);
  // The runtime's roles are the dialect's, in the same order.
  return {static_cast<runtime::Role>(slot.getRole()),
          slot.getName() ? slot.getName().str() : std::string(), convert(tensor.getElementType()),
          runtime::Shape(tensor.getShape().begin(), tensor.getShape().end()), offset};
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

FailureOr<runtime::Program> ProgramExporter::run() {
  auto arenaBytes = module->getAttrOfType<IntegerAttr>(program::kArenaBytesAttr);
  if (!arenaBytes)
    return module.emitError() << "has no memory plan: '" << program::kArenaBytesAttr
                              << "' is missing";
  result.arenaBytes = arenaBytes.getInt();
  if (auto memory = module->getAttrOfType<DictionaryAttr>(program::kMemoryAttr))
    for (NamedAttribute entry : memory)
      result.memory.push_back(
          {entry.getName().str(), cast<IntegerAttr>(entry.getValue()).getInt()});
  for (Operation &op : *module.getBody())
    if (isa<program::KernelOp, program::AttentionKernelOp, program::GatherKernelOp,
            program::ScatterAddKernelOp>(op))
      addKernel(&op);
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(addPhase(function)))
      return failure();
  return std::move(result);
}

void ProgramExporter::addKernel(Operation *op) {
  auto name = cast<StringAttr>(op->getAttr(SymbolTable::getSymbolAttrName()));
  auto type = cast<FunctionType>(op->getAttrOfType<TypeAttr>("function_type").getValue());
  program::Geometry geometry = program::getGeometry(op);
  KernelCost cost = estimateCost(op, type);
  runtime::Kernel kernel;
  kernel.name = name.str();
  kernel.operands = type.getNumInputs();
  kernel.results = type.getNumResults();
  kernel.blocks = geometry.blocks;
  kernel.finishBlocks = geometry.finishBlocks;
  for (Type buffer : llvm::concat<const Type>(type.getInputs(), type.getResults()))
    kernel.bufferBytes.push_back(program::getBytes(buffer));
  kernel.bufferBytes.push_back(geometry.workspaceBytes);
  kernel.bytesMoved = cost.bytesMoved;
  kernel.flops = cost.flops;
  kernels[name] = result.kernels.size();
  result.kernels.push_back(std::move(kernel));
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

LogicalResult ProgramExporter::addPhase(func::FuncOp function) {
  runtime::Phase phase;
  phase.name = function.getName().str();
  if (failed(addArguments(function, phase)))
    return failure();
  for (Operation &op : function.front().without_terminator())
    if (failed(addOperation(op, phase)))
      return failure();
  if (failed(addResults(function, phase)))
    return failure();
  result.phases.push_back(std::move(phase));
  return success();
}

LogicalResult ProgramExporter::addArguments(func::FuncOp function, runtime::Phase &phase) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto slot = function.getArgAttrOfType<SlotAttr>(number, "vernier.slot");
    auto offset = function.getArgAttrOfType<IntegerAttr>(number, program::kOffsetAttr);
    if (!slot || !offset)
      return function.emitError() << "argument " << number << " of phase '" << phase.name
                                  << "' has no slot or no place in the arena";
    offsets[argument] = offset.getInt();
    phase.inputs.push_back(convertSlot(slot, argument.getType(), offset.getInt()));
  }
  return success();
}

LogicalResult ProgramExporter::addResults(func::FuncOp function, runtime::Phase &phase) {
  for (auto [number, type] : llvm::enumerate(function.getResultTypes())) {
    auto slot = function.getResultAttrOfType<SlotAttr>(number, "vernier.slot");
    auto offset = function.getResultAttrOfType<IntegerAttr>(number, program::kOffsetAttr);
    if (!slot || !offset)
      return function.emitError() << "result " << number << " of phase '" << phase.name
                                  << "' has no slot or no place in the arena";
    phase.outputs.push_back(convertSlot(slot, type, offset.getInt()));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

LogicalResult ProgramExporter::place(Operation &op, std::optional<ArrayRef<int64_t>> places) {
  if (!places || places->size() != op.getNumResults())
    return op.emitError() << "has no place in the arena for each result";
  for (auto [value, offset] : llvm::zip(op.getResults(), *places))
    offsets[value] = offset;
  return success();
}

LogicalResult ProgramExporter::addOperation(Operation &op, runtime::Phase &phase) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto view) {
        offsets[view.getResult()] = offsets.lookup(view.getSrc());
        return success();
      })
      .Case<program::LaunchOp>([&](auto launch) {
        if (failed(place(op, launch.getOffsets())))
          return failure();
        addLaunch(launch, phase);
        return success();
      })
      .Case<program::ProductOp>([&](auto product) {
        if (failed(place(op, product.getOffsets())))
          return failure();
        addProduct(product, phase);
        return success();
      })
      .Case<program::RopeTableOp>([&](auto table) {
        if (failed(place(op, table.getOffsets())))
          return failure();
        addTable(table);
        return success();
      })
      .Default([](Operation *other) {
        return other->emitError() << "is no step of a program: a launch, a product, a table or a "
                                     "change of shape is needed";
      });
}

void ProgramExporter::addLaunch(program::LaunchOp op, runtime::Phase &phase) {
  runtime::Launch launch;
  launch.kernel = kernels.lookup(op.getKernel());
  for (Value operand : op.getInputs())
    launch.offsets.push_back(offsets.lookup(operand));
  llvm::append_range(launch.offsets, *op.getOffsets());
  launch.offsets.push_back(op.getWorkspace() ? static_cast<int64_t>(*op.getWorkspace()) : -1);
  phase.steps.emplace_back(std::move(launch));
}

void ProgramExporter::addProduct(program::ProductOp op, runtime::Phase &phase) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType()).getShape();
  auto shape = cast<RankedTensorType>(op.getType()).getShape();
  runtime::Product product;
  product.m = shape[0];
  product.n = shape[1];
  product.k = op.getTransposeLhs() ? lhs[0] : lhs[1];
  product.transposeLhs = op.getTransposeLhs();
  product.transposeRhs = op.getTransposeRhs();
  product.accumulate = static_cast<bool>(op.getInit());
  product.lhs = offsets.lookup(op.getLhs());
  product.rhs = offsets.lookup(op.getRhs());
  product.result = offsets.lookup(op.getResult());
  phase.steps.emplace_back(product);
}

void ProgramExporter::addTable(program::RopeTableOp op) {
  RopeTable table = evaluateRopeTable(op);
  auto add = [&](Value value, const std::vector<float> &entries) {
    int64_t offset = offsets.lookup(value);
    if (!constants.insert(offset).second)
      return; // every phase has the same table at the same place
    runtime::Constant constant;
    constant.offset = offset;
    constant.bytes.resize(entries.size() * sizeof(float));
    std::memcpy(constant.bytes.data(), entries.data(), constant.bytes.size());
    result.constants.push_back(std::move(constant));
  };
  add(op.getCosines(), table.cosines);
  add(op.getSines(), table.sines);
}

FailureOr<runtime::Program> vernier::exportProgram(ModuleOp planned) {
  return ProgramExporter(planned).run();
}
