//===- ModelEditor.cpp - Rewriting scale vectors of a graph -----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vernier/Scale/ModelEditor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "vernier/Scale/Rewrites.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace vernier;

ModelEditor::ModelEditor(ModuleOp module, Pass &pass)
    : module(module), pass(pass), roles(module), symbols(module), values(module) {
  for (GetParamOp read : collect<GetParamOp>())
    wereRead.insert(read.getParam());
}

bool ModelEditor::isInValues(Operation *op) const {
  auto function = op->getParentOfType<func::FuncOp>();
  return function &&
         llvm::is_contained({valuesFunctionName, momentsFunctionName}, function.getSymName());
}

unsigned ModelEditor::countUses(StringRef param) {
  unsigned uses = 0;
  for (GetParamOp read : collect<GetParamOp>())
    if (read.getParam() == param)
      uses += std::distance(read->use_begin(), read->use_end());
  return uses;
}

std::string ModelEditor::findSharing(const ScaleVector &vector) {
  for (StringRef param : vector.getParams())
    if (unsigned uses = countUses(param); uses > 1)
      return ("'" + param + "' has " + llvm::Twine(uses) + " uses").str();
  for (Operation *op : vector.getOps())
    if (!op->hasOneUse())
      return "its vector has " + std::to_string(std::distance(op->use_begin(), op->use_end())) +
             " uses";
  return "";
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

std::string ModelEditor::findFreeName(const llvm::Twine &name) {
  std::string free = name.str();
  for (unsigned number = 1; symbols.lookup(free); ++number)
    free = (name + "_" + llvm::Twine(number)).str();
  return free;
}

void ModelEditor::insert(ParamOp param, ParamOp after) {
  // After those that were put there before, so that they stand in the order in
  // which they are added.
  ParamOp &last = lastInserted[after];
  if (last)
    after = last;
  last = param;
  symbols.insert(param, after ? std::next(Block::iterator(after)) : module.getBody()->begin());
}

ParamOp ModelEditor::addScale(const llvm::Twine &name, int64_t size, double value, ParamOp after,
                              Location loc) {
  OpBuilder builder(module.getContext());
  std::string free = findFreeName(name);
  auto type = RankedTensorType::get({size}, builder.getF32Type());
  auto stored = StoredAttr::get(builder.getContext(), free, 0, 0);
  auto start = ConstantInitAttr::get(builder.getContext(), builder.getF64FloatAttr(value));
  auto param =
      ParamOp::create(builder, loc, free, type, ParamKind::Scale, DecayGroup::None, APFloat(0.0),
                      OptimizerGroup::AdamW, start, builder.getArrayAttr({stored}));
  insert(param, after);
  OpBuilder &at = values.getBuilder();
  auto entries = DenseElementsAttr::get(type, static_cast<float>(value));
  values.set(param, arith::ConstantOp::create(at, values.getLoc(), entries));
  return param;
}

ParamOp ModelEditor::addLike(ParamOp like, const llvm::Twine &name) {
  std::string free = findFreeName(name);
  ParamOp param = like.clone();
  param.setSymName(free);
  Attribute stored = StoredAttr::get(param.getContext(), free, 0, 0);
  param.setStoredAttr(ArrayAttr::get(param.getContext(), stored));
  insert(param, like);
  return param;
}

Value ModelEditor::read(ParamOp param, Operation *before) {
  OpBuilder builder(before);
  return GetParamOp::create(builder, param.getLoc(), param.getTensorType(), param.getSymName());
}

Value ModelEditor::copyVector(const ScaleVector &vector, StringRef suffix, int64_t copies) {
  OpBuilder builder(vector.getOps().back());
  IRMapping mapping;
  for (Operation *op : vector.getOps()) {
    Operation *copy = builder.clone(*op, mapping);
    auto from = dyn_cast<GetParamOp>(op);
    if (!from)
      continue;
    ParamOp original = lookup(from.getParam());
    ParamOp param = addLike(original, original.getSymName() + "." + suffix);
    values.set(param, values.get(original));
    values.setMoments(param, values.takeShare(values.getMoments(original), 1, copies));
    cast<GetParamOp>(copy).setParam(param.getSymName());
  }
  return mapping.lookup(vector.getOps().back()->getResult(0));
}

void ModelEditor::keepShare(const ScaleVector &vector, int64_t share, int64_t of) {
  for (StringRef name : vector.getParams()) {
    ParamOp param = lookup(name);
    values.setMoments(param, values.takeShare(values.getMoments(param), share, of));
  }
}

Value ModelEditor::computeValue(const ScaleVector &vector) {
  IRMapping mapping;
  for (Operation *op : vector.getOps()) {
    if (auto read = dyn_cast<GetParamOp>(op))
      mapping.map(read.getResult(), values.get(lookup(read.getParam())));
    else
      values.getBuilder().clone(*op, mapping);
  }
  return mapping.lookup(vector.getOps().back()->getResult(0));
}

ParamOp ModelEditor::findParamBefore(Operation *op) {
  for (; op; op = op->getPrevNode())
    if (auto read = dyn_cast<GetParamOp>(op))
      return lookup(read.getParam());
  return {};
}

void ModelEditor::eraseUnused() {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
  llvm::StringSet<> areRead;
  for (GetParamOp read : collect<GetParamOp>())
    areRead.insert(read.getParam());
  for (const auto &param : wereRead)
    if (!areRead.contains(param.getKey())) {
      values.drop(param.getKey());
      symbols.erase(lookup(param.getKey()));
    }
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static remark::RemarkOpts describe(Pass &pass, Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return remark::RemarkOpts::name(pass.getArgument())
      .category("vernier-scale")
      .function(function ? function.getSymName() : StringRef());
}

void ModelEditor::done(Operation *op, const llvm::Twine &what) {
  ++numDone;
  remark::passed(op->getLoc(), describe(pass, op)) << StringRef(what.str());
}

void ModelEditor::declined(Operation *op, const llvm::Twine &why) {
  remark::missed(op->getLoc(), describe(pass, op)) << StringRef(why.str());
}

void ModelEditor::note(Operation *op, const llvm::Twine &what) {
  remark::analysis(op->getLoc(), describe(pass, op)) << StringRef(what.str());
}

/// As it stands in a pipeline, without the spaces of options that are empty lists.
static std::string printPass(Pass &pass) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  pass.printAsTextualPipeline(stream);
  for (auto [from, to] : {std::pair("  ", " "), {"{ ", "{"}, {" }", "}"}, {"{}", ""}})
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, std::strlen(from), to);
  return text;
}

