//===- OperationPairs.h - Which operation feeds which -----------*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TEST_RANDOMGRAPHS_OPERATIONPAIRS_H
#define VERNIER_TEST_RANDOMGRAPHS_OPERATIONPAIRS_H

#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>
#include <vector>

namespace vernier::test {

/// The producer of a value, and the operand that it is: {"rms_norm",
/// "linear.weight"}.
using OperationPair = std::pair<std::string, std::string>;

/// Counts how often each occurs in graphs.
class OperationPairs {
public:
  void add(mlir::ModuleOp graph);

  /// "rms_norm -> linear.weight 12", a line each.
  std::string print() const;

  /// The legal ones that did not occur.
  std::vector<OperationPair> findMissing() const;

private:
  std::map<OperationPair, int64_t> counts;
};

} // namespace vernier::test

#endif // VERNIER_TEST_RANDOMGRAPHS_OPERATIONPAIRS_H
