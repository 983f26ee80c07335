//===- Rules.h - How operations are evaluated ------------------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_REFERENCE_RULES_H
#define VERNIER_REFERENCE_RULES_H

#include "mlir/IR/Operation.h"
#include "vernier/Reference/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace vernier::reference {

class Evaluator;

using Operands = llvm::ArrayRef<const Tensor *>;
using Results = llvm::MutableArrayRef<Tensor>;

/// Computes the results of one operation from its operands. The results come
/// with the shapes of their types, filled with zeros; the evaluator rounds them
/// afterwards. The operands have the shapes of their types, too. A rule that
/// fails has emitted an error at the operation.
using Rule =
    std::function<llvm::LogicalResult(mlir::Operation *, Operands, Results, Evaluator &evaluator)>;

/// The rules that an evaluator has, by operation name. Rooms below this one
/// add the rules of their own operations.
class RuleTable {
public:
  /// `rule` takes `(OpT, Operands, Results)`, and the evaluator if it needs it,
  /// and returns a LogicalResult, or nothing if it cannot fail.
  template <typename OpT, typename Function> void add(Function rule) {
    rules[OpT::getOperationName()] = [rule](mlir::Operation *op, Operands operands, Results results,
                                            Evaluator &evaluator) -> llvm::LogicalResult {
      OpT typed = llvm::cast<OpT>(op);
      if constexpr (std::is_invocable_v<Function, OpT, Operands, Results, Evaluator &>)
        return asResult([&] { return rule(typed, operands, results, evaluator); });
      else
        return asResult([&] { return rule(typed, operands, results); });
    };
  }

  /// Null if there is none.
  const Rule *find(llvm::StringRef operationName) const {
    auto it = rules.find(operationName);
    return it == rules.end() ? nullptr : &it->second;
  }

private:
  template <typename Call> static llvm::LogicalResult asResult(Call call) {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return llvm::success();
    } else {
      return call();
    }
  }

  llvm::StringMap<Rule> rules;
};

/// Rules for the layers and the loss of model graphs: embedding, linear, norms,
/// scale, add, mul, glu, rope, attention, cross_entropy, parameters.
void populateLayerRules(RuleTable &rules);
void populateAttentionRules(RuleTable &rules);
void populateLossRules(RuleTable &rules);
/// Rules for magnitude and direction of scale vectors, and their adjoint.
void populateScaleFormRules(RuleTable &rules);
/// Rules for what only training graphs have.
void populateAdjointRules(RuleTable &rules);
void populateOptimizerRules(RuleTable &rules);
/// Rules for the upstream operations that graphs and kernels hold: `func.call`,
/// shape operations of `tensor`, and elementwise `arith` and `math`.
void populateTensorRules(RuleTable &rules);
void populateElementwiseRules(RuleTable &rules);

/// All of the above.
const RuleTable &getGraphRules();

} // namespace vernier::reference

#endif // VERNIER_REFERENCE_RULES_H