void ModelEditor::finish() {
  if (numDone == 0)
    return note(module, "nothing to change");
  eraseUnused();
  addRewrite(module, {printPass(pass), keepsFunction});
}

/// What all entries of a parameter start at.
static std::optional<double> getStart(Value value, llvm::function_ref<ParamOp(StringRef)> lookup) {
  auto read = value.getDefiningOp<GetParamOp>();
  if (!read)
    return std::nullopt;
  auto start = dyn_cast<ConstantInitAttr>(lookup(read.getParam()).getInitializer());
  return start ? std::optional(start.getValue().getValueAsDouble()) : std::nullopt;
}

std::optional<double> vernier::getStartValue(ScaleOp scale,
                                             llvm::function_ref<ParamOp(StringRef)> lookup) {
  double offset = scale.getOffset().convertToDouble();
  auto form = scale.getScale().getDefiningOp<ScaleFromDirectionOp>();
  if (!form) {
    std::optional<double> start = getStart(scale.getScale(), lookup);
    return start ? std::optional(*start + offset) : std::nullopt;
  }
  // Of equal entries all that is left is the sign of the direction.
  std::optional<double> direction = getStart(form.getDirection(), lookup);
  std::optional<double> magnitude = getStart(form.getMagnitude(), lookup);
  if (!direction || !magnitude)
    return std::nullopt;
  if (form.getForm() == ScaleForm::Exponential)
    return std::exp(*magnitude) + offset;
  return std::copysign(1.0, *direction) * *magnitude + offset;
}

ParamOp vernier::insertScaleAfter(ModelEditor &editor, Value value, const llvm::Twine &name,
                                  double start) {
  Operation *op = value.getDefiningOp();
  auto type = cast<RankedTensorType>(value.getType());
  ParamOp param = editor.addScale(name, type.getShape().back(), start, editor.findParamBefore(op),
                                  op->getLoc());
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Value vector =
      GetParamOp::create(builder, param.getLoc(), param.getTensorType(), param.getSymName());
  auto scale = ScaleOp::create(builder, op->getLoc(), type, value, vector, APFloat(0.0));
  value.replaceAllUsesExcept(scale.getResult(), scale);
  return param;
}

std::string vernier::nameAtBranch(LinearOp linear, const LinearInfo &info, StringRef suffix) {
  if (auto read = linear.getWeight().getDefiningOp<GetParamOp>()) {
    StringRef name = read.getParam();
    name.consume_back(".weight");
    return (name + "." + suffix).str();
  }
  std::string layer = info.layer ? "." + std::to_string(*info.layer) : "";
  return (stringify(info.role) + layer + "." + suffix).str();
}
