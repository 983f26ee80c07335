//===- SplitLoss.cpp - The frontier between parameters and data -----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Transforms/RegionUtils.h"
#include "vernier/Training/Passes.h"
#include "vernier/Training/Phases.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace vernier {
#define GEN_PASS_DEF_SPLITLOSS
#include "vernier/Training/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

/// What a value depends on, from the least to the most.
enum class Origin { Constant, Parameters, Data };

/// Splits one loss function.
class LossSplitter {
public:
  LossSplitter(ModuleOp module, func::FuncOp loss) : module(module), loss(loss) {}
  LogicalResult run();

private:
  LogicalResult checkSignature();
  LogicalResult checkBody();
  LogicalResult checkParametersAreUsed();
  void findOrigins();
  void findFrontier();
  void buildPrepare();
  void buildForward();
  void addParameters(PhaseBuilder &phase, IRMapping &mapping, const llvm::StringSet<> &names);
  Origin originOf(Operation *op) const;
  Block &body() { return loss.getBody().front(); }
  Value lossValue() { return body().getTerminator()->getOperand(0); }

  ModuleOp module;
  func::FuncOp loss;
  DenseMap<Operation *, Origin> origins;
  llvm::StringSet<> preparedFrom, frontierParams;
  llvm::SetVector<Value> prepared;
};

struct SplitLoss : vernier::impl::SplitLossBase<SplitLoss> {
  using SplitLossBase::SplitLossBase;
  void runOnOperation() override {
    auto loss = getOperation().lookupSymbol<func::FuncOp>(function);
    if (!loss || loss.isExternal()) {
      emitError(getOperation().getLoc())
          << "the module has no loss: expected a function '" << function << "' with a body";
      return signalPassFailure();
    }
    if (failed(LossSplitter(getOperation(), loss).run()))
      return signalPassFailure();
    loss.erase();
  }
};

} // namespace

LogicalResult LossSplitter::checkSignature() {
  FunctionType type = loss.getFunctionType();
  auto isIndices = [](Type t) {
    auto tensor = dyn_cast<RankedTensorType>(t);
    return tensor && tensor.hasStaticShape() && tensor.getNumElements() > 0 &&
           tensor.getElementType().isInteger(32);
  };
  if (type.getNumInputs() != 2 || type.getInput(0) != type.getInput(1) ||
      !isIndices(type.getInput(0)))
    return emitError(loss.getLoc())
           << "'" << loss.getName()
           << "' must take ids and targets, two tensors of i32 of the same "
              "static shape, not empty, but takes ("
           << type.getInputs() << ")";
  auto scalar = RankedTensorType::get({}, Float32Type::get(loss.getContext()));
  if (type.getNumResults() != 1 || type.getResult(0) != scalar)
    return emitError(loss.getLoc()) << "'" << loss.getName() << "' must return the loss as "
                                    << scalar << ", but returns (" << type.getResults() << ")";
  if (!loss.getBody().hasOneBlock())
    return emitError(loss.getLoc()) << "'" << loss.getName() << "' must be one block, but has "
                                    << loss.getBody().getBlocks().size();
  return success();
}

// Everything after this may clone, drop and reorder.
LogicalResult LossSplitter::checkBody() {
  for (Operation &op : body().without_terminator())
    if (!isMemoryEffectFree(&op))
      return op.emitOpError() << "may have side effects, which a loss must not have";
  // The logits must be there without targets.
  for (Operation *user : loss.getArgument(1).getUsers())
    if (!isa<CrossEntropyOp, CountValidOp>(user))
      return user->emitOpError()
             << "reads the second argument of '" << loss.getName()
             << "', the targets, which only vernier.cross_entropy and count_valid may";
  return success();
}

LogicalResult LossSplitter::checkParametersAreUsed() {
  SmallVector<ParamOp> unused;
  for (ParamOp param : module.getOps<ParamOp>())
    if (!preparedFrom.contains(param.getSymName()) && !frontierParams.contains(param.getSymName()))
      unused.push_back(param);
  if (unused.empty())
    return success();
  InFlightDiagnostic error = emitError(loss.getLoc())
                             << "the loss does not depend on " << unused.size()
                             << (unused.size() == 1 ? " parameter" : " parameters")
                             << ", which cannot be trained";
  for (ParamOp param : unused)
    error.attachNote(param.getLoc()) << "parameter '" << param.getSymName() << "'";
  return error;
}

