//===- SplitScale.cpp - A scale vector for each branch ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Scale/ModelEditor.h"
#include "vernier/Scale/Passes.h"

namespace vernier {
#define GEN_PASS_DEF_SPLITSCALE
#include "vernier/Scale/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

struct SplitScale : vernier::impl::SplitScaleBase<SplitScale> {
  using SplitScaleBase::SplitScaleBase;
  void runOnOperation() override;

private:
  void split(ModelEditor &editor, ScaleOp scale, const Selection &selection);
};

} // namespace

/// Gives one of `branches` branches a copy of the scale.
static void giveOwnScale(ModelEditor &editor, ScaleOp scale, const ScaleVector &vector,
                         LinearOp branch, int64_t branches) {
  StringRef role = stringify(editor.getRoles().getLinear(branch).role);
  Value own = editor.copyVector(vector, role, branches);
  OpBuilder builder(scale);
  auto copy = cast<ScaleOp>(builder.clone(*scale));
  copy.getScaleMutable().assign(own);
  branch.getInputMutable().assign(copy.getResult());
}

void SplitScale::split(ModelEditor &editor, ScaleOp scale, const Selection &selection) {
  const RoleAnalysis &roles = editor.getRoles();
  ScalePlace place = locate(scale, roles);
  if (!selection.hasSite(place.site) || !selection.hasLayer(place.layer))
    return;
  if (!place.feedsBranches)
    return editor.declined(scale, "not split: has other uses than linear maps");
  SmallVector<LinearOp> chosen =
      llvm::to_vector(llvm::make_filter_range(place.branches, [&](LinearOp branch) {
        return selection.hasBranch(roles.getLinear(branch).role);
      }));
  if (chosen.empty())
    return;
  if (place.branches.size() == 1)
    return editor.declined(scale,
                           "not split: feeds " + listBranches(place.branches, roles) + " only");
  std::optional<ScaleVector> vector = ScaleVector::find(scale);
  if (!vector)
    return editor.declined(scale, "not split: its vector is not a parameter");
  if (std::string sharing = editor.findSharing(*vector); !sharing.empty())
    return editor.declined(scale, "not split: " + sharing);
  int64_t branches = place.branches.size(), others = branches - chosen.size();
  for (LinearOp branch : chosen)
    giveOwnScale(editor, scale, *vector, branch, branches);
  if (others > 0)
    editor.keepShare(*vector, others, branches);
  ++numSplit;
  numAdded += chosen.size();
  editor.done(scale,
              "split '" + vector->getParams().front() + "' for " + listBranches(chosen, roles));
}

void SplitScale::runOnOperation() {
  ModuleOp module = getOperation();
  auto selection = Selection::parse(module.getLoc(), {sites, branches, layers});
  if (failed(selection))
    return signalPassFailure();
  ModelEditor editor(module, *this);
  for (ScaleOp scale : editor.collect<ScaleOp>())
    split(editor, scale, *selection);
  editor.finish();
  if (editor.getNumDone() == 0)
    markAllAnalysesPreserved();
}
