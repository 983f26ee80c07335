//===- VerifyPlan.cpp - Follows a memory plan byte by byte --------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhasePlan.h"
#include "SharedPlaces.h"
#include "Views.h"
#include "vernier/Program/Geometry.h"
#include "vernier/Program/Passes.h"
#include "vernier/Program/Reuse.h"
#include <map>

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace vernier::program {
#define GEN_PASS_DEF_VERIFYPLAN
#include "vernier/Program/Passes.h.inc"
} // namespace vernier::program

namespace {

/// Bytes of the arena, and the value that they hold (null: a workspace).
struct Claim {
  int64_t begin = 0, end = 0;
  Value value;
  bool overlaps(const Claim &other) const { return begin < other.end && other.begin < end; }
};

/// Executes a phase with values' names in place of their entries: a value that
/// is read must lie where it was put, with no byte overwritten since. It knows
/// nothing of lifetimes.
class PlanChecker {
public:
  PlanChecker(func::FuncOp phase, int64_t arenaBytes) : phase(phase), arenaBytes(arenaBytes) {}

  LogicalResult check() {
    for (BlockArgument argument : phase.getArguments())
      if (failed(write(phase, argument,
                       phase.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kOffsetAttr))))
        return failure();
    // Tables are there before the phase begins.
    for (auto table : phase.getBody().front().getOps<RopeTableOp>())
      if (failed(writeResults(table)))
        return failure();
    for (Operation &op : phase.getBody().front())
      if (failed(execute(op)))
        return failure();
    return success();
  }

private:
  LogicalResult execute(Operation &op) {
    if (isView(&op) || isa<RopeTableOp>(op))
      return success();
    for (Value operand : op.getOperands())
      if (failed(read(&op, operand)))
        return failure();
    if (isa<func::ReturnOp>(op))
      return checkReturned(op);
    for (OpResult result : op.getResults())
      if (!getOffset(result))
        return op.emitError() << "has a result without a place: it was not planned";
    if (failed(checkInPlace(op)))
      return failure();
    if (auto launch = dyn_cast<LaunchOp>(op))
      if (failed(writeWorkspace(launch)))
        return failure();
    return writeResults(&op);
  }

  const Claim *find(Value value) {
    auto begin = beginOf.find(stripViews(value));
    if (begin == beginOf.end())
      return nullptr;
    auto claim = claims.find(begin->second);
    return claim != claims.end() && claim->second.value == begin->first ? &claim->second : nullptr;
  }

  // Claims never overlap: what is written ends what was there.
  void endClaims(const Claim &written) {
    auto claim = claims.lower_bound(written.begin);
    if (claim != claims.begin() && std::prev(claim)->second.overlaps(written))
      --claim;
    while (claim != claims.end() && claim->second.overlaps(written))
      claim = claims.erase(claim);
  }

  LogicalResult read(Operation *op, Value value) {
    if (find(value))
      return success();
    auto diagnostic = op->emitError() << "reads a value that was overwritten";
    diagnostic.attachNote(value.getLoc()) << "the value is made here";
    return failure();
  }

  FailureOr<Claim> makeClaim(Operation *op, int64_t offset, int64_t bytes, Value value) {
    Claim claim{offset, offset + bytes, value};
    if (offset < 0 || offset % kBufferAlignment != 0 || claim.end > arenaBytes)
      return op->emitError() << "has " << bytes << " bytes at offset " << offset
                             << ", which is not aligned to " << kBufferAlignment
                             << " bytes within an arena of " << arenaBytes;
    return claim;
  }

  LogicalResult write(Operation *op, Value value, IntegerAttr offset) {
    if (!offset)
      return op->emitError() << "has an argument without a place: it was not planned";
    auto claim = makeClaim(op, offset.getInt(), getBytes(value.getType()), value);
    if (failed(claim))
      return failure();
    endClaims(*claim);
    claims[claim->begin] = *claim;
    beginOf[value] = claim->begin;
    return success();
  }

  static IntegerAttr getOffset(OpResult result) {
    auto offsets = result.getOwner()->getAttrOfType<DenseI64ArrayAttr>("offsets");
    if (!offsets || offsets.size() <= static_cast<int64_t>(result.getResultNumber()))
      return nullptr;
    return Builder(result.getContext()).getI64IntegerAttr(offsets[result.getResultNumber()]);
  }

  LogicalResult writeResults(Operation *op) {
    for (OpResult result : op->getResults())
      if (failed(write(op, result, getOffset(result))))
        return failure();
    for (OpResult result : op->getResults())
      if (!find(result))
        return op->emitError() << "has results that overlap";
    return success();
  }

