//===- RemoveScale.cpp - Takes scale vectors out of a graph -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightFolding.h"
#include "vernier/Scale/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace vernier {
#define GEN_PASS_DEF_REMOVESCALE
#include "vernier/Scale/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

struct RemoveScale : vernier::impl::RemoveScaleBase<RemoveScale> {
  using RemoveScaleBase::RemoveScaleBase;
  void runOnOperation() override;

private:
  std::string remove(ModelEditor &editor, ScaleOp scale, const ScaleVector &vector,
                     const Selection &selection, const llvm::SetVector<ScaleOp> &chosen);
};

} // namespace

/// Whether everything that is computed from the vector's parameters scales at a
/// place that is chosen, too.
static bool areAllUsesChosen(ModelEditor &editor, const ScaleVector &vector,
                             const llvm::SetVector<ScaleOp> &chosen) {
  SmallVector<Operation *> worklist;
  for (GetParamOp read : editor.collect<GetParamOp>())
    if (llvm::is_contained(vector.getParams(), read.getParam()))
      worklist.push_back(read);
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val()->getUses()) {
      auto scale = dyn_cast<ScaleOp>(use.getOwner());
      if (scale && use.getOperandNumber() == 1) {
        if (!chosen.contains(scale))
          return false;
      } else if (isa<ScaleFromDirectionOp>(use.getOwner())) {
        worklist.push_back(use.getOwner());
      } else {
        return false;
      }
    }
  return true;
}

std::string RemoveScale::remove(ModelEditor &editor, ScaleOp scale, const ScaleVector &vector,
                                const Selection &selection,
                                const llvm::SetVector<ScaleOp> &chosen) {
  ScalePlace place = locate(scale, editor.getRoles());
  if (std::string others = listUnselected(place, selection, editor.getRoles()); !others.empty())
    return "is shared with " + others;
  if (!areAllUsesChosen(editor, vector, chosen))
    return "'" + vector.getParams().front().str() + "' has other uses";
  if (fold)
    return foldIntoWeights(editor, scale);
  scale.replaceAllUsesWith(scale.getInput());
  return "";
}

void RemoveScale::runOnOperation() {
  ModuleOp module = getOperation();
  auto selection = Selection::parse(module.getLoc(), {sites, branches, layers});
  if (failed(selection))
    return signalPassFailure();
  ModelEditor editor(module, *this);
  llvm::SetVector<ScaleOp> chosen;
  for (ScaleOp scale : editor.collect<ScaleOp>())
    if (isSelected(locate(scale, editor.getRoles()), *selection, editor.getRoles()))
      chosen.insert(scale);
  // Backwards: of two in a row the second one stands before the linear map.
  for (ScaleOp scale : llvm::reverse(chosen)) {
    std::optional<ScaleVector> vector = ScaleVector::find(scale);
    std::string obstacle = vector ? remove(editor, scale, *vector, *selection, chosen)
                                  : "its vector is not a parameter";
    if (!obstacle.empty()) {
      editor.declined(scale, "not removed: " + obstacle);
      continue;
    }
    ++numRemoved;
    if (!fold)
      editor.changesFunction();
    editor.done(scale, (fold ? "folded '" : "removed '") + vector->getParams().front() + "'");
    if (scale->use_empty())
      scale->erase(); // or it would be another use of the one before it
  }
  editor.finish();
  if (editor.getNumDone() == 0)
    markAllAnalysesPreserved();
}
