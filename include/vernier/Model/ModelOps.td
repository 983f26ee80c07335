//===- ModelOps.td - Operations of model graphs ---------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_MODEL_MODELOPS_TD
#define VERNIER_MODEL_MODELOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "vernier/Model/VernierAttrs.td"

// The types that values have. f64 appears in norms over all gradients only.
def Vernier_Float : StaticShapeTensorOf<[F32, BF16]>;
def Vernier_F32 : StaticShapeTensorOf<[F32]>;
def Vernier_Scalar : 0DTensorOf<[F32]>;
def Vernier_F64Scalar : 0DTensorOf<[F64]>;
def Vernier_Count : 0DTensorOf<[I64]>;
def Vernier_Indices : StaticShapeTensorOf<[I32]>;

class Vernier_Op<string mnemonic, list<Trait> traits = []>
    : Op<Vernier_Dialect, mnemonic, traits # [Vernier_CountableShapes]>;

// An operation of a graph: no side effects, checked by `verify()`.
class Vernier_PureOp<string mnemonic, list<Trait> traits = []>
    : Vernier_Op<mnemonic, [Pure] # traits> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

def Vernier_ParamOp : Vernier_Op<"param", [Symbol]> {
  let summary = "a learnable tensor of the model";
  let description = [{
    Declares a parameter: its type, how it starts, what it is for, and the
    checkpoint tensors that it is stored as.

    Constraints: (1) the type is a static f32 tensor without empty dimensions;
    (2) the kind fits the rank: `matrix` and `embedding` have two dimensions,
    `bias`, `scale` and `direction` one, `magnitude` has exactly one entry;
    (3) `stored` is not empty, and slices are ranges of rows, together no more
    than the parameter has; (4) the initializer is one of this dialect, and its
    numbers fit (see the attribute); (5) `toward` is finite.

    Example:
    ```mlir
    vernier.param @"model.norm.weight" : tensor<384xf32> kind(scale) decay(none)
        optimizer(adamw) init(#vernier.constant<1.0 : f64>)
        stored([#vernier.stored<"model.norm.weight">])
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<AnyRankedTensor>:$type,
                       Vernier_ParamKindAttr:$kind,
                       Vernier_DecayGroupAttr:$decay,
                       DefaultValuedAttr<F64Attr, "0.0">:$decay_toward,
                       Vernier_OptimizerGroupAttr:$optimizer,
                       AnyAttr:$initializer,
                       TypedArrayAttrBase<Vernier_StoredAttr, "checkpoint tensors">:$stored);
  let assemblyFormat = [{
    $sym_name `:` $type `kind` `` `(` custom<ParamKind>($kind) `)`
      `decay` `` `(` custom<DecayGroup>($decay) `)` (`toward` `` `(` $decay_toward^ `)`)?
      `optimizer` `` `(` custom<OptimizerGroup>($optimizer) `)`
      `init` `` `(` $initializer `)` `stored` `` `(` $stored `)` attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
  }];
}

def Vernier_GetParamOp : Vernier_Op<"get_param", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a parameter";
  let description = [{
    Constraints: (1) the symbol is a `vernier.param`; (2) the result has its type.

    Example:
    ```mlir
    %w = vernier.get_param @"model.norm.weight" : tensor<384xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$param);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$param attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

def Vernier_EmbeddingOp : Vernier_PureOp<"embedding"> {
  let summary = "rows of a table, chosen by token ids";
  let description = [{
    `result[..., :] = table[ids[...], :]`.

    Constraints: (1) the table has two dimensions; (2) the result's shape is
    that of the ids with the table's row length appended; (3) there is at least
    one id.

    Example:
    ```mlir
    %x = vernier.embedding %ids, %table : (tensor<8x256xi32>, tensor<256x384xf32>) -> tensor<8x256x384xf32>
    ```
  }];
  let arguments = (ins Vernier_Indices:$ids, Vernier_Float:$table);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "$ids `,` $table attr-dict `:` functional-type(operands, results)";
}

def Vernier_LinearOp : Vernier_PureOp<"linear"> {
  let summary = "a linear map of the last dimension, y = x W^T + b";
  let description = [{
    The weight is stored [out, in], as in checkpoints. One op per branch: q, k
    and v of a layer are three.

    Constraints: (1) the weight has two dimensions; (2) its second is the last
    of the input; (3) the result has the input's leading dimensions and the
    weight's first; (4) the bias, if any, has as many entries as the weight rows.

    Example:
    ```mlir
    %y = vernier.linear %x, %w bias %b : (tensor<8x256x384xf32>, tensor<1024x384xf32>, tensor<1024xf32>) -> tensor<8x256x1024xf32>
    ```
  }];
  let arguments = (ins Vernier_Float:$input, Vernier_Float:$weight,
                       Optional<Vernier_Float>:$bias);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "$input `,` $weight (`bias` $bias^)? attr-dict `:` functional-type(operands, results)";
}

def Vernier_RMSNormOp : Vernier_PureOp<"rms_norm"> {
  let summary = "x / sqrt(mean(x^2) + eps) over the last dimension";
  let description = [{
    The deterministic half of RMSNorm; the learnable half is `vernier.scale`.

    Constraints: (1) input and result have the same shape (the element types
    may differ: the result's is where it is rounded); (2) `epsilon` is positive.

    Example:
    ```mlir
    %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<8x256x384xf32> -> tensor<8x256x384xf32>
    ```
  }];
  let arguments = (ins Vernier_Float:$input, F64Attr:$epsilon);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "$input `epsilon` $epsilon attr-dict `:` type($input) `->` type($result)";
}

def Vernier_LayerNormOp : Vernier_PureOp<"layer_norm"> {
  let summary = "(x - mean(x)) / sqrt(var(x) + eps) over the last dimension";
  let description = [{
    The variance is the biased one. Scale and bias are separate ops.

    Constraints: as for `vernier.rms_norm`.

    Example:
    ```mlir
    %n = vernier.layer_norm %x epsilon 1.0e-5 : tensor<8x256x384xf32> -> tensor<8x256x384xf32>
    ```
  }];
  let arguments = (ins Vernier_Float:$input, F64Attr:$epsilon);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "$input `epsilon` $epsilon attr-dict `:` type($input) `->` type($result)";
}

def Vernier_ScaleOp : Vernier_PureOp<"scale"> {
  let summary = "multiplication by a scale vector, (offset + gamma) * x";
  let description = [{
    `offset` is 0 in the usual convention and 1 where a checkpoint stores
    `gamma - 1` (Gemma). Two scales in a row stay two: they are different
    parameters and train differently.

    Constraints: (1) the scale vector has one dimension, the last of the
    input; (2) input and result have the same shape.

    Example:
    ```mlir
    %y = vernier.scale %n, %gamma : (tensor<8x256x384xf32>, tensor<384xf32>) -> tensor<8x256x384xf32>
    %z = vernier.scale %n, %gamma offset 1.0 : (tensor<8x256x384xf32>, tensor<384xf32>) -> tensor<8x256x384xf32>
    ```
  }];
  let arguments = (ins Vernier_Float:$input, Vernier_Float:$scale,
                       DefaultValuedAttr<F64Attr, "0.0">:$offset);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "$input `,` $scale (`offset` $offset^)? attr-dict `:` functional-type(operands, results)";
}

def Vernier_ScaleRowsOp : Vernier_PureOp<"scale_rows"> {
  let summary = "diag(offset + gamma) X: row i multiplied by entry i";
  let description = [{
    What `vernier.scale` is to columns: `result[i, j] = (offset + gamma[i]) x[i, j]`.
    Applies the scale vector at the output of a linear map to its weight.

    Constraints: (1) the input has two dimensions; (2) the scale vector has one,
    the first of the input; (3) input and result have the same shape.

    Example:
    ```mlir
    %v = vernier.scale_rows %w, %gamma : (tensor<1024x384xf32>, tensor<1024xf32>) -> tensor<1024x384xf32>
    ```
  }];
  let arguments = (ins Vernier_Float:$input, Vernier_Float:$scale,
                       DefaultValuedAttr<F64Attr, "0.0">:$offset);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "$input `,` $scale (`offset` $offset^)? attr-dict `:` functional-type(operands, results)";
}

def Vernier_ScaleFromDirectionOp : Vernier_PureOp<"scale_from_direction"> {
  let summary = "a scale vector of its direction and magnitude";
  let description = [{
    With a direction a of d entries and a magnitude b (arXiv 2605.26895):
    `original` is `b a / rms(a)`, `exponential` is `e^b e^(a - mean(a))`; rms is
    `sqrt(mean(a^2))`, and not zero.

    Constraints: (1) the direction has one dimension, the magnitude one of one
    entry; (2) the result has the direction's shape.

    Gradient: `vernier.scale_from_direction_grad`.

    Example:
    ```mlir
    %g = vernier.scale_from_direction original %a, %b : (tensor<384xf32>, tensor<1xf32>) -> tensor<384xf32>
    ```
  }];
  let arguments = (ins Vernier_ScaleFormAttr:$form, Vernier_Float:$direction,
                       Vernier_Float:$magnitude);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "custom<ScaleForm>($form) $direction `,` $magnitude attr-dict `:` functional-type(operands, results)";
}

def Vernier_ScaleToDirectionOp : Vernier_PureOp<"scale_to_direction"> {
  let summary = "the direction and magnitude that a scale vector starts with";
  let description = [{
    What `vernier.scale_from_direction` makes the vector g of: `original` starts
    with a = g and b = rms(g), `exponential` with b = mean(log g) and
    a = log g - b. Not a number where there is none: for g = 0, or in
    exponential form an entry that is not positive. Occurs where values follow
    a rewrite, not in graphs that are trained: it has no gradient.

    Constraints: as for `vernier.scale_from_direction`.

    Example:
    ```mlir
    %a, %b = vernier.scale_to_direction original %g : (tensor<384xf32>) -> (tensor<384xf32>, tensor<1xf32>)
    ```
  }];
  let arguments = (ins Vernier_ScaleFormAttr:$form, Vernier_Float:$scale);
  let results = (outs Vernier_Float:$direction, Vernier_Float:$magnitude);
  let assemblyFormat = "custom<ScaleForm>($form) $scale attr-dict `:` functional-type(operands, results)";
}

class Vernier_SameShapeBinaryOp<string mnemonic, list<Trait> traits = []>
    : Vernier_PureOp<mnemonic, traits> {
  let arguments = (ins Vernier_Float:$lhs, Vernier_Float:$rhs);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Vernier_AddOp : Vernier_SameShapeBinaryOp<"add", [Commutative]> {
  let summary = "elementwise sum";
  let description = [{
    Constraints: (1) operands and result have the same shape.

    Example:
    ```mlir
    %h = vernier.add %x, %y : (tensor<8x256x384xf32>, tensor<8x256x384xf32>) -> tensor<8x256x384xf32>
    ```
  }];
}

def Vernier_MulOp : Vernier_SameShapeBinaryOp<"mul", [Commutative]> {
  let summary = "elementwise product";
  let description = [{
    Constraints: (1) operands and result have the same shape.

    Example:
    ```mlir
    %h = vernier.mul %x, %y : (tensor<8x256x384xf32>, tensor<8x256x384xf32>) -> tensor<8x256x384xf32>
    ```
  }];
}

def Vernier_RopeOp : Vernier_PureOp<"rope"> {
  let summary = "rotary position embedding, half-split form";
  let description = [{
    On `[batch, sequence, heads, head_dim]`, at position t and for i below
    h = head_dim / 2, with the angle `a = t f_i` and `f_i = theta^(-i / h)`
    (rescaled by `scaling`, if given):
    `y_i = x_i cos a - x_(i+h) sin a`, `y_(i+h) = x_(i+h) cos a + x_i sin a`.
    `inverse` rotates by -a; it is the adjoint. A rotation of f32 followed by its
    inverse folds to the input.

    Constraints: (1) the input has four dimensions and the result its shape;
    (2) head_dim is even; (3) `theta` is positive; (4) the numbers of `scaling`
    fit (see `#vernier.rope_llama3`).

    Example:
    ```mlir
    %r = vernier.rope %q theta 1.0e4 : tensor<8x256x6x64xf32> -> tensor<8x256x6x64xf32>
    ```
  }];
  let arguments = (ins Vernier_Float:$input, F64Attr:$theta,
                       OptionalAttr<Vernier_RopeLlama3Attr>:$scaling,
                       UnitAttr:$inverse);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = [{
    $input `theta` $theta (`scaling` $scaling^)? (`inverse` $inverse^)? attr-dict
      `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def Vernier_AttentionOp : Vernier_PureOp<"attention"> {
  let summary = "softmax attention with grouped queries";
  let description = [{
    `query` is `[batch, sequence, heads, head_dim]`, `key` and `value` have
    `kv_heads` heads; query head h reads key head `h / (heads / kv_heads)`.
    `output = softmax(scale * q k^T + mask) v`, and `log_sum_exp` is the
    logarithm of the softmax's denominator for each query row. With
    `causal` position i sees the positions up to i, and with `window` w only
    the last w of those, itself included.

    Constraints: (1) query, key and value have four dimensions, key and value
    the same shape; (2) batch, sequence and head_dim agree; (3) heads is a
    multiple of kv_heads; (4) the output has the query's shape; (5)
    log_sum_exp is `[batch, sequence, heads]`; (6) a window is positive and
    needs `causal`; (7) `scale` is positive.

    Example:
    ```mlir
    %o, %lse = vernier.attention %q, %k, %v scale 0.125 causal window 128
        : (tensor<8x256x6x64xf32>, tensor<8x256x2x64xf32>, tensor<8x256x2x64xf32>)
        -> (tensor<8x256x6x64xf32>, tensor<8x256x6xf32>)
    ```
  }];
  let arguments = (ins Vernier_Float:$query, Vernier_Float:$key, Vernier_Float:$value,
                       F64Attr:$scale, UnitAttr:$causal, OptionalAttr<I64Attr>:$window);
  let results = (outs Vernier_Float:$output, Vernier_F32:$log_sum_exp);
  let assemblyFormat = [{
    $query `,` $key `,` $value `scale` $scale (`causal` $causal^)? (`window` $window^)?
      attr-dict `:` functional-type(operands, results)
  }];
}

def Vernier_GluOp : Vernier_PureOp<"glu"> {
  let summary = "gated linear unit, activation(gate) * up";
  let description = [{
    Activations: `silu` x / (1 + e^-x), `gelu` x Phi(x), `gelu_tanh` its tanh
    approximation, `relu`.

    Constraints: (1) operands and result have the same shape.

    Example:
    ```mlir
    %a = vernier.glu silu %gate, %up : (tensor<8x256x1024xf32>, tensor<8x256x1024xf32>) -> tensor<8x256x1024xf32>
    ```
  }];
  let arguments = (ins Vernier_ActivationAttr:$activation, Vernier_Float:$gate,
                       Vernier_Float:$up);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "custom<Activation>($activation) $gate `,` $up attr-dict `:` functional-type(operands, results)";
}

//===----------------------------------------------------------------------===//
// Loss
//===----------------------------------------------------------------------===//

def Vernier_CountValidOp : Vernier_PureOp<"count_valid"> {
  let summary = "the number of targets that are not ignored";
  let description = [{
    Example:
    ```mlir
    %n = vernier.count_valid %targets ignore -100 : tensor<8x256xi32> -> tensor<i64>
    ```
  }];
  let arguments = (ins Vernier_Indices:$targets, I32Attr:$ignore_index);
  let results = (outs Vernier_Count:$result);
  let assemblyFormat = "$targets `ignore` $ignore_index attr-dict `:` type($targets) `->` type($result)";
  let hasVerifier = 0;
}

def Vernier_CrossEntropyOp : Vernier_PureOp<"cross_entropy"> {
  let summary = "sum over valid targets of -log softmax, over a divisor";
  let description = [{
    `loss = sum over targets t[r] != ignore_index of
    (log sum exp logits[r, :] - logits[r, t[r]]) / divisor`. The divisor is
    the batch's count in a model graph and the whole step's in a training
    graph; where it is 0, the loss is 0. `log_sum_exp` has one entry a row.

    Constraints: (1) the targets' shape is that of the logits without the last
    dimension, and so is log_sum_exp's.

    Example:
    ```mlir
    %loss, %lse = vernier.cross_entropy %logits, %targets, %n ignore -100
        : (tensor<8x256x50304xf32>, tensor<8x256xi32>, tensor<i64>) -> (tensor<f32>, tensor<8x256xf32>)
    ```
  }];
  let arguments = (ins Vernier_Float:$logits, Vernier_Indices:$targets,
                       Vernier_Count:$divisor, I32Attr:$ignore_index);
  let results = (outs Vernier_Scalar:$loss, Vernier_F32:$log_sum_exp);
  let assemblyFormat = "$logits `,` $targets `,` $divisor `ignore` $ignore_index attr-dict `:` functional-type(operands, results)";
}

#endif // VERNIER_MODEL_MODELOPS_TD
