//===- ScaleForms.cpp - From one form of a scale vector to another ----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaleForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace vernier;

namespace {

/// A scale's vector as it is now.
struct Vector {
  ScaleOp scale;
  ParamOp param;    ///< the vector itself, or its direction
  ParamOp decaying; ///< the vector itself, or its magnitude
  double start;     ///< of all entries
  double toward;    ///< what they decay toward
  Value value;      ///< in @vernier.values

  bool isPlain() const { return param == decaying; }

  std::string name() const {
    StringRef name = const_cast<ParamOp &>(param).getSymName();
    name.consume_back(".direction");
    return name.str();
  }
};

} // namespace

static void setStart(ParamOp param, double value) {
  Builder builder(param.getContext());
  param.setInitializerAttr(
      ConstantInitAttr::get(builder.getContext(), builder.getF64FloatAttr(value)));
}

//===----------------------------------------------------------------------===//
// The form of now
//===----------------------------------------------------------------------===//

/// What the entries of a vector become when the parameter that decays has
/// arrived at its target. `start` is what they start at.
static double findTarget(ScaleOp scale, ParamOp decaying, double start) {
  double target = decaying.getDecayToward().convertToDouble();
  if (auto form = scale.getScale().getDefiningOp<ScaleFromDirectionOp>())
    target = form.getForm() == ScaleForm::Exponential ? std::exp(target)
                                                      : std::copysign(1.0, start) * target;
  return target + scale.getOffset().convertToDouble();
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

//===----------------------------------------------------------------------===//
// The form to be
//===----------------------------------------------------------------------===//

static void makePlain(ModelEditor &editor, Vector &vector) {
  ParamOp plain = editor.addLike(vector.param, vector.name());
  plain.setKind(ParamKind::Scale);
  plain.setDecay(vector.decaying.getDecay());
  plain.setDecayToward(APFloat(vector.toward));
  setStart(plain, vector.start);
  editor.getValues().set(plain, vector.value);
  vector.scale.getScaleMutable().assign(editor.read(plain, vector.scale));
}

/// A new parameter, or the one that another form has.
static ParamOp takeDirection(ModelEditor &editor, Vector &vector, ScaleForm form) {
  ParamOp param =
      vector.isPlain() ? editor.addLike(vector.param, vector.name() + ".direction") : vector.param;
  param.setKind(ParamKind::Direction);
  param.setDecay(DecayGroup::None); // its length has no meaning
  param.setDecayToward(APFloat(0.0));
  setStart(param, form == ScaleForm::Exponential ? 0 : vector.start);
  return param;
}

static ParamOp takeMagnitude(ModelEditor &editor, Vector &vector, ScaleForm form) {
  ParamOp param = vector.isPlain() ? editor.addLike(vector.param, vector.name() + ".magnitude")
                                   : vector.decaying;
  param.setType(RankedTensorType::get({1}, param.getTensorType().getElementType()));
  param.setKind(ParamKind::Magnitude);
  param.setDecay(vector.decaying.getDecay());
  // No b gives e^b = 0: there it decays toward e^0.
  double toward = vector.start < 0 ? 0 - vector.toward : vector.toward;
  if (form == ScaleForm::Exponential)
    toward = toward > 0 ? std::log(toward) : 0;
  param.setDecayToward(APFloat(toward));
  setStart(param, form == ScaleForm::Exponential ? std::log(vector.start) : std::abs(vector.start));
  return param;
}

/// The gradients of direction and magnitude are the adjoint of the vector's, so
/// that is how the first moment goes over. Of the second, the mean of squares,
/// the adjoint with squared derivatives is what it would be if the vector's
/// entries had independent gradients.
static void mapMoments(ParameterValues &values, ParamOp plain, ScaleToDirectionOp split,
                       ParamOp direction, ParamOp magnitude) {
  ParameterMoments old = values.getMoments(plain);
  Value a = values.inMoments(split.getDirection()), b = values.inMoments(split.getMagnitude());
  auto adjoint = [&](Value gradient, bool squared) {
    return ScaleFromDirectionGradOp::create(values.getMomentsBuilder(), values.getLoc(),
                                            direction.getTensorType(), magnitude.getTensorType(),
                                            split.getForm(), gradient, a, b, squared);
  };
  auto first = adjoint(old.first, false), second = adjoint(old.second, true);
  values.setMoments(direction, {first.getDirectionGrad(), second.getDirectionGrad(), old.steps});
  values.setMoments(magnitude, {first.getMagnitudeGrad(), second.getMagnitudeGrad(), old.steps});
}

static void makeForm(ModelEditor &editor, Vector &vector, ScaleForm form) {
  ParamOp direction = takeDirection(editor, vector, form);
  ParamOp magnitude = takeMagnitude(editor, vector, form);
  ParameterValues &values = editor.getValues();
  auto split =
      ScaleToDirectionOp::create(values.getBuilder(), values.getLoc(), direction.getTensorType(),
                                 magnitude.getTensorType(), form, vector.value);
  values.set(direction, split.getDirection());
  values.set(magnitude, split.getMagnitude());

  ScaleOp scale = vector.scale;
  if (vector.isPlain()) // else they are zero
    mapMoments(values, vector.param, split, direction, magnitude);
  Value a = editor.read(direction, scale), b = editor.read(magnitude, scale);
  OpBuilder builder(scale);
  auto composed =
      ScaleFromDirectionOp::create(builder, scale.getLoc(), direction.getTensorType(), form, a, b);
  scale.getScaleMutable().assign(composed.getResult());
}

/// Why a vector whose entries start at `start` has no such form.
static std::string findObstacle(std::optional<ScaleForm> form, double start) {
  if (form && start == 0)
    return "starts at 0, which has no direction";
  if (form == ScaleForm::Exponential && start < 0)
    return "starts at " + llvm::formatv("{0}", start).str() +
           ", which is not positive as the exponential form is";
  return "";
}

std::string vernier::changeForm(ModelEditor &editor, ScaleOp scale, std::optional<ScaleForm> form) {
  std::optional<ScaleVector> vector = ScaleVector::find(scale);
  if (!vector)
    return "its vector is not a parameter";
  if (std::string sharing = editor.findSharing(*vector); !sharing.empty())
    return sharing;
  std::optional<double> start = getStartValue(scale, [&](StringRef p) { return editor.lookup(p); });
  if (!start)
    return "does not start with one value";
  if (std::string obstacle = findObstacle(form, *start); !obstacle.empty())
    return obstacle;
  SmallVector<StringRef> params = vector->getParams();
  ParamOp decaying = editor.lookup(params.back());
  Vector rewritten{
      scale,  editor.lookup(params.front()),       decaying,
      *start, findTarget(scale, decaying, *start), computeWithOffset(editor, scale, *vector)};
  if (form)
    makeForm(editor, rewritten, *form);
  else
    makePlain(editor, rewritten);
  scale.setOffset(APFloat(0.0));
  return "";
}
