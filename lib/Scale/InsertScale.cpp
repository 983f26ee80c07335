//===- InsertScale.cpp - Adds scale vectors to a graph ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Scale/ModelEditor.h"
#include "vernier/Scale/Passes.h"

namespace vernier {
#define GEN_PASS_DEF_INSERTSCALE
#include "vernier/Scale/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

struct InsertScale : vernier::impl::InsertScaleBase<InsertScale> {
  using InsertScaleBase::InsertScaleBase;
  void runOnOperation() override;

private:
  void insert(ModelEditor &editor, Operation *op, const llvm::Twine &name);
};

} // namespace

static bool isScaled(Operation *op) {
  return llvm::any_of(op->getResult(0).getUses(), [](OpOperand &use) {
    return isa<ScaleOp>(use.getOwner()) && use.getOperandNumber() == 0;
  });
}

void InsertScale::insert(ModelEditor &editor, Operation *op, const llvm::Twine &name) {
  if (isScaled(op))
    return editor.declined(op, "not inserted: has a scale");
  ParamOp param = insertScaleAfter(editor, op->getResult(0), name, value);
  ++numInserted;
  if (value != 1)
    editor.changesFunction();
  editor.done(op, "inserted '" + param.getSymName() + "'");
}

/// What an imported norm's parameter is called, if the norm has a name.
static std::string nameOfNorm(Operation *norm, const NormInfo &info) {
  if (auto name = dyn_cast<NameLoc>(norm->getLoc()))
    return name.getName().str() + ".weight";
  std::string layer = info.layer ? "." + std::to_string(*info.layer) : "";
  std::string site = stringify(info.site).str();
  std::replace(site.begin(), site.end(), '-', '_'); // a symbol without quotes
  return site + layer + ".scale";
}

void InsertScale::runOnOperation() {
  ModuleOp module = getOperation();
  auto selection = Selection::parse(module.getLoc(), {sites, branches, layers});
  if (failed(selection))
    return signalPassFailure();
  if (!std::isfinite(value)) {
    emitError(module.getLoc()) << "option 'value' must be a number, but is " << value;
    return signalPassFailure();
  }
  ModelEditor editor(module, *this);
  const RoleAnalysis &roles = editor.getRoles();
  bool wantsNorms = selection->namesSites() || !selection->namesBranches();
  for (Operation *op : editor.collect<Operation *>()) {
    if (auto linear = dyn_cast<LinearOp>(op)) {
      LinearInfo info = roles.getLinear(linear);
      if (selection->namesBranches() && selection->hasBranch(info.role) &&
          selection->hasLayer(info.layer))
        insert(editor, op, nameAtBranch(linear, info, "output_scale"));
    } else if (isa<RMSNormOp, LayerNormOp>(op)) {
      NormInfo info = roles.getNorm(op);
      if (wantsNorms && selection->hasSite(stringify(info.site)) && selection->hasLayer(info.layer))
        insert(editor, op, nameOfNorm(op, info));
    }
  }
  editor.finish();
  if (editor.getNumDone() == 0)
    markAllAnalysesPreserved();
}
