//===- SelectPhases.cpp - Erases functions that are not wanted phases -----===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Training/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace vernier {
#define GEN_PASS_DEF_SELECTPHASES
#include "vernier/Training/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

struct SelectPhases : vernier::impl::SelectPhasesBase<SelectPhases> {
  using SelectPhasesBase::SelectPhasesBase;
  void runOnOperation() override {
    for (StringRef phase : phases)
      if (!getOperation().lookupSymbol<func::FuncOp>(phase)) {
        emitError(getOperation().getLoc())
            << "there is no phase '" << phase << "'; expected one of " << listFunctions();
        return signalPassFailure();
      }
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!isWanted(function))
        function.erase();
  }

private:
  bool isWanted(func::FuncOp function) const {
    if (phases.empty())
      return !function.isPrivate();
    return llvm::is_contained(phases, function.getName());
  }
  std::string listFunctions() {
    return llvm::join(llvm::map_range(getOperation().getOps<func::FuncOp>(),
                                      [](func::FuncOp f) { return f.getName().str(); }),
                      ", ");
  }
};

} // namespace
