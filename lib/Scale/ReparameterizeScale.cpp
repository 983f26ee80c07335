//===- ReparameterizeScale.cpp - Scales as magnitude and direction ----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaleForms.h"
#include "vernier/Scale/Passes.h"

namespace vernier {
#define GEN_PASS_DEF_REPARAMETERIZESCALE
#include "vernier/Scale/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

struct ReparameterizeScale : vernier::impl::ReparameterizeScaleBase<ReparameterizeScale> {
  using ReparameterizeScaleBase::ReparameterizeScaleBase;
  void runOnOperation() override;

private:
  std::string reparameterize(ModelEditor &editor, ScaleOp scale, const Selection &selection);
};

} // namespace

std::string ReparameterizeScale::reparameterize(ModelEditor &editor, ScaleOp scale,
                                                const Selection &selection) {
  auto current = scale.getScale().getDefiningOp<ScaleFromDirectionOp>();
  StringRef now = current ? stringifyScaleForm(current.getForm()) : "plain";
  if (now == form)
    return "is " + now.str() + " already";
  ScalePlace place = locate(scale, editor.getRoles());
  if (std::string others = listUnselected(place, selection, editor.getRoles()); !others.empty())
    return "is shared with " + others;
  return changeForm(editor, scale, symbolizeScaleForm(form));
}

void ReparameterizeScale::runOnOperation() {
  ModuleOp module = getOperation();
  if (form != "plain" && !symbolizeScaleForm(form)) {
    emitError(module.getLoc()) << "there is no form '" << form
                               << "'; expected original, exponential or plain";
    return signalPassFailure();
  }
  auto selection = Selection::parse(module.getLoc(), {sites, branches, layers});
  if (failed(selection))
    return signalPassFailure();
  ModelEditor editor(module, *this);
  for (ScaleOp scale : editor.collect<ScaleOp>()) {
    if (!isSelected(locate(scale, editor.getRoles()), *selection, editor.getRoles()))
      continue;
    std::string obstacle = reparameterize(editor, scale, *selection);
    if (!obstacle.empty()) {
      editor.declined(scale, "not reparameterized: " + obstacle);
      continue;
    }
    ++numReparameterized;
    editor.done(scale, "reparameterized, " + form + " form");
  }
  editor.finish();
  if (editor.getNumDone() == 0)
    markAllAnalysesPreserved();
}
