//===- PlanMemory.cpp - Every value gets its place in one arena --------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhasePlan.h"
#include "SharedPlaces.h"
#include "vernier/Program/Geometry.h"
#include "vernier/Program/MemoryPlan.h"
#include "vernier/Program/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace vernier::program {
#define GEN_PASS_DEF_PLANMEMORY
#include "vernier/Program/Passes.h.inc"
} // namespace vernier::program

namespace {

/// Lays out the arena: states by role, tables, then the region that the
/// phases' own values share.
class Arena {
public:
  explicit Arena(ModuleOp module) : module(module) {}

  LogicalResult plan() {
    shared = findSharedPlaces(module); // before places depend on the order of operations
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!isPhase(function))
        continue;
      plans.push_back(std::make_unique<PhasePlan>(function));
      if (failed(collectStates(function)) || failed(plans.back()->build()))
        return failure();
    }
    placeStates();
    placeTables();
    int64_t base = end;
    placeTransients();
    for (auto &plan : plans)
      plan->apply(base, places);
    writeAttributes();
    return success();
  }

private:
  LogicalResult collectStates(func::FuncOp phase) {
    for (auto [index, type] : llvm::enumerate(phase.getArgumentTypes()))
      if (failed(addState(phase, getArgumentSlot(phase, index), type)))
        return failure();
    for (auto [index, type] : llvm::enumerate(phase.getResultTypes()))
      if (failed(addState(phase, getResultSlot(phase, index), type)))
        return failure();
    return success();
  }

  LogicalResult addState(func::FuncOp phase, SlotAttr slot, Type type) {
    if (!isState(slot))
      return success();
    Type first = states.insert({slot, type}).first->second;
    if (first == type)
      return success();
    return phase.emitError() << "phase '" << phase.getName() << "' has " << slot << " of type "
                             << type << ", but an earlier phase has it of type " << first;
  }

  int64_t take(int64_t size) {
    int64_t offset = end;
    end = llvm::alignTo(end + size, kBufferAlignment);
    return offset;
  }

  // States of one role lie together, in the order in which phases name them.
  // Gradients come before the prepared values that share their places.
  void placeStates() {
    for (auto role : llvm::enum_seq_inclusive(SlotRole::Param, SlotRole::Prepared,
                                              llvm::force_iteration_on_noniterable_enum)) {
      int64_t before = end;
      for (auto [slot, type] : states)
        if (slot.getRole() == role)
          place(slot, type);
      bytes[getClass(role)] += end - before;
    }
  }

  void place(SlotAttr slot, Type type) {
    auto given = places.states.find(shared.lookup(slot));
    places.states[slot] = given != places.states.end() ? given->second : take(getBytes(type));
  }

  static StringRef getClass(SlotRole role) {
    switch (role) {
    case SlotRole::Gradient:
      return "gradients";
    case SlotRole::FirstMoment:
    case SlotRole::SecondMoment:
    case SlotRole::Steps:
      return "optimizer";
    default:
      return "parameters"; // and what is prepared from them
    }
  }

  void placeTables() {
    int64_t before = end;
    for (auto &plan : plans)
      plan->getPhase().walk([&](RopeTableOp op) {
        for (OpResult result : op->getResults()) {
          std::pair<Attribute, unsigned> key{getTableKey(op), result.getResultNumber()};
          if (places.tables.try_emplace(key, end).second)
            take(getBytes(result.getType()));
        }
      });
    bytes["constants"] = end - before;
  }

  // The phases share a region as large as the largest needs. What of it is
  // inputs and workspace is counted where that phase uses the most; the rest,
  // with what the placement wastes, goes to the activations.
  void placeTransients() {
    int64_t largest = 0;
    const PhasePlan *fullest = nullptr;
    for (auto &plan : plans) {
      int64_t size = plan->placeTransients();
      if (!fullest || size > largest)
        fullest = plan.get();
      largest = std::max(largest, size);
    }
    if (!fullest)
      return;
    bytes["inputs"] = fullest->getBytesAtPeak(Buffer::Kind::Input);
    bytes["workspace"] = fullest->getBytesAtPeak(Buffer::Kind::Workspace);
    bytes["activations"] = largest - bytes["inputs"] - bytes["workspace"];
    end += largest;
  }

  void writeAttributes() {
    Builder builder(module.getContext());
    SmallVector<NamedAttribute> classes;
    for (StringRef name : {"parameters", "gradients", "optimizer", "activations", "workspace",
                           "inputs", "constants"})
      classes.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(bytes.lookup(name))));
    module->setAttr(kArenaBytesAttr, builder.getI64IntegerAttr(end));
    module->setAttr(kMemoryAttr, builder.getDictionaryAttr(classes));
  }

  ModuleOp module;
  SmallVector<std::unique_ptr<PhasePlan>> plans;
  llvm::MapVector<SlotAttr, Type> states;
  llvm::DenseMap<SlotAttr, SlotAttr> shared; ///< prepared value to gradient
  FixedPlaces places;
  llvm::StringMap<int64_t> bytes; ///< by class
  int64_t end = 0;                ///< of what is placed
};

struct PlanMemory : public program::impl::PlanMemoryBase<PlanMemory> {
  void runOnOperation() override {
    if (failed(Arena(getOperation()).plan()))
      signalPassFailure();
  }
};

} // namespace
