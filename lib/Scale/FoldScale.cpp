//===- FoldScale.cpp - A graph without the scales that weights can take -----===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaleForms.h"
#include "WeightFolding.h"
#include "vernier/Scale/Passes.h"

namespace vernier {
#define GEN_PASS_DEF_FOLDSCALE
#include "vernier/Scale/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

struct FoldScale : vernier::impl::FoldScaleBase<FoldScale> {
  using FoldScaleBase::FoldScaleBase;
  void runOnOperation() override;

private:
  void fold(ModelEditor &editor, ScaleOp scale, const Selection &selection);
  void foldForm(ModelEditor &editor, ScaleOp scale, const std::string &name);
};

} // namespace

/// Why the scale cannot become part of weights; if nothing is said, it has.
static std::string foldAway(ModelEditor &editor, ScaleOp scale, const ScaleVector &vector,
                            const std::string &unselected) {
  if (!unselected.empty())
    return "is shared with " + unselected;
  if (std::string sharing = editor.findSharing(vector); !sharing.empty())
    return sharing;
  return foldIntoWeights(editor, scale);
}

/// Of a scale that stays, what it is computed from can still become one vector.
void FoldScale::foldForm(ModelEditor &editor, ScaleOp scale, const std::string &name) {
  if (!scale.getScale().getDefiningOp<ScaleFromDirectionOp>())
    return;
  if (std::string obstacle = changeForm(editor, scale, std::nullopt); !obstacle.empty())
    return editor.declined(scale, "form not folded: " + obstacle);
  ++numMadePlain;
  editor.done(scale, "folded the form of " + name);
}

void FoldScale::fold(ModelEditor &editor, ScaleOp scale, const Selection &selection) {
  std::optional<ScaleVector> vector = ScaleVector::find(scale);
  if (!vector)
    return editor.declined(scale, "not folded: its vector is not a parameter");
  const RoleAnalysis &roles = editor.getRoles();
  ScalePlace place = locate(scale, roles);
  std::string name = "'" + vector->getParams().front().str() + "'";
  std::string obstacle = foldAway(editor, scale, *vector, listUnselected(place, selection, roles));
  if (!obstacle.empty()) {
    editor.declined(scale, "not folded: " + obstacle);
    return foldForm(editor, scale, name);
  }
  ++numFolded;
  editor.done(scale, "folded " + name + " into " + listBranches(place.branches, roles));
  if (scale->use_empty())
    scale->erase(); // or it would be another use of the one before it
}

void FoldScale::runOnOperation() {
  ModuleOp module = getOperation();
  auto selection = Selection::parse(module.getLoc(), {sites, branches, layers});
  if (failed(selection))
    return signalPassFailure();
  ModelEditor editor(module, *this);
  SmallVector<ScaleOp> scales = editor.collect<ScaleOp>();
  // Backwards: of two in a row the second one stands before the linear map.
  for (ScaleOp scale : llvm::reverse(scales))
    if (isSelected(locate(scale, editor.getRoles()), *selection, editor.getRoles()))
      fold(editor, scale, *selection);
  editor.finish();
  if (editor.getNumDone() == 0)
    markAllAnalysesPreserved();
}