Origin LossSplitter::originOf(Operation *op) const {
  if (isa<GetParamOp>(op))
    return Origin::Parameters;
  llvm::SetVector<Value> read(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), read);
  Origin origin = Origin::Constant;
  for (Value value : read) {
    Operation *definition = value.getDefiningOp();
    origin = std::max(origin, definition ? origins.lookup(definition) : Origin::Data);
  }
  return origin;
}

void LossSplitter::findOrigins() {
  for (Operation &op : body())
    origins[&op] = originOf(&op);
}

void LossSplitter::findFrontier() {
  for (Operation &op : body()) {
    if (origins.lookup(&op) != Origin::Parameters)
      continue;
    for (OpResult result : op.getResults())
      for (Operation *user : result.getUsers()) {
        user = body().findAncestorOpInBlock(*user);
        bool isAtFrontier = origins.lookup(user) == Origin::Data;
        if (auto read = dyn_cast<GetParamOp>(op))
          (isAtFrontier ? frontierParams : preparedFrom).insert(read.getParam());
        else if (isAtFrontier)
          prepared.insert(result);
      }
  }
}

// Arguments for the parameters in `names`, in the order of the module.
void LossSplitter::addParameters(PhaseBuilder &phase, IRMapping &mapping,
                                 const llvm::StringSet<> &names) {
  for (ParamOp param : module.getOps<ParamOp>())
    if (names.contains(param.getSymName()))
      phase.addArgument(param.getType(), SlotRole::Param, param.getSymName(), param.getLoc());
  for (GetParamOp read : body().getOps<GetParamOp>())
    if (Value argument = phase.getArgument(phase.getSlot(SlotRole::Param, read.getParam())))
      mapping.map(read.getResult(), argument);
}

static std::string nameOfPrepared(unsigned position) {
  return "prepared." + std::to_string(position);
}

void LossSplitter::buildPrepare() {
  PhaseBuilder phase(module, "prepare", loss.getLoc());
  IRMapping mapping;
  addParameters(phase, mapping, preparedFrom);
  for (Operation &op : body())
    if (!isa<GetParamOp>(op) && origins.lookup(&op) <= Origin::Parameters)
      phase.getBuilder().clone(op, mapping);
  for (auto [position, value] : llvm::enumerate(prepared))
    phase.addResult(mapping.lookup(value), SlotRole::Prepared, nameOfPrepared(position));
  phase.finish();
}

void LossSplitter::buildForward() {
  PhaseBuilder phase(module, "forward", loss.getLoc());
  phase.getFunction().setPrivate();
  IRMapping mapping;
  Value ids = loss.getArgument(0), targets = loss.getArgument(1);
  mapping.map(ids, phase.addArgument(ids.getType(), SlotRole::Ids, "", ids.getLoc()));
  mapping.map(targets,
              phase.addArgument(targets.getType(), SlotRole::Targets, "", targets.getLoc()));
  Type count = RankedTensorType::get({}, IntegerType::get(loss.getContext(), 64));
  Value divisor = phase.addArgument(count, SlotRole::Divisor, "", targets.getLoc());
  addParameters(phase, mapping, frontierParams);
  for (auto [position, value] : llvm::enumerate(prepared))
    mapping.map(value, phase.addArgument(value.getType(), SlotRole::Prepared,
                                         nameOfPrepared(position), value.getLoc()));
  for (Operation &op : body().without_terminator()) {
    auto valid = dyn_cast<CountValidOp>(op);
    if (valid && valid.getTargets() == targets)
      mapping.map(valid.getResult(), divisor);
    else if (origins.lookup(&op) != Origin::Parameters)
      phase.getBuilder().clone(op, mapping);
  }
  phase.addResult(mapping.lookup(lossValue()), SlotRole::Loss);
  phase.finish();
}

LogicalResult LossSplitter::run() {
  if (failed(checkSignature()) || failed(checkBody()))
    return failure();
  eraseUnusedOps(body());
  findOrigins();
  if (origins.lookup(body().getTerminator()) != Origin::Data)
    return emitError(loss.getLoc()) << "the loss does not depend on ids or targets";
  findFrontier();
  if (failed(checkParametersAreUsed()))
    return failure();
  buildPrepare();
  buildForward();
  return success();
}
