//===- vernier-reduce.cpp - Shrinks a graph that shows a bug --------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// MLIR's reducer, which erases operations as long as a script finds the graph
// interesting. The patterns here go on where nothing can be erased, since a result
// is used. Each is tried on a copy first: the reducer applies them to all
// operations at once, and cannot go back.

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Reducer/Tester.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "vernier/Compiler/RegisterAll.h"
#include "vernier/Model/Vernier.h"

using namespace mlir;
using namespace vernier;

namespace {

/// A change of one operation that is made if the graph stays interesting.
class TestedChange : public RewritePattern {
public:
  TestedChange(MLIRContext *context, Tester &tester)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context), tester(tester) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isPossible(op))
      return rewriter.notifyMatchFailure(op, "it cannot be changed in this way");
    auto module = op->getParentOfType<ModuleOp>();
    IRMapping mapping;
    OwningOpRef<ModuleOp> copy = cast<ModuleOp>(module->clone(mapping));
    IRRewriter copyRewriter(op->getContext());
    change(mapping.lookup(op), copyRewriter);
    if (tester.isInteresting(*copy).first != Tester::Interestingness::True)
      return rewriter.notifyMatchFailure(op, "the graph would not be interesting without it");
    change(op, rewriter);
    return success();
  }

protected:
  virtual bool isPossible(Operation *op) const = 0;
  virtual void change(Operation *op, RewriterBase &rewriter) const = 0;

private:
  Tester &tester;
};

/// %y = op(.., %x, ..) with %x of the type of %y: %x.
class ReplaceByOperand : public TestedChange {
  using TestedChange::TestedChange;

  static Value findOperand(Operation *op) {
    for (Value operand : op->getOperands())
      if (operand.getType() == op->getResult(0).getType())
        return operand;
    return Value();
  }
  bool isPossible(Operation *op) const override {
    return op->getNumResults() > 0 && op->getNumRegions() == 0 && findOperand(op) &&
           llvm::all_of(op->getResults().drop_front(),
                        [](Value result) { return result.use_empty(); });
  }
  void change(Operation *op, RewriterBase &rewriter) const override {
    rewriter.replaceAllUsesWith(op->getResult(0), findOperand(op));
    rewriter.eraseOp(op);
  }
};

/// What nothing reads: an operation without effect, a parameter.
class EraseUnused : public TestedChange {
  using TestedChange::TestedChange;

  bool isPossible(Operation *op) const override {
    if (isa<ParamOp>(op))
      return SymbolTable::symbolKnownUseEmpty(op, op->getParentOp());
    return isOpTriviallyDead(op);
  }
  void change(Operation *op, RewriterBase &rewriter) const override { rewriter.eraseOp(op); }
};

struct ReductionPatterns : DialectReductionPatternInterface {
  explicit ReductionPatterns(Dialect *dialect) : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &) const override {}
  void populateReductionPatternsWithTester(RewritePatternSet &patterns,
                                           Tester &tester) const override {
    patterns.add<ReplaceByOperand, EraseUnused>(patterns.getContext(), tester);
  }
};

} // namespace

int main(int argc, char **argv) {
  vernier::registerAllPasses();
  DialectRegistry registry;
  vernier::registerAllDialects(registry);
  registry.addExtension(
      +[](MLIRContext *, VernierDialect *dialect) { dialect->addInterfaces<ReductionPatterns>(); });
  MLIRContext context(registry);
  return failed(mlirReduceMain(argc, argv, context));
}
