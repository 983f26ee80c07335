//===- RowPlan.cpp - The sweeps in which a row kernel computes a row ----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPlan.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::cpu;
using namespace vernier::program;

bool cpu::isRow(Value value) { return isa<RankedTensorType>(value.getType()); }

int64_t cpu::getRowLength(Value row) {
  return cast<RankedTensorType>(row.getType()).getNumElements();
}

static bool isSum(KernelOp kernel, unsigned output) {
  return cast<OutputKindAttr>(kernel.getOutputs()[output]).getValue() == OutputKind::Sum;
}

bool cpu::mayShareBuffer(KernelOp kernel, BlockArgument operand, Type result) {
  AffineMap map = cast<AffineMapAttr>(kernel.getMaps()[operand.getArgNumber()]).getValue();
  Type type = operand.getType();
  auto bits = [](Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth(); };
  auto length = [](Type type) {
    auto row = dyn_cast<RankedTensorType>(type);
    return row ? row.getNumElements() : 1;
  };
  return map.isIdentity() && bits(type) == bits(result) && length(type) == length(result);
}

FailureOr<RowPlan> RowPlan::create(KernelOp kernel) {
  RowPlan plan(kernel);
  if (failed(plan.check()) || failed(plan.relateLengths()))
    return failure();
  plan.computeLevels();
  plan.findUniform();
  plan.makeSweeps();
  plan.keepExpensiveRows();
  return plan;
}

const KeptRow *RowPlan::getKept(Value row) const {
  auto it = keptRows.find(row);
  return it == keptRows.end() ? nullptr : &it->second;
}

void RowPlan::computeLevels() {
  for (Operation &op : kernel.getBody().front()) {
    unsigned level = 0;
    for (Value operand : op.getOperands())
      level = std::max(level, levels.lookup(operand));
    if (isa<ReduceOp>(op))
      ++level;
    for (Value result : op.getResults())
      levels[result] = level;
    levelCount = std::max(levelCount, level + 1);
  }
}

void RowPlan::findUniform() {
  Block &body = kernel.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    AffineMap map = cast<AffineMapAttr>(kernel.getMaps()[argument.getArgNumber()]).getValue();
    if (!isRow(argument) && map.getNumResults() == 0)
      uniform.insert(argument);
  }
  for (Operation &op : body.without_terminator()) {
    bool same = !isa<ReduceOp, tensor::ExtractOp>(op) && op.getNumResults() == 1 &&
                !isRow(op.getResult(0)) &&
                llvm::all_of(op.getOperands(), [&](Value v) { return uniform.contains(v); });
    if (same)
      uniform.insert(op.getResult(0));
  }
}

Sweep &RowPlan::getSweep(unsigned level, Value row) {
  int64_t pieceLength = pieceLengths.at(getRowLength(row));
  for (Sweep &sweep : sweeps)
    if (sweep.level == level && sweep.pieceLength == pieceLength)
      return sweep;
  sweeps.emplace_back();
  sweeps.back().level = level;
  sweeps.back().pieceLength = pieceLength;
  return sweeps.back();
}

// All results of a family of rows are stored in its last sweep, since they may
// lie where operands lie: before, all reductions and extractions are done.
void RowPlan::makeSweeps() {
  Block &body = kernel.getBody().front();
  std::map<int64_t, unsigned> lastLevels; // by length of pieces
  auto extend = [&](Value row, unsigned level) {
    unsigned &last = lastLevels[pieceLengths.at(getRowLength(row))];
    last = std::max(last, level);
  };
  body.walk([&](Operation *op) {
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      extend(reduce.getRow(), getLevel(reduce.getRow()));
      getSweep(getLevel(reduce.getRow()), reduce.getRow()).reductions.push_back(reduce);
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      extend(extract.getTensor(), getLevel(extract));
    }
  });
  OperandRange yielded = body.getTerminator()->getOperands();
  for (Value value : yielded)
    if (isRow(value))
      extend(value, getLevel(value));
  for (auto [index, value] : llvm::enumerate(yielded))
    if (isRow(value))
      getSweep(lastLevels.at(pieceLengths.at(getRowLength(value))), value).outputs.push_back(index);
  llvm::sort(sweeps, [](const Sweep &a, const Sweep &b) {
    return std::pair(a.level, a.pieceLength) < std::pair(b.level, b.pieceLength);
  });
}

