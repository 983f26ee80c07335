//===- RecomputeRows.cpp - Rows made again instead of being kept -------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowsBuilder.h"
#include "mlir/IR/Remarks.h"
#include "vernier/Program/Passes.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace vernier::program {
#define GEN_PASS_DEF_RECOMPUTEROWS
#include "vernier/Program/Passes.h.inc"
} // namespace vernier::program

namespace {

/// Computes in `rows` what it reads of `producer`, as far as all that it takes
/// is read there already, or can be read instead.
class Recomputation {
public:
  Recomputation(RowsOp rows, RowsOp producer)
      : rows(rows), producer(producer), body(rows.getBody().front()),
        source(producer.getBody().front()), builder(OpBuilder::atBlockBegin(&body)) {
    // What the consumer reads of the producer's results, and of its inputs.
    for (auto [index, input] : llvm::enumerate(rows.getInputs())) {
      BlockArgument argument = body.getArgument(index);
      if (input.getDefiningOp() == producer && isRowForRow(index)) {
        unsigned result = cast<OpResult>(input).getResultNumber();
        results.insert({source.getTerminator()->getOperand(result), argument});
      }
      for (auto [position, other] : llvm::enumerate(producer.getInputs()))
        if (other == input && producer.getMaps()[position] == rows.getMaps()[index])
          known.map(source.getArgument(position), argument);
    }
  }

  /// Whether an argument of `rows` was replaced.
  bool run() {
    bool changed = false;
    for (Value value : getResultsInOrder()) {
      Value argument = results.lookup(value);
      if (!isa<RankedTensorType>(value.getType()) || argument.use_empty())
        continue; // a number is cheaper to read than to compute
      llvm::SetVector<Operation *> slice;
      // What takes more than is read here is kept; and nothing is to be computed
      // of what the producer only passes on.
      readInstead(value);
      if (!collect(value, value, slice) || slice.empty())
        continue;
      Value again = clone(value, slice);
      argument.replaceAllUsesWith(again);
      results[value] = again;
      changed = true;
    }
    return changed;
  }

private:
  // As the producer computes them: one that is made of another comes after it,
  // and takes what was computed again for that one.
  SmallVector<Value> getResultsInOrder() const {
    SmallVector<Value> computed;
    for (auto [value, argument] : results)
      if (value.getDefiningOp())
        computed.push_back(value);
    llvm::sort(computed, [](Value a, Value b) {
      return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp());
    });
    return computed;
  }

  bool isRowForRow(unsigned input) {
    auto result = cast<OpResult>(rows.getInputs()[input]);
    auto producer = cast<RowsOp>(result.getOwner());
    auto kind = cast<OutputKindAttr>(producer.getOutputs()[result.getResultNumber()]);
    return kind.getValue() == OutputKind::Map && producer.getSpace() == rows.getSpace() &&
           cast<AffineMapAttr>(rows.getMaps()[input]).getValue().isIdentity();
  }

  // What is read in `rows` besides the value that is to be computed.
  Value getKnown(Value value, Value wanted) {
    if (Value argument = known.lookupOrNull(value))
      return argument;
    auto result = results.find(value);
    return value != wanted && result != results.end() ? result->second : Value();
  }

  // Adds the operations that `value` takes, producers first. False if it takes
  // an input that `rows` does not read.
  bool collect(Value value, Value wanted, llvm::SetVector<Operation *> &slice) {
    if (getKnown(value, wanted))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (slice.contains(op))
      return true;
    if (!llvm::all_of(op->getOperands(),
                      [&](Value operand) { return collect(operand, wanted, slice); }))
      return false;
    slice.insert(op);
    return true;
  }

  // Adds the inputs of the producer that `value` takes and `rows` does not read.
  // False if it takes a sweep over a row.
  bool findMissing(Value value, Value wanted, llvm::SetVector<BlockArgument> &missing) {
    if (getKnown(value, wanted))
      return true;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      missing.insert(argument);
      return true;
    }
    Operation *op = value.getDefiningOp();
    return !isa<ReduceOp>(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
      return findMissing(operand, wanted, missing);
    });
  }

  // Whether nothing but `rows` reads a result of the producer.
  bool isReadHereOnly(Value value) {
    for (OpResult result : producer->getResults())
      if (source.getTerminator()->getOperand(result.getResultNumber()) == value &&
          !result.use_empty() && !result.hasOneUse())
        return false;
    return true;
  }

  // Reads what `value` is computed from in its place: one row of an argument of
  // the phase, which is there in any case, and besides it only numbers, and rows
  // that are the same everywhere. So the gradient of a scaled weight is not made
  // before the optimizer takes it.
  void readInstead(Value value) {
    llvm::SetVector<BlockArgument> missing;
    if (!isReadHereOnly(value) || !findMissing(value, value, missing))
      return;
    unsigned numRows = 0;
    for (BlockArgument argument : missing) {
      AffineMap map = getMap(argument);
      bool isRow = isa<RankedTensorType>(argument.getType());
      if (!isRow || map.getNumResults() == 0)
        continue;
      if (!map.isIdentity() || !isa<BlockArgument>(producer.getInputs()[argument.getArgNumber()]) ||
          ++numRows > 1)
        return;
    }
    for (BlockArgument argument : missing)
      known.map(argument, addInput(argument));
  }

  AffineMap getMap(BlockArgument argument) {
    return cast<AffineMapAttr>(producer.getMaps()[argument.getArgNumber()]).getValue();
  }

  Value addInput(BlockArgument argument) {
    SmallVector<Attribute> maps(rows.getMaps().begin(), rows.getMaps().end());
    maps.push_back(AffineMapAttr::get(getMap(argument)));
    rows->insertOperands(rows->getNumOperands(), producer.getInputs()[argument.getArgNumber()]);
    rows.setMapsAttr(ArrayAttr::get(rows.getContext(), maps));
    return body.addArgument(argument.getType(), argument.getLoc());
  }

  Value clone(Value value, const llvm::SetVector<Operation *> &slice) {
    IRMapping mapping = known;
    for (auto [result, argument] : results)
      if (result != value)
        mapping.map(result, argument);
    for (Operation *op : slice)
      builder.clone(*op, mapping);
    return mapping.lookup(value);
  }

  RowsOp rows, producer;
  Block &body, &source;
  OpBuilder builder;
  llvm::MapVector<Value, Value> results; ///< yielded by the producer -> what holds it here
  IRMapping known;                       ///< argument of the producer -> argument
};

struct RecomputeRows : public program::impl::RecomputeRowsBase<RecomputeRows> {
  void runOnOperation() override {
    getOperation().walk([](RowsOp rows) {
      llvm::SetVector<Operation *> producers;
      for (Value input : rows.getInputs())
        if (auto producer = input.getDefiningOp<RowsOp>())
          producers.insert(producer);
      for (Operation *producer : producers)
        if (Recomputation(rows, cast<RowsOp>(producer)).run())
          remark::passed(rows.getLoc(),
                         remark::RemarkOpts::name("recomputed").category("vernier-recompute-rows"))
              << remark::add("computes rows of {0} again",
                             producer->getAttrOfType<StringAttr>(kLabelAttr));
    });
  }
};

} // namespace
