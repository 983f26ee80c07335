//===- ReparameterizeScale.cpp - Scales as magnitude and direction ----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Scale/ModelEditor.h"
#include "vernier/Scale/Passes.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

namespace vernier {
#define GEN_PASS_DEF_REPARAMETERIZESCALE
#include "vernier/Scale/Passes.h.inc"
} // namespace vernier

using namespace mlir;
using namespace vernier;

namespace {

/// What a scale's vector is now, and what it will be computed from.
struct Vector {
  ScaleOp scale;
  ParamOp param;    ///< the vector itself, or its direction
  ParamOp decaying; ///< the vector itself, or its magnitude
  double start;     ///< of all entries
  Value value;      ///< in @vernier.values

  std::string name() const {
    StringRef name = const_cast<ParamOp &>(param).getSymName();
    name.consume_back(".direction");
    return name.str();
  }
};

struct ReparameterizeScale : vernier::impl::ReparameterizeScaleBase<ReparameterizeScale> {
  using ReparameterizeScaleBase::ReparameterizeScaleBase;
  void runOnOperation() override;

private:
  std::string reparameterize(ModelEditor &editor, ScaleOp scale, const Selection &selection);
};

} // namespace

static void setStart(ParamOp param, double value) {
  Builder builder(param.getContext());
  param.setInitializerAttr(
      ConstantInitAttr::get(builder.getContext(), builder.getF64FloatAttr(value)));
}

static std::string makePlain(ModelEditor &editor, Vector &vector) {
  ParamOp plain = editor.addLike(vector.param, vector.name());
  plain.setKind(ParamKind::Scale);
  plain.setDecay(vector.decaying.getDecay());
  setStart(plain, vector.start);
  editor.getValues().set(plain, vector.value);
  vector.scale.getScaleMutable().assign(editor.read(plain, vector.scale));
  return "";
}

static ParamOp addMagnitude(ModelEditor &editor, Vector &vector) {
  ParamOp param = editor.addLike(vector.param, vector.name() + ".magnitude");
  auto one = RankedTensorType::get({1}, param.getTensorType().getElementType());
  param.setType(one);
  param.setKind(ParamKind::Magnitude);
  param.setDecay(vector.decaying.getDecay());
  return param;
}

static std::string makeForm(ModelEditor &editor, Vector &vector, ScaleForm form) {
  bool isExponential = form == ScaleForm::Exponential;
  if (vector.start == 0)
    return "starts at 0, which has no direction";
  if (isExponential && vector.start < 0)
    return "starts at " + llvm::formatv("{0}", vector.start).str() +
           ", which is not positive as the exponential form is";
  ParamOp direction = editor.addLike(vector.param, vector.name() + ".direction");
  direction.setKind(ParamKind::Direction);
  direction.setDecay(DecayGroup::None); // its length has no meaning
  ParamOp magnitude = addMagnitude(editor, vector);
  setStart(direction, isExponential ? 0 : vector.start);
  setStart(magnitude, isExponential ? std::log(vector.start) : std::abs(vector.start));

  ParameterValues &values = editor.getValues();
  auto split =
      ScaleToDirectionOp::create(values.getBuilder(), values.getLoc(), direction.getTensorType(),
                                 magnitude.getTensorType(), form, vector.value);
  values.set(direction, split.getDirection());
  values.set(magnitude, split.getMagnitude());

  ScaleOp scale = vector.scale;
  Value a = editor.read(direction, scale), b = editor.read(magnitude, scale);
  OpBuilder builder(scale);
  auto composed =
      ScaleFromDirectionOp::create(builder, scale.getLoc(), direction.getTensorType(), form, a, b);
  scale.getScaleMutable().assign(composed.getResult());
  return "";
}

/// The vector's value as the scale uses it: with the offset.
static Value computeWithOffset(ModelEditor &editor, ScaleOp scale, const ScaleVector &vector) {
  Value value = editor.computeValue(vector);
  if (scale.getOffset().isZero())
    return value;
  OpBuilder &builder = editor.getValues().getBuilder();
  Location loc = editor.getValues().getLoc();
  auto offset = DenseElementsAttr::get(cast<ShapedType>(value.getType()),
                                       static_cast<float>(scale.getOffset().convertToDouble()));
  return arith::AddFOp::create(builder, loc, value,
                               arith::ConstantOp::create(builder, loc, offset));
}

std::string ReparameterizeScale::reparameterize(ModelEditor &editor, ScaleOp scale,
                                                const Selection &selection) {
  auto current = scale.getScale().getDefiningOp<ScaleFromDirectionOp>();
  StringRef now = current ? stringifyScaleForm(current.getForm()) : "plain";
  if (now == form)
    return "is " + now.str() + " already";
  std::optional<ScaleVector> vector = ScaleVector::find(scale);
  if (!vector)
    return "its vector is not a parameter";
  if (std::string sharing = editor.findSharing(*vector); !sharing.empty())
    return sharing;
  ScalePlace place = locate(scale, editor.getRoles());
  if (std::string others = listUnselected(place, selection, editor.getRoles()); !others.empty())
    return "is shared with " + others;
  std::optional<double> start = getStartValue(scale, [&](StringRef p) { return editor.lookup(p); });
  if (!start)
    return "does not start with one value";
  SmallVector<StringRef> params = vector->getParams();
  Vector rewritten{scale, editor.lookup(params.front()), editor.lookup(params.back()), *start,
                   computeWithOffset(editor, scale, *vector)};
  std::string obstacle = form == "plain" ? makePlain(editor, rewritten)
                                         : makeForm(editor, rewritten, *symbolizeScaleForm(form));
  if (obstacle.empty())
    scale.setOffset(APFloat(0.0));
  return obstacle;
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
  ModelEditor editor(module, getArgument());
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