//===----------------------------------------------------------------------===//
// Rows that are kept
//===----------------------------------------------------------------------===//

// What takes longer to compute than to store and load again: some 20
// operations a vector against two.
static bool isExpensive(Operation *op) {
  return op && isa<math::ExpOp, math::TanhOp, math::ErfOp, math::LogOp>(op);
}

void RowPlan::collectRows(Value root, unsigned sweep, llvm::SetVector<Value> &rows) {
  if (!isRow(root) || !rows.insert(root))
    return;
  const KeptRow *kept = getKept(root);
  if (kept && kept->firstSweep < sweep)
    return;
  if (Operation *op = root.getDefiningOp())
    for (Value operand : op->getOperands())
      collectRows(operand, sweep, rows);
}

llvm::SetVector<Value> RowPlan::getRowsOf(unsigned sweep) {
  llvm::SetVector<Value> rows;
  for (ReduceOp reduce : sweeps[sweep].reductions)
    collectRows(reduce.getRow(), sweep, rows);
  for (unsigned output : sweeps[sweep].outputs)
    collectRows(kernel.getBody().front().getTerminator()->getOperand(output), sweep, rows);
  return rows;
}

// From the last op to the first: a row that is kept may be all that another
// expensive one was needed for.
void RowPlan::keepExpensiveRows() {
  for (Operation &op : llvm::reverse(kernel.getBody().front())) {
    if (!isExpensive(&op) || !isRow(op.getResult(0)))
      continue;
    SmallVector<unsigned> readers;
    for (unsigned sweep = 0; sweep < sweeps.size(); ++sweep)
      if (getRowsOf(sweep).contains(op.getResult(0)))
        readers.push_back(sweep);
    if (readers.size() > 1)
      keep(op.getResult(0), readers.front());
  }
}

void RowPlan::keep(Value row, unsigned firstSweep) {
  keptRows[row].firstSweep = firstSweep;
  sweeps[firstSweep].kept.push_back(row);
  std::optional<unsigned> result = findFreeResult(row, firstSweep);
  KeptRow &kept = keptRows[row];
  kept.result = result;
  if (result)
    return;
  kept.scratchOffset = scratchBytes;
  int64_t bits = getElementTypeOrSelf(row).getIntOrFloatBitWidth();
  scratchBytes += llvm::alignTo(getRowLength(row) * llvm::divideCeil(bits, 8), 64);
}

// Whether sweeps, or extractions, read an operand after the given sweep.
bool RowPlan::readsAfter(Value operand, unsigned sweep) {
  for (unsigned later = sweep + 1; later < sweeps.size(); ++later)
    if (getRowsOf(later).contains(operand))
      return true;
  bool extracted = false;
  kernel.getBody().front().walk([&](tensor::ExtractOp extract) {
    llvm::SetVector<Value> rows;
    collectRows(extract.getTensor(), /*sweep=*/0, rows);
    extracted |= getLevel(extract) > sweeps[sweep].level && rows.contains(operand);
  });
  return extracted;
}

// A result's buffer serves if no operand that may lie there is read later.
std::optional<unsigned> RowPlan::findFreeResult(Value row, unsigned firstSweep) {
  Block &body = kernel.getBody().front();
  for (auto [index, yielded] : llvm::enumerate(body.getTerminator()->getOperands())) {
    unsigned number = index;
    Type type = yielded.getType();
    bool fits = isRow(yielded) && !isSum(kernel, number) &&
                getRowLength(yielded) == getRowLength(row) &&
                getElementTypeOrSelf(type).getIntOrFloatBitWidth() ==
                    getElementTypeOrSelf(row).getIntOrFloatBitWidth() &&
                !llvm::is_contained(sweeps[firstSweep].outputs, number);
    bool taken = llvm::any_of(keptRows, [&](auto &entry) { return entry.second.result == number; });
    auto isReadLater = [&](BlockArgument operand) {
      return mayShareBuffer(kernel, operand, type) && readsAfter(operand, firstSweep);
    };
    if (fits && !taken && llvm::none_of(body.getArguments(), isReadLater))
      return number;
  }
  return std::nullopt;
}
