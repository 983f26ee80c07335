//===- PrintRoles.cpp - Says what each linear map and norm is ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Model/Passes.h"
#include "vernier/Model/Roles.h"

using namespace mlir;
using namespace vernier;

namespace vernier {
#define GEN_PASS_DEF_PRINTROLES
#include "vernier/Model/Passes.h.inc"
} // namespace vernier

namespace {
struct PrintRoles : vernier::impl::PrintRolesBase<PrintRoles> {
  void runOnOperation() override {
    auto &roles = getAnalysis<RoleAnalysis>();
    getOperation()->walk([&](Operation *op) {
      if (auto linear = dyn_cast<LinearOp>(op))
        report(op, stringify(roles.getLinear(linear).role), roles.getLinear(linear).layer);
      else if (isa<RMSNormOp, LayerNormOp>(op))
        report(op,
               (stringify(roles.getNorm(op).role) + ", site " + stringify(roles.getNorm(op).site))
                   .str(),
               roles.getNorm(op).layer);
    });
    markAllAnalysesPreserved();
  }

  static void report(Operation *op, StringRef what, std::optional<int64_t> layer) {
    InFlightDiagnostic remark = op->emitRemark() << what;
    if (layer)
      remark << " of layer " << *layer;
  }
};
} // namespace
