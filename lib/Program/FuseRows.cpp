//===- FuseRows.cpp - Neighbouring row kernels become one --------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterGraph.h"
#include "RowsBuilder.h"
#include "mlir/IR/Remarks.h"
#include "vernier/Program/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace vernier;
using namespace vernier::program;

namespace vernier::program {
#define GEN_PASS_DEF_FUSEROWS
#include "vernier/Program/Passes.h.inc"
} // namespace vernier::program

static AffineMap getMap(RowsOp rows, unsigned input) {
  return cast<AffineMapAttr>(rows.getMaps()[input]).getValue();
}

// Whether `input` reads, row for row, what another row kernel stores.
static bool readsRowForRow(RowsOp rows, unsigned input) {
  auto result = dyn_cast<OpResult>(rows.getInputs()[input]);
  auto producer = result ? dyn_cast<RowsOp>(result.getOwner()) : RowsOp();
  return producer && producer.getSpace() == rows.getSpace() && getMap(rows, input).isIdentity() &&
         cast<OutputKindAttr>(producer.getOutputs()[result.getResultNumber()]).getValue() ==
             OutputKind::Map;
}

static StringRef getLabel(Operation *op) {
  auto label = op->getAttrOfType<StringAttr>(kLabelAttr);
  return label ? label.getValue() : "rows";
}

static bool hasRows(RowsOp rows) {
  auto isRow = [](Type type) { return isa<RankedTensorType>(type); };
  Block &body = rows.getBody().front();
  return llvm::any_of(body.getArgumentTypes(), isRow) ||
         llvm::any_of(body.getTerminator()->getOperandTypes(), isRow);
}

namespace {

//===----------------------------------------------------------------------===//
// Which kernels become one
//===----------------------------------------------------------------------===//

/// Groups the row kernels of a block. In the order of the block, each joins
/// the clusters of the kernels whose rows it reads, then of those that read a
/// row it reads too, wherever no dependence goes out of the cluster and back.
class Grouping {
public:
  explicit Grouping(Block &block) : graph(std::distance(block.begin(), block.end())) {
    for (Operation &op : block) {
      llvm::SmallSetVector<unsigned, 4> predecessors;
      for (Value operand : op.getOperands())
        if (Operation *producer = operand.getDefiningOp())
          predecessors.insert(nodes.lookup(producer));
      nodes[&op] = graph.addNode(predecessors.getArrayRef());
      ops.push_back(&op);
      if (auto rows = dyn_cast<RowsOp>(op))
        join(rows);
    }
  }

  /// The kernels of the cluster of `op`, in the order of the block.
  SmallVector<Operation *> getMembers(Operation *op) const {
    return llvm::map_to_vector(graph.getMembers(nodes.lookup(op)),
                               [&](unsigned node) { return ops[node]; });
  }

private:
  void join(RowsOp rows) {
    for (unsigned i = 0; i < rows.getInputs().size(); ++i)
      if (readsRowForRow(rows, i) && isWorthwhile(rows, i))
        tryMerge(rows.getInputs()[i].getDefiningOp(), rows);
    for (unsigned i = 0; i < rows.getInputs().size(); ++i)
      if (isa<RankedTensorType>(rows.getBody().getArgument(i).getType()) &&
          getMap(rows, i).isIdentity())
        joinReadersOf(rows.getInputs()[i], rows);
  }

  // Where the space has one row, a number is one for the whole tensor, such as
  // the factor that clips all gradients: kernels that only share it stay apart.
  static bool isWorthwhile(RowsOp rows, unsigned input) {
    if (!rows.getSpace().empty() ||
        isa<RankedTensorType>(rows.getBody().getArgument(input).getType()))
      return true;
    return !hasRows(rows) && !hasRows(cast<RowsOp>(rows.getInputs()[input].getDefiningOp()));
  }

  void joinReadersOf(Value value, RowsOp rows) {
    for (OpOperand &use : value.getUses()) {
      auto other = dyn_cast<RowsOp>(use.getOwner());
      if (other && other != rows && nodes.contains(other) && other.getSpace() == rows.getSpace() &&
          getMap(other, use.getOperandNumber()).isIdentity())
        tryMerge(other, rows);
    }
  }

  void tryMerge(Operation *a, Operation *b) {
    unsigned first = graph.find(nodes[a]), second = graph.find(nodes[b]);
    if (first == second)
      return;
    if (!graph.mayMerge(first, second))
      return decline(a, b, "what lies between has to run after one and before the other");
    if (!readOnlyRowForRow(first, second) || !readOnlyRowForRow(second, first))
      return decline(a, b, "one reads a sum, or other rows, of the other");
    graph.merge(first, second);
  }

  static void decline(Operation *a, Operation *b, const char *reason) {
    remark::missed(b->getLoc(), remark::RemarkOpts::name("not-fused").category("vernier-fuse-rows"))
        << remark::reason("{0} not fused with {1}: {2}", getLabel(b), getLabel(a), reason);
  }

  // Whether what the kernels of `to` read of those of `from` is row for row.
  bool readOnlyRowForRow(unsigned from, unsigned to) {
    for (unsigned node : graph.getMembers(to)) {
      auto rows = cast<RowsOp>(ops[node]);
      for (auto [index, input] : llvm::enumerate(rows.getInputs())) {
        Operation *producer = input.getDefiningOp();
        if (producer && graph.find(nodes.lookup(producer)) == from && !readsRowForRow(rows, index))
          return false;
      }
    }
    return true;
  }