  // A workspace overlaps neither operands nor results.
  LogicalResult writeWorkspace(LaunchOp launch) {
    Operation *kernel = SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr());
    int64_t bytes = getGeometry(kernel).workspaceBytes;
    if (bytes == 0)
      return success();
    if (!launch.getWorkspace())
      return launch.emitError() << "has no workspace: it was not planned";
    auto claim = makeClaim(launch, *launch.getWorkspace(), bytes, Value());
    if (failed(claim))
      return failure();
    for (Value value : llvm::concat<Value>(launch.getOperands(), launch.getResults()))
      if (claim->overlaps(getPlace(value)))
        return launch.emitError() << "has a workspace that overlaps an operand or result";
    endClaims(*claim);
    return success();
  }

  Claim getPlace(Value value) {
    if (const Claim *claim = find(value))
      return *claim;
    int64_t begin = getOffset(cast<OpResult>(value)).getInt();
    return {begin, begin + getBytes(value.getType()), value};
  }

  // A result lies on an operand only where it must or may, and then exactly.
  LogicalResult checkInPlace(Operation &op) {
    OpOperand *overwritten = getOverwritten(&op);
    auto launch = dyn_cast<LaunchOp>(op);
    Operation *kernel =
        launch ? SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr()) : nullptr;
    for (OpResult result : op.getResults())
      for (OpOperand &operand : op.getOpOperands()) {
        Claim from = getPlace(operand.get()), to = getPlace(result);
        bool same = from.begin == to.begin && from.end == to.end;
        if (&operand == overwritten && !same)
          return op.emitError() << "does not write its result where it must";
        bool may =
            &operand == overwritten ||
            (kernel && mayReuse(kernel, operand.getOperandNumber(), result.getResultNumber()));
        if (from.overlaps(to) && !(same && may))
          return op.emitError() << "writes result " << result.getResultNumber() << " over operand "
                                << operand.getOperandNumber() << ", which it may not";
      }
    return success();
  }

  LogicalResult checkReturned(Operation &op) {
    for (OpOperand &operand : op.getOpOperands()) {
      auto offset = phase.getResultAttrOfType<IntegerAttr>(operand.getOperandNumber(), kOffsetAttr);
      if (!offset || find(operand.get())->begin != offset.getInt())
        return op.emitError() << "returns a value that does not lie at the place of result "
                              << operand.getOperandNumber();
    }
    return success();
  }

  func::FuncOp phase;
  int64_t arenaBytes;
  std::map<int64_t, Claim> claims; ///< by first byte
  llvm::DenseMap<Value, int64_t> beginOf;
};

/// A state has one place in all phases, and nothing else lies there but, beside a
/// prepared value, its gradient.
class StateChecker {
public:
  LogicalResult check(ModuleOp module) {
    for (auto phase : module.getOps<func::FuncOp>()) {
      if (!isPhase(phase))
        continue;
      for (auto [i, type] : llvm::enumerate(phase.getArgumentTypes()))
        if (failed(add(phase, getArgumentSlot(phase, i), type,
                       phase.getArgAttrOfType<IntegerAttr>(i, kOffsetAttr))))
          return failure();
      for (auto [i, type] : llvm::enumerate(phase.getResultTypes()))
        if (failed(add(phase, getResultSlot(phase, i), type,
                       phase.getResultAttrOfType<IntegerAttr>(i, kOffsetAttr))))
          return failure();
    }
    return success();
  }

  /// Whether no state of which the phase does not return the next value is
  /// overwritten in it.
  LogicalResult checkUntouched(func::FuncOp phase) {
    llvm::DenseSet<SlotAttr> returned;
    for (unsigned i = 0; i < phase.getNumResults(); ++i)
      returned.insert(getResultSlot(phase, i));
    WalkResult walked = phase.walk([&](Operation *op) {
      auto offsets = op->getAttrOfType<DenseI64ArrayAttr>("offsets");
      if (!offsets || isa<RopeTableOp>(op))
        return WalkResult::advance();
      for (auto [offset, type] : llvm::zip_equal(offsets.asArrayRef(), op->getResultTypes()))
        for (SlotAttr slot : getStates(offset, offset + getBytes(type)))
          if (!returned.contains(slot) && !returned.contains(partners.lookup(slot))) {
            op->emitError() << "overwrites the state " << slot << ", which its phase keeps";
            return WalkResult::interrupt();
          }
      return WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
  }

private:
  struct State {
    int64_t end = 0;
    SlotAttr slot;
  };

  LogicalResult add(func::FuncOp phase, SlotAttr slot, Type type, IntegerAttr offset) {
    if (!isState(slot))
      return success();
    int64_t begin = offset ? offset.getInt() : -1, end = begin + getBytes(type);
    auto [place, isNew] = beginOf.try_emplace(slot, begin);
    if (place->second != begin)
      return phase.emitError() << "has " << slot << " at offset " << begin
                               << ", but another phase at offset " << place->second;
    if (!isNew)
      return success();
    auto others = getStates(begin, end);
    if (others.empty()) {
      states[begin] = {end, slot};
      return success();
    }
    if (others.size() == 1 && mayShare(others[0], slot) && !partners.contains(others[0]) &&
        beginOf.lookup(others[0]) == begin && states.at(begin).end == end) {
      partners[others[0]] = slot;
      return success();
    }
    return phase.emitError() << "has " << slot << " and " << others.front() << " at one place";
  }

  // The states that lie in [begin, end).
  SmallVector<SlotAttr> getStates(int64_t begin, int64_t end) {
    SmallVector<SlotAttr> found;
    auto state = states.upper_bound(begin);
    if (state != states.begin() && std::prev(state)->second.end > begin)
      --state;
    for (; state != states.end() && state->first < end; ++state)
      found.push_back(state->second.slot);
    return found;
  }

  std::map<int64_t, State> states; ///< by first byte
  llvm::DenseMap<SlotAttr, int64_t> beginOf;
  llvm::DenseMap<SlotAttr, SlotAttr> partners; ///< what shares the place of a state
};

struct VerifyPlan : public program::impl::VerifyPlanBase<VerifyPlan> {
  void runOnOperation() override {
    auto arena = getOperation()->getAttrOfType<IntegerAttr>(kArenaBytesAttr);
    if (!arena) {
      getOperation().emitError() << "has no '" << kArenaBytesAttr << "': it was not planned";
      return signalPassFailure();
    }
    StateChecker states;
    if (failed(states.check(getOperation())))
      return signalPassFailure();
    for (auto phase : getOperation().getOps<func::FuncOp>())
      if (isPhase(phase) && (failed(PlanChecker(phase, arena.getInt()).check()) ||
                             failed(states.checkUntouched(phase))))
        return signalPassFailure();
  }
};

} // namespace
