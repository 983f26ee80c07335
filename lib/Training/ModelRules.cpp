//===- ModelRules.cpp - Gradient rules of the vernier dialect -------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientRules.h"
#include "vernier/Model/Vernier.h"

using namespace mlir;
using namespace vernier;

namespace {

struct AddRule : GradientRule<AddRule, AddOp> {
  void build(AddOp op, OpBuilder &builder, Cotangents &cotangents) const {
    Value dy = cotangents.get(op.getResult());
    for (Value operand : op->getOperands())
      if (cotangents.wants(operand))
        cotangents.add(operand, convert(builder, op.getLoc(), dy, operand.getType()));
  }
};

struct MulRule : GradientRule<MulRule, MulOp> {
  SmallVector<Value> getSaved(MulOp op, Wanted wanted) const {
    SmallVector<Value> saved;
    if (wanted(op.getLhs()))
      saved.push_back(op.getRhs());
    if (wanted(op.getRhs()))
      saved.push_back(op.getLhs());
    return saved;
  }
  void build(MulOp op, OpBuilder &builder, Cotangents &cotangents) const {
    Value dy = cotangents.get(op.getResult());
    auto add = [&](Value operand, Value factor) {
      if (cotangents.wants(operand))
        cotangents.add(operand, MulOp::create(builder, op.getLoc(), operand.getType(), dy, factor));
    };
    add(op.getLhs(), op.getRhs());
    add(op.getRhs(), op.getLhs());
  }
};

struct LinearRule : GradientRule<LinearRule, LinearOp> {
  SmallVector<Value> getSaved(LinearOp op, Wanted wanted) const {
    SmallVector<Value> saved;
    if (wanted(op.getInput()))
      saved.push_back(op.getWeight());
    if (wanted(op.getWeight()))
      saved.push_back(op.getInput());
    return saved;
  }
  void build(LinearOp op, OpBuilder &builder, Cotangents &cotangents) const {
    Location loc = op.getLoc();
    Value dy = cotangents.get(op.getResult());
    Value input = op.getInput(), weight = op.getWeight(), bias = op.getBias();
    if (cotangents.wants(weight))
      cotangents.add(weight, LinearWeightGradOp::create(builder, loc, weight.getType(), dy, input));
    if (bias && cotangents.wants(bias))
      cotangents.add(bias, ColumnSumOp::create(builder, loc, bias.getType(), dy));
    if (cotangents.wants(input))
      cotangents.add(input, LinearInputGradOp::create(builder, loc, input.getType(), dy, weight));
  }
};

struct EmbeddingRule : GradientRule<EmbeddingRule, EmbeddingOp> {
  SmallVector<Value> getSaved(EmbeddingOp op, Wanted) const { return {op.getIds()}; }
  // Adds to the gradient that the table has from its other uses (a tied head,
  // earlier micro-batches): a scatter needs a start anyway.
  void build(EmbeddingOp op, OpBuilder &builder, Cotangents &cotangents) const {
    Value table = op.getTable();
    Type type = table.getType();
    Value into = cotangents.take(table);
    if (!into)
      into = createZero(builder, op.getLoc(), type);
    cotangents.add(table,
                   EmbeddingGradOp::create(builder, op.getLoc(), type,
                                           cotangents.get(op.getResult()), op.getIds(), into));
  }
};

template <typename NormOp, typename NormGradOp>
struct NormRule : GradientRule<NormRule<NormOp, NormGradOp>, NormOp> {
  SmallVector<Value> getSaved(NormOp op, Wanted) const { return {op.getInput()}; }
  void build(NormOp op, OpBuilder &builder, Cotangents &cotangents) const {
    Value input = op.getInput();
    cotangents.add(input,
                   NormGradOp::create(builder, op.getLoc(), input.getType(),
                                      cotangents.get(op.getResult()), input, op.getEpsilonAttr()));
  }
};

/// scale and scale_rows, whose vectors are as long as a row and as a column: `SumOp`
/// adds up over the other dimensions.
template <typename OpT, typename SumOp>
struct ScaleRule : GradientRule<ScaleRule<OpT, SumOp>, OpT> {
  SmallVector<Value> getSaved(OpT op, Wanted wanted) const {
    SmallVector<Value> saved;
    if (wanted(op.getInput()))
      saved.push_back(op.getScale());
    if (wanted(op.getScale()))
      saved.push_back(op.getInput());
    return saved;
  }
  void build(OpT op, OpBuilder &builder, Cotangents &cotangents) const {
    Location loc = op.getLoc();
    Value dy = cotangents.get(op.getResult());
    Value input = op.getInput(), scale = op.getScale();
    if (cotangents.wants(scale)) {
      // The product has the type of the vector, not of the activations: the sum
      // over all tokens must not be one of numbers rounded to bf16.
      auto vector = cast<RankedTensorType>(scale.getType());
      Type type = cast<RankedTensorType>(input.getType()).clone(vector.getElementType());
      Value product = MulOp::create(builder, loc, type, dy, input);
      cotangents.add(scale, SumOp::create(builder, loc, vector, product));
    }
    if (cotangents.wants(input))
      cotangents.add(input,
                     OpT::create(builder, loc, input.getType(), dy, scale, op.getOffsetAttr()));
  }
};

struct ScaleFromDirectionRule : GradientRule<ScaleFromDirectionRule, ScaleFromDirectionOp> {
  SmallVector<Value> getSaved(ScaleFromDirectionOp op, Wanted) const {
    return {op.getDirection(), op.getMagnitude()};
  }
  void build(ScaleFromDirectionOp op, OpBuilder &builder, Cotangents &cotangents) const {
    auto grad = ScaleFromDirectionGradOp::create(builder, op.getLoc(), op->getOperandTypes(),
                                                 op.getFormAttr(), cotangents.get(op.getResult()),
                                                 op.getDirection(), op.getMagnitude(),
                                                 /*squared=*/UnitAttr());
    cotangents.add(op.getDirection(), grad.getDirectionGrad());
    cotangents.add(op.getMagnitude(), grad.getMagnitudeGrad());
  }
};

struct RopeRule : GradientRule<RopeRule, RopeOp> {
  void build(RopeOp op, OpBuilder &builder, Cotangents &cotangents) const {
    Value input = op.getInput();
    UnitAttr inverse = op.getInverse() ? UnitAttr() : builder.getUnitAttr();
    cotangents.add(input, RopeOp::create(builder, op.getLoc(), input.getType(),
                                         cotangents.get(op.getResult()), op.getThetaAttr(),
                                         op.getScalingAttr(), inverse));
  }
};

struct AttentionRule : GradientRule<AttentionRule, AttentionOp> {
  bool hasGradient(AttentionOp, unsigned result) const { return result == 0; }
  SmallVector<Value> getSaved(AttentionOp op, Wanted) const {
    return {op.getQuery(), op.getKey(), op.getValue(), op.getOutput(), op.getLogSumExp()};
  }
  void build(AttentionOp op, OpBuilder &builder, Cotangents &cotangents) const {
    Value dy = cotangents.get(op.getOutput());
    auto grad =
        AttentionGradOp::create(builder, op.getLoc(), op->getOperandTypes(), dy, op.getQuery(),
                                op.getKey(), op.getValue(), op.getOutput(), op.getLogSumExp(),
                                op.getScaleAttr(), op.getCausalAttr(), op.getWindowAttr());
    for (auto [operand, gradient] : llvm::zip_equal(op->getOperands(), grad->getResults()))
      cotangents.add(operand, gradient);
  }
};

struct GluRule : GradientRule<GluRule, GluOp> {
  SmallVector<Value> getSaved(GluOp op, Wanted) const { return {op.getGate(), op.getUp()}; }
  void build(GluOp op, OpBuilder &builder, Cotangents &cotangents) const {
    auto grad =
        GluGradOp::create(builder, op.getLoc(), op->getOperandTypes(), op.getActivationAttr(),
                          cotangents.get(op.getResult()), op.getGate(), op.getUp());
    cotangents.add(op.getGate(), grad.getGateGrad());
    cotangents.add(op.getUp(), grad.getUpGrad());
  }
};

struct CrossEntropyRule : GradientRule<CrossEntropyRule, CrossEntropyOp> {
  bool hasGradient(CrossEntropyOp, unsigned result) const { return result == 0; }
  SmallVector<Value> getSaved(CrossEntropyOp op, Wanted) const {
    return {op.getLogits(), op.getTargets(), op.getDivisor(), op.getLogSumExp()};
  }
  void build(CrossEntropyOp op, OpBuilder &builder, Cotangents &cotangents) const {
    Value logits = op.getLogits();
    cotangents.add(logits, CrossEntropyGradOp::create(builder, op.getLoc(), logits.getType(),
                                                      cotangents.get(op.getLoss()), logits,
                                                      op.getTargets(), op.getLogSumExp(),
                                                      op.getDivisor(), op.getIgnoreIndexAttr()));
  }
};

} // namespace

void vernier::registerModelRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, VernierDialect *) {
    AddOp::attachInterface<AddRule>(*context);
    MulOp::attachInterface<MulRule>(*context);
    LinearOp::attachInterface<LinearRule>(*context);
    EmbeddingOp::attachInterface<EmbeddingRule>(*context);
    RMSNormOp::attachInterface<NormRule<RMSNormOp, RMSNormGradOp>>(*context);
    LayerNormOp::attachInterface<NormRule<LayerNormOp, LayerNormGradOp>>(*context);
    ScaleOp::attachInterface<ScaleRule<ScaleOp, ColumnSumOp>>(*context);
    ScaleRowsOp::attachInterface<ScaleRule<ScaleRowsOp, RowSumOp>>(*context);
    ScaleFromDirectionOp::attachInterface<ScaleFromDirectionRule>(*context);
    RopeOp::attachInterface<RopeRule>(*context);
    AttentionOp::attachInterface<AttentionRule>(*context);
    GluOp::attachInterface<GluRule>(*context);
    CrossEntropyOp::attachInterface<CrossEntropyRule>(*context);
  });
}
