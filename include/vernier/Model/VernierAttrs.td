//===- VernierAttrs.td - Attributes of the vernier dialect ----------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_MODEL_VERNIERATTRS_TD
#define VERNIER_MODEL_VERNIERATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "vernier/Model/RopeAttrs.td"
include "vernier/Model/VernierDialect.td"

class Vernier_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::vernier";
}

class Vernier_EnumAttr<Vernier_Enum e, string mnemonic>
    : EnumAttr<Vernier_Dialect, e, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

// What a parameter is for. Decided by the graph, never by a name or a rank.
def Vernier_ParamKind : Vernier_Enum<"ParamKind", "role of a parameter", [
  I32EnumAttrCase<"Matrix", 0, "matrix">,
  I32EnumAttrCase<"Embedding", 1, "embedding">,
  I32EnumAttrCase<"Bias", 2, "bias">,
  I32EnumAttrCase<"Scale", 3, "scale">,
  I32EnumAttrCase<"Magnitude", 4, "magnitude">,
  I32EnumAttrCase<"Direction", 5, "direction">]>;
def Vernier_ParamKindAttr : Vernier_EnumAttr<Vernier_ParamKind, "kind">;

def Vernier_DecayGroup : Vernier_Enum<"DecayGroup", "weight decay group", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Decay", 1, "decay">]>;
def Vernier_DecayGroupAttr : Vernier_EnumAttr<Vernier_DecayGroup, "decay_group">;

def Vernier_OptimizerGroup : Vernier_Enum<"OptimizerGroup", "optimizer group", [
  I32EnumAttrCase<"AdamW", 0, "adamw">]>;
def Vernier_OptimizerGroupAttr
    : Vernier_EnumAttr<Vernier_OptimizerGroup, "optimizer">;

def Vernier_StoredAttr : Vernier_Attr<"Stored", "stored"> {
  let summary = "a checkpoint tensor, or rows of one, that a parameter is stored as";
  let description = [{
    Names a tensor of the checkpoint. With `rows`, only the rows
    `[begin, end)` of its first dimension belong to the parameter; a parameter
    with several of these is their concatenation along the first dimension.
  }];
  let parameters = (ins StringRefParameter<"name of the tensor">:$name,
                        OptionalParameter<"int64_t", "first row">:$begin,
                        OptionalParameter<"int64_t", "past the last row, 0 for all">:$end);
  let hasCustomAssemblyFormat = 1;
}

// Initializers. The runtime draws the numbers from the run's seed and the
// parameter's name, so that the order of parameters does not matter.
def Vernier_ConstantInitAttr : Vernier_Attr<"ConstantInit", "constant"> {
  let summary = "every entry starts at `value`";
  let parameters = (ins "::mlir::FloatAttr":$value);
  let assemblyFormat = "`<` $value `>`";
}

def Vernier_NormalInitAttr : Vernier_Attr<"NormalInit", "normal"> {
  let summary = "independent normal entries";
  let description = [{
    Constraints: (1) the mean is finite; (2) the standard deviation is finite in
    f32 and not negative.
  }];
  let parameters = (ins "::mlir::FloatAttr":$mean, "::mlir::FloatAttr":$std);
  let assemblyFormat = "`<` `mean` `=` $mean `,` `std` `=` $std `>`";
  let genVerifyDecl = 1;
}

def Vernier_ResidualNormalInitAttr
    : Vernier_Attr<"ResidualNormalInit", "residual_normal"> {
  let summary = "normal entries of deviation std / sqrt(2 layers), as in GPT-2";
  let description = [{
    For the maps that write to the residual stream (o and down): with two such
    writes a layer the stream's variance at the end does not depend on depth.

    Constraints: (1) `std` is finite in f32 and not negative; (2) there is at least one
    layer.
  }];
  let parameters = (ins "::mlir::FloatAttr":$std, "int64_t":$layers);
  let assemblyFormat = "`<` `std` `=` $std `,` `layers` `=` $layers `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

def Vernier_Activation : Vernier_Enum<"Activation", "activation of a gated linear unit", [
  I32EnumAttrCase<"SiLU", 0, "silu">,
  I32EnumAttrCase<"GELU", 1, "gelu">,          // exact: x Phi(x)
  I32EnumAttrCase<"GELUTanh", 2, "gelu_tanh">, // the tanh approximation
  I32EnumAttrCase<"ReLU", 3, "relu">]>;
def Vernier_ActivationAttr : Vernier_EnumAttr<Vernier_Activation, "activation">;

// How a scale vector is made of a direction and a magnitude.
def Vernier_ScaleForm : Vernier_Enum<"ScaleForm", "form of a reparameterized scale", [
  I32EnumAttrCase<"Original", 0, "original">,
  I32EnumAttrCase<"Exponential", 1, "exponential">]>;
def Vernier_ScaleFormAttr : Vernier_EnumAttr<Vernier_ScaleForm, "scale_form">;

//===----------------------------------------------------------------------===//
// Phases of a training graph
//===----------------------------------------------------------------------===//

// What a value that a phase takes or returns is. `param` to `prepared` live
// from step to step and are named after the parameter they belong to (a
// `prepared` value after its position); the others are the step's own.
def Vernier_SlotRole : Vernier_Enum<"SlotRole", "what a phase's value is", [
  I32EnumAttrCase<"Param", 0, "param">,
  I32EnumAttrCase<"FirstMoment", 1, "first_moment">,
  I32EnumAttrCase<"SecondMoment", 2, "second_moment">,
  I32EnumAttrCase<"Steps", 3, "steps">,
  I32EnumAttrCase<"Gradient", 4, "gradient">,
  I32EnumAttrCase<"Prepared", 5, "prepared">,
  I32EnumAttrCase<"Ids", 6, "ids">,
  I32EnumAttrCase<"Targets", 7, "targets">,
  I32EnumAttrCase<"Divisor", 8, "divisor">,
  I32EnumAttrCase<"Rate", 9, "rate">,
  I32EnumAttrCase<"Loss", 10, "loss">,
  I32EnumAttrCase<"GradientNorm", 11, "gradient_norm">,
  I32EnumAttrCase<"ClipFactor", 12, "clip_factor">,
  I32EnumAttrCase<"Logits", 13, "logits">,
  I32EnumAttrCase<"ParamGradient", 14, "param_gradient">,
  I32EnumAttrCase<"ScaleVector", 15, "scale_vector">,
  I32EnumAttrCase<"GroupNorm", 16, "group_norm">]>;
def Vernier_SlotRoleAttr : Vernier_EnumAttr<Vernier_SlotRole, "slot_role">;

def Vernier_SlotAttr : Vernier_Attr<"Slot", "slot"> {
  let summary = "which state or input an argument or result of a phase is";
  let description = [{
    Stands as `vernier.slot` on arguments and results of phase functions. A
    result with the slot of an argument is that state's next value, and the
    planner gives both the same buffer.
  }];
  let parameters = (ins EnumParameter<Vernier_SlotRole>:$role,
                        OptionalParameter<"::mlir::StringAttr">:$name);
  let assemblyFormat = "`<` $role (`,` $name^)? `>`";
}

#endif // VERNIER_MODEL_VERNIERATTRS_TD
