//===- PhasePlan.cpp - The buffers of one phase ------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhasePlan.h"
#include "Views.h"
#include "mlir/IR/Remarks.h"
#include "vernier/Program/Geometry.h"
#include "vernier/Program/Reuse.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

Attribute program::getTableKey(RopeTableOp op) {
  Builder builder(op.getContext());
  return builder.getArrayAttr(
      {op.getThetaAttr(),
       op.getScalingAttr() ? Attribute(op.getScalingAttr()) : builder.getUnitAttr(),
       TypeAttr::get(op.getCosines().getType())});
}

PhasePlan::PhasePlan(func::FuncOp phase) : phase(phase) {
  int64_t position = 0;
  for (Operation &op : phase.getBody().front())
    positions[&op] = position++;
}

LogicalResult PhasePlan::build() {
  findHomes();
  addArguments();
  for (Operation &op : phase.getBody().front().without_terminator())
    if (failed(addOperation(op)))
      return failure();
  return success();
}

// A state's next value, and all that it is made of by overwriting, lies where
// the state lies. That this overwrites nothing too early is the work of
// vernier-guard-state.
void PhasePlan::findHomes() {
  Operation *end = phase.getBody().front().getTerminator();
  for (OpOperand &result : end->getOpOperands()) {
    SlotAttr slot = getResultSlot(phase, result.getOperandNumber());
    if (!isState(slot))
      continue;
    Value value = stripViews(result.get());
    while (true) {
      homes.try_emplace(value, slot);
      OpOperand *overwritten =
          value.getDefiningOp() ? getOverwritten(value.getDefiningOp()) : nullptr;
      if (!overwritten)
        break;
      value = stripViews(overwritten->get());
    }
  }
}

unsigned PhasePlan::getState(SlotAttr slot) {
  auto [entry, isNew] = states.try_emplace(slot, buffers.size());
  if (isNew) {
    buffers.emplace_back().kind = Buffer::Kind::State;
    buffers.back().slot = slot;
  }
  return entry->second;
}

unsigned PhasePlan::addTransient(Buffer::Kind kind, int64_t bytes, int64_t first, int64_t last) {
  Buffer &buffer = buffers.emplace_back();
  buffer.kind = kind;
  buffer.lifetime = {bytes, first, last};
  return buffers.size() - 1;
}

void PhasePlan::addArguments() {
  for (BlockArgument argument : phase.getArguments()) {
    SlotAttr slot = getArgumentSlot(phase, argument.getArgNumber());
    bufferOf[argument] = isState(slot)
                             ? getState(slot)
                             : addTransient(Buffer::Kind::Input, getBytes(argument.getType()), -1,
                                            std::max<int64_t>(getLastUse(argument), -1));
  }
}

int64_t PhasePlan::getLastUse(Value value) const {
  int64_t last = value.getDefiningOp() ? positions.at(value.getDefiningOp()) : -1;
  for (OpOperand *read : getReads(value))
    last = std::max(last, positions.at(read->getOwner()));
  return last;
}

LogicalResult PhasePlan::addOperation(Operation &op) {
  if (isView(&op))
    return success();
  if (auto table = dyn_cast<RopeTableOp>(op)) {
    addTables(table);
    return success();
  }
  if (!isa<LaunchOp, ProductOp>(op))
    return op.emitError() << "'" << op.getName() << "' has no place in a kernel program: expected "
                          << "launches, products, tables and views";
  for (OpResult result : op.getResults())
    addResult(result);
  if (auto launch = dyn_cast<LaunchOp>(op))
    addWorkspace(launch);
  return success();
}

void PhasePlan::addTables(RopeTableOp op) {
  for (OpResult result : op->getResults()) {
    bufferOf[result] = buffers.size();
    Buffer &buffer = buffers.emplace_back();
    buffer.kind = Buffer::Kind::Table;
    buffer.table = getTableKey(op);
    buffer.tableIndex = result.getResultNumber();
  }
}

void PhasePlan::addResult(OpResult result) {
  Operation *op = result.getOwner();
  int64_t last = getLastUse(result);
  OpOperand *overwritten = getOverwritten(op);
  if (overwritten) {
    bufferOf[result] = bufferOf.lookup(stripViews(overwritten->get()));
  } else if (SlotAttr home = homes.lookup(result)) {
    bufferOf[result] = getState(home);
  } else if (std::optional<unsigned> reusable = findReusable(result)) {
    bufferOf[result] = *reusable;
  } else {
    bufferOf[result] =
        addTransient(Buffer::Kind::Value, getBytes(result.getType()), positions.at(op), last);
    return;
  }
  Buffer &buffer = buffers[bufferOf[result]];
  buffer.taker = op;
  buffer.lifetime.last = std::max(buffer.lifetime.last, last);
}