  ClusterGraph graph;
  llvm::DenseMap<Operation *, unsigned> nodes;
  SmallVector<Operation *> ops;
};

//===----------------------------------------------------------------------===//
// Making one kernel of several
//===----------------------------------------------------------------------===//

/// Builds the kernel that does what `members`, in this order, do.
class FusedRows {
public:
  FusedRows(ArrayRef<Operation *> members, OpBuilder &builder)
      : members(members), builder(builder) {}

  void build() {
    Block &block = body.emplaceBlock();
    bodyBuilder.setInsertionPointToEnd(&block);
    for (Operation *member : members)
      inlineMember(cast<RowsOp>(member));
    YieldOp::create(bodyBuilder, builder.getFusedLoc(locs), yielded);
    auto first = cast<RowsOp>(members.front());
    auto fused = RowsOp::create(builder, builder.getFusedLoc(locs), TypeRange(ValueRange(replaced)),
                                getInputs(), first.getSpace(), builder.getArrayAttr(maps),
                                builder.getArrayAttr(kinds));
    fused.getBody().takeBody(body);
    fused->setAttr(kLabelAttr, builder.getStringAttr(joinLabels()));
    for (auto [from, to] : llvm::zip_equal(replaced, fused.getResults()))
      from.replaceAllUsesWith(to);
    for (Operation *member : llvm::reverse(members))
      member->erase();
  }

private:
  SmallVector<Value> getInputs() {
    return llvm::map_to_vector(inputs, [](auto &entry) { return entry.first.first; });
  }

  // A row or number that is computed in this kernel, or an argument for it.
  Value read(Value tensor, Attribute map, Type type) {
    if (Value computed = inBody.lookupOrNull(tensor))
      return computed;
    auto [entry, isNew] = inputs.insert({{tensor, map}, Value()});
    if (isNew) {
      entry->second = body.front().addArgument(type, tensor.getLoc());
      maps.push_back(map);
    }
    return entry->second;
  }

  void inlineMember(RowsOp rows) {
    locs.push_back(rows.getLoc());
    Block &from = rows.getBody().front();
    IRMapping mapping;
    for (BlockArgument argument : from.getArguments()) {
      unsigned i = argument.getArgNumber();
      mapping.map(argument, read(rows.getInputs()[i], rows.getMaps()[i], argument.getType()));
    }
    for (Operation &op : from.without_terminator())
      bodyBuilder.clone(op, mapping);
    for (OpResult result : rows->getResults()) {
      unsigned i = result.getResultNumber();
      Value value = mapping.lookupOrDefault(from.getTerminator()->getOperand(i));
      inBody.map(result, value);
      if (llvm::all_of(result.getUsers(),
                       [&](Operation *user) { return llvm::is_contained(members, user); }))
        continue;
      replaced.push_back(result);
      yielded.push_back(value);
      kinds.push_back(rows.getOutputs()[i]);
    }
  }

  std::string joinLabels() {
    SmallVector<StringRef> labels;
    for (Operation *member : members)
      if (StringRef label = getLabel(member); labels.empty() || labels.back() != label)
        labels.push_back(label);
    constexpr unsigned kShown = 6;
    if (labels.size() <= kShown)
      return llvm::join(labels, "_");
    size_t hidden = labels.size() - kShown;
    labels.truncate(kShown);
    return llvm::join(labels, "_") + "_and_" + std::to_string(hidden) + "_more";
  }

  ArrayRef<Operation *> members;
  OpBuilder &builder;
  OpBuilder bodyBuilder{builder.getContext()};
  Region body;
  llvm::MapVector<std::pair<Value, Attribute>, Value> inputs;
  IRMapping inBody;
  SmallVector<Value> replaced, yielded;
  SmallVector<Attribute> maps, kinds;
  SmallVector<Location> locs;
};

//===----------------------------------------------------------------------===//
// A new order
//===----------------------------------------------------------------------===//

/// Puts the operations of a block in an order in which clusters are contiguous:
/// each as late as its last member stood, or just before its first reader.
class Reordering {
public:
  Reordering(Block &block, const Grouping &grouping) : block(block) {
    for (Operation &op : block)
      all.push_back(&op);
    for (Operation *op : all)
      members[op] = grouping.getMembers(op);
  }

  void run() {
    for (Operation *op : all)
      if (members[op].back() == op)
        place(op);
  }

  /// The clusters of several kernels.
  SmallVector<SmallVector<Operation *>> getClusters() const {
    SmallVector<SmallVector<Operation *>> clusters;
    for (Operation *op : all)
      if (members.at(op).size() > 1 && members.at(op).front() == op)
        clusters.push_back(members.at(op));
    return clusters;
  }

private:
  void place(Operation *op) {
    ArrayRef<Operation *> cluster = members[op];
    if (!placed.insert(cluster.front()).second)
      return;
    for (Operation *member : cluster)
      for (Value operand : member->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (members[producer].front() != cluster.front())
            place(producer);
    for (Operation *member : cluster)
      member->moveBefore(&block, block.end());
  }

  Block &block;
  SmallVector<Operation *> all;
  llvm::DenseMap<Operation *, SmallVector<Operation *>> members;
  llvm::DenseSet<Operation *> placed;
};

struct FuseRows : public program::impl::FuseRowsBase<FuseRows> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    for (Block &block : getOperation().getBody()) {
      Grouping grouping(block);
      Reordering order(block, grouping);
      order.run();
      OpBuilder builder(&getContext());
      for (ArrayRef<Operation *> cluster : order.getClusters()) {
        builder.setInsertionPoint(cluster.front());
        FusedRows(cluster, builder).build();
      }
    }
  }
};

} // namespace
