//===- OutlineKernels.cpp - Equal kernels become one symbol ------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowsBuilder.h"
#include "vernier/Program/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace vernier::program {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "vernier/Program/Passes.h.inc"
} // namespace vernier::program

// "8x256x384": the shape of the largest tensor that a kernel handles.
static std::string getShapeName(FunctionType type) {
  RankedTensorType largest;
  for (Type other : llvm::concat<const Type>(type.getInputs(), type.getResults())) {
    auto tensor = cast<RankedTensorType>(other);
    if (!largest || tensor.getNumElements() > largest.getNumElements())
      largest = tensor;
  }
  if (!largest || largest.getRank() == 0)
    return "scalar";
  return llvm::join(
      llvm::map_range(largest.getShape(), [](int64_t n) { return std::to_string(n); }), "x");
}

namespace {

/// Makes kernels of what is executed, one for all that is structurally equal.
class Outliner {
public:
  explicit Outliner(ModuleOp module)
      : module(module), symbols(module), builder(module.getContext()) {
    for (Operation &op : *module.getBody()) // kernels of an earlier run
      if (isa<KernelOp, AttentionKernelOp, GatherKernelOp, ScatterAddKernelOp>(op))
        kernels[getHash(&op)].push_back(&op);
  }

  void outline(Operation *op) {
    type = FunctionType::get(op->getContext(), op->getOperandTypes(), op->getResultTypes());
    builder.setInsertionPointToStart(module.getBody());
    TypeSwitch<Operation *>(op)
        .Case([&](RowsOp rows) { launch(rows, makeRowKernel(rows)); })
        .Case([&](EmbeddingOp gather) {
          launch(gather, GatherKernelOp::create(builder, op->getLoc(), "gather", type));
        })
        .Case([&](EmbeddingGradOp scatter) {
          launch(scatter, ScatterAddKernelOp::create(builder, op->getLoc(), "scatter_add", type));
        })
        .Case([&](AttentionOp attention) { launch(attention, makeAttention(attention, false)); })
        .Case(
            [&](AttentionGradOp attention) { launch(attention, makeAttention(attention, true)); });
  }

  /// Puts the kernels before the functions, in the order of their first use.
  void sort() {
    for (Operation *kernel : llvm::reverse(order))
      kernel->moveBefore(module.getBody(), module.getBody()->begin());
  }

private:
  KernelOp makeRowKernel(RowsOp rows) {
    auto label = rows->getAttrOfType<StringAttr>(kLabelAttr);
    auto kernel = KernelOp::create(builder, rows.getLoc(), label ? label.getValue() : "rows", type,
                                   rows.getSpace(), rows.getMaps(), rows.getOutputs());
    kernel.getBody().takeBody(rows.getBody());
    return kernel;
  }

  template <typename OpTy> AttentionKernelOp makeAttention(OpTy attention, bool backward) {
    return AttentionKernelOp::create(
        builder, attention.getLoc(), backward ? "attention_grad" : "attention", type,
        attention.getScale(), attention.getCausal(), attention.getWindowAttr(), backward);
  }

  void launch(Operation *op, Operation *kernel) {
    Operation *equal = findEqual(kernel);
    builder.setInsertionPoint(op);
    auto launched = LaunchOp::create(builder, op->getLoc(), op->getResultTypes(),
                                     SymbolTable::getSymbolName(equal), op->getOperands(),
                                     DenseI64ArrayAttr(), IntegerAttr());
    op->replaceAllUsesWith(launched);
    op->erase();
  }

  // The kernel that is equal to this new one: another, or else this.
  Operation *findEqual(Operation *kernel) {
    SmallVector<Operation *> &candidates = kernels[getHash(kernel)];
    for (Operation *other : candidates)
      if (areEqual(kernel, other)) {
        kernel->erase();
        return other;
      }
    std::string name =
        (SymbolTable::getSymbolName(kernel).getValue() + "_" + getShapeName(type)).str();
    SymbolTable::setSymbolName(kernel, name);
    kernel->remove();
    symbols.insert(kernel, module.getBody()->begin());
    candidates.push_back(kernel);
    order.push_back(kernel);
    return kernel;
  }

  static DictionaryAttr getAttributesButName(Operation *kernel) {
    NamedAttrList attributes(kernel->getAttrDictionary());
    attributes.erase(SymbolTable::getSymbolAttrName());
    return attributes.getDictionary(kernel->getContext());
  }

  static llvm::hash_code getHash(Operation *kernel) {
    llvm::hash_code hash = llvm::hash_combine(kernel->getName(), getAttributesButName(kernel));
    for (Region &region : kernel->getRegions())
      for (Operation &op : region.getOps())
        hash = llvm::hash_combine(hash, op.getName(), op.getAttrDictionary());
    return hash;
  }

  static bool areEqual(Operation *a, Operation *b) {
    if (a->getName() != b->getName() || getAttributesButName(a) != getAttributesButName(b))
      return false;
    if (a->getNumRegions() == 0)
      return true;
    return OperationEquivalence::isRegionEquivalentTo(&a->getRegion(0), &b->getRegion(0),
                                                      OperationEquivalence::IgnoreLocations);
  }

  ModuleOp module;
  SymbolTable symbols;
  OpBuilder builder;
  FunctionType type; ///< of the operation at hand
  llvm::DenseMap<size_t, SmallVector<Operation *>> kernels;
  SmallVector<Operation *> order;
};

struct OutlineKernels : public program::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override {
    SmallVector<Operation *> executed;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Operation *op) {
        if (isa<RowsOp, EmbeddingOp, EmbeddingGradOp, AttentionOp, AttentionGradOp>(op))
          executed.push_back(op);
      });
    Outliner outliner(getOperation());
    for (Operation *op : executed)
      outliner.outline(op);
    outliner.sort();
  }
};

} // namespace