// The buffer of an operand that is read for the last time here, if the kernel
// may write the result over it.
std::optional<unsigned> PhasePlan::findReusable(OpResult result) {
  auto launch = dyn_cast<LaunchOp>(result.getOwner());
  if (!launch)
    return std::nullopt;
  Operation *kernel = symbols.lookupNearestSymbolFrom(launch, launch.getKernelAttr());
  for (Value input : launch.getInputs()) {
    unsigned index = bufferOf.lookup(stripViews(input));
    const Buffer &buffer = buffers[index];
    bool isTransient = buffer.kind == Buffer::Kind::Value || buffer.kind == Buffer::Kind::Input;
    if (!isTransient || buffer.taker == launch || buffer.lifetime.last != positions.at(launch) ||
        buffer.lifetime.bytes != getBytes(result.getType()))
      continue;
    if (llvm::all_of(launch->getOpOperands(), [&](OpOperand &operand) {
          return bufferOf.lookup(stripViews(operand.get())) != index ||
                 mayReuse(kernel, operand.getOperandNumber(), result.getResultNumber());
        }))
      return index;
  }
  return std::nullopt;
}

void PhasePlan::addWorkspace(LaunchOp launch) {
  Operation *kernel = symbols.lookupNearestSymbolFrom(launch, launch.getKernelAttr());
  int64_t bytes = getGeometry(kernel).workspaceBytes, position = positions.at(launch);
  if (bytes > 0)
    workspaceOf[launch] = addTransient(Buffer::Kind::Workspace, bytes, position, position);
}

SmallVector<unsigned> PhasePlan::getTransients() const {
  SmallVector<unsigned> transients;
  for (unsigned i = 0; i < buffers.size(); ++i)
    if (buffers[i].kind >= Buffer::Kind::Input)
      transients.push_back(i);
  return transients;
}

int64_t PhasePlan::placeTransients() {
  SmallVector<unsigned> transients = getTransients();
  auto lifetimes =
      llvm::map_to_vector(transients, [&](unsigned index) { return buffers[index].lifetime; });
  Placement placement = assignOffsets(lifetimes);
  for (auto [index, offset] : llvm::zip_equal(transients, placement.offsets))
    buffers[index].offset = offset;
  peak = getPeak(lifetimes);
  remark::analysis(phase.getLoc(),
                   remark::RemarkOpts::name("phase").category("vernier-plan-memory"))
      << remark::add("{0} takes {1} bytes, of which {2} are in use at operation {3}",
                     phase.getName().str(), placement.bytes, peak.bytes, peak.position);
  return placement.bytes;
}

int64_t PhasePlan::getBytesAtPeak(Buffer::Kind kind) const {
  int64_t bytes = 0;
  for (const Buffer &buffer : buffers)
    if (buffer.kind == kind && buffer.lifetime.first <= peak.position &&
        peak.position <= buffer.lifetime.last)
      bytes += llvm::alignTo(buffer.lifetime.bytes, kBufferAlignment);
  return bytes;
}

void PhasePlan::apply(int64_t base, const FixedPlaces &places) {
  auto offsetOf = [&](unsigned index) {
    const Buffer &buffer = buffers[index];
    if (buffer.kind == Buffer::Kind::State)
      return places.states.lookup(buffer.slot);
    if (buffer.kind == Buffer::Kind::Table)
      return places.tables.lookup({buffer.table, buffer.tableIndex});
    return base + buffer.offset;
  };
  Builder builder(phase.getContext());
  // All at once: setting one rewrites the attributes of all.
  auto withOffset = [&](DictionaryAttr attributes, Value value) {
    NamedAttrList list(attributes);
    int64_t offset = offsetOf(bufferOf.lookup(stripViews(value)));
    list.set(kOffsetAttr, builder.getI64IntegerAttr(offset));
    return list.getDictionary(builder.getContext());
  };
  SmallVector<DictionaryAttr> argumentAttributes, resultAttributes;
  for (BlockArgument argument : phase.getArguments())
    argumentAttributes.push_back(
        withOffset(phase.getArgAttrDict(argument.getArgNumber()), argument));
  for (auto [number, value] :
       llvm::enumerate(phase.getBody().front().getTerminator()->getOperands()))
    resultAttributes.push_back(withOffset(phase.getResultAttrDict(number), value));
  phase.setAllArgAttrs(argumentAttributes);
  phase.setAllResultAttrs(resultAttributes);
  for (Operation &op : phase.getBody().front().without_terminator()) {
    if (isView(&op))
      continue;
    auto offsets = llvm::map_to_vector(
        op.getResults(), [&](Value value) { return offsetOf(bufferOf.lookup(value)); });
    op.setAttr("offsets", builder.getDenseI64ArrayAttr(offsets));
    if (auto workspace = workspaceOf.find(&op); workspace != workspaceOf.end())
      op.setAttr("workspace", builder.getI64IntegerAttr(offsetOf(workspace->second)));
  }
}
