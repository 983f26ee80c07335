//===- TrainingOps.td - Operations that only training graphs have ---------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The adjoints that model operations cannot express, and the optimizer. These
// have no gradient rule of their own: a training graph is not differentiated.
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_MODEL_TRAININGOPS_TD
#define VERNIER_MODEL_TRAININGOPS_TD

include "vernier/Model/ModelOps.td"

//===----------------------------------------------------------------------===//
// Adjoints
//===----------------------------------------------------------------------===//

def Vernier_LinearInputGradOp : Vernier_PureOp<"linear_input_grad"> {
  let summary = "adjoint of linear for its input, dx = dy W";
  let description = [{
    Constraints: (1) the weight `[out, in]` has two dimensions, and its first
    is the last of the gradient; (2) the result has the gradient's leading
    dimensions and the weight's second.

    Example:
    ```mlir
    %dx = vernier.linear_input_grad %dy, %w : (tensor<8x256x1024xf32>, tensor<1024x384xf32>) -> tensor<8x256x384xf32>
    ```
  }];
  let arguments = (ins Vernier_Float:$output_grad, Vernier_Float:$weight);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "$output_grad `,` $weight attr-dict `:` functional-type(operands, results)";
}

def Vernier_LinearWeightGradOp : Vernier_PureOp<"linear_weight_grad"> {
  let summary = "adjoint of linear for its weight, dW = dy^T x";
  let description = [{
    Sums over all leading dimensions.

    Constraints: (1) gradient and input have the same leading dimensions; (2)
    the result is `[last of the gradient, last of the input]`.

    Example:
    ```mlir
    %dw = vernier.linear_weight_grad %dy, %x : (tensor<8x256x1024xf32>, tensor<8x256x384xf32>) -> tensor<1024x384xf32>
    ```
  }];
  let arguments = (ins Vernier_Float:$output_grad, Vernier_Float:$input);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "$output_grad `,` $input attr-dict `:` functional-type(operands, results)";
}

def Vernier_ColumnSumOp : Vernier_PureOp<"column_sum"> {
  let summary = "sum over all leading dimensions";
  let description = [{
    The adjoint of broadcasting a vector over rows: the gradient of a bias,
    and, of a product, that of a scale vector.

    Constraints: (1) the result is one-dimensional with the input's last dimension.

    Example:
    ```mlir
    %db = vernier.column_sum %dy : tensor<8x256x384xf32> -> tensor<384xf32>
    ```
  }];
  let arguments = (ins Vernier_Float:$input);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Vernier_RowSumOp : Vernier_PureOp<"row_sum"> {
  let summary = "sum over the last dimension";
  let description = [{
    With a product before it the gradient of the vector of `vernier.scale_rows`.

    Constraints: (1) the result has the input's dimensions but the last.

    Example:
    ```mlir
    %dg = vernier.row_sum %p : tensor<1024x384xf32> -> tensor<1024xf32>
    ```
  }];
  let arguments = (ins Vernier_Float:$input);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Vernier_EmbeddingGradOp : Vernier_PureOp<"embedding_grad"> {
  let summary = "adjoint of embedding for its table, added to another gradient";
  let description = [{
    `result = into; result[ids[...], :] += output_grad[..., :]`, in the order
    of the tokens. `into` is the gradient that a tied table has from its other
    use, or zero.

    Constraints: (1) the gradient's shape is that of the ids with the table's
    row length appended; (2) `into` and the result have the table's type.

    Example:
    ```mlir
    %dt = vernier.embedding_grad %dy, %ids into %zero : (tensor<8x256x384xf32>, tensor<8x256xi32>, tensor<256x384xf32>) -> tensor<256x384xf32>
    ```
  }];
  let arguments = (ins Vernier_Float:$output_grad, Vernier_Indices:$ids, Vernier_Float:$into);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "$output_grad `,` $ids `into` $into attr-dict `:` functional-type(operands, results)";
}

class Vernier_NormGradOp<string mnemonic> : Vernier_PureOp<mnemonic> {
  let arguments = (ins Vernier_Float:$output_grad, Vernier_Float:$input, F64Attr:$epsilon);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = "$output_grad `,` $input `epsilon` $epsilon attr-dict `:` functional-type(operands, results)";
}

def Vernier_RMSNormGradOp : Vernier_NormGradOp<"rms_norm_grad"> {
  let summary = "adjoint of rms_norm";
  let description = [{
    With `r = 1 / sqrt(mean(x^2) + eps)` and `n = r x`:
    `dx = r (dy - n mean(dy n))`.

    Constraints: (1) all shapes are the same; (2) `epsilon` is positive.

    Example:
    ```mlir
    %dx = vernier.rms_norm_grad %dy, %x epsilon 1.0e-5 : (tensor<8x256x384xf32>, tensor<8x256x384xf32>) -> tensor<8x256x384xf32>
    ```
  }];
}

def Vernier_LayerNormGradOp : Vernier_NormGradOp<"layer_norm_grad"> {
  let summary = "adjoint of layer_norm";
  let description = [{
    With `r = 1 / sqrt(var(x) + eps)` and `n = r (x - mean(x))`:
    `dx = r (dy - mean(dy) - n mean(dy n))`.

    Constraints: (1) all shapes are the same; (2) `epsilon` is positive.

    Example:
    ```mlir
    %dx = vernier.layer_norm_grad %dy, %x epsilon 1.0e-5 : (tensor<8x256x384xf32>, tensor<8x256x384xf32>) -> tensor<8x256x384xf32>
    ```
  }];
}

def Vernier_ScaleFromDirectionGradOp : Vernier_PureOp<"scale_from_direction_grad"> {
  let summary = "adjoint of scale_from_direction";
  let description = [{
    `original`, with u = a / rms(a): `db = <dy, u>`,
    `da = b / rms(a) (dy - u <dy, u> / d)`. `exponential`, with
    h = dy e^b e^(a - mean(a)): `db = sum(h)`, `da = h - mean(h)`.

    With `squared` every entry of the Jacobian is squared: what second moments
    of a gradient become if its entries are independent. That is for values that
    follow a rewrite; it is evaluated, not compiled.

    Constraints: (1) to (2) of `vernier.scale_from_direction`; (3) the gradient of
    the result has the direction's shape, and each result that of what it is the
    gradient of.

    Example:
    ```mlir
    %da, %db = vernier.scale_from_direction_grad original %dy, %a, %b
        : (tensor<384xf32>, tensor<384xf32>, tensor<1xf32>) -> (tensor<384xf32>, tensor<1xf32>)
    ```
  }];
  let arguments = (ins Vernier_ScaleFormAttr:$form, Vernier_Float:$output_grad,
                       Vernier_Float:$direction, Vernier_Float:$magnitude, UnitAttr:$squared);
  let results = (outs Vernier_Float:$direction_grad, Vernier_Float:$magnitude_grad);
  let assemblyFormat = [{
    custom<ScaleForm>($form) (`squared` $squared^)? $output_grad `,` $direction `,` $magnitude attr-dict
      `:` functional-type(operands, results)
  }];
}

def Vernier_AttentionGradOp : Vernier_PureOp<"attention_grad"> {
  let summary = "adjoint of attention";
  let description = [{
    Recomputes the probabilities `p` from the log-sum-exp. With
    `D = sum(output_grad * output)` of each row: `dv = p^T do`,
    `ds = p (do v^T - D)`, `dq = scale ds k`, `dk = scale ds^T q`; the heads of
    a group add up in dk and dv.

    Constraints: (1) to (7) of `vernier.attention`; (8) output and its
    gradient have the query's shape; (9) each result has the shape of what it
    is the gradient of.

    Example:
    ```mlir
    %dq, %dk, %dv = vernier.attention_grad %do, %q, %k, %v, %o, %lse scale 0.125 causal
        : (tensor<8x256x6x64xf32>, tensor<8x256x6x64xf32>, tensor<8x256x2x64xf32>, tensor<8x256x2x64xf32>, tensor<8x256x6x64xf32>, tensor<8x256x6xf32>)
        -> (tensor<8x256x6x64xf32>, tensor<8x256x2x64xf32>, tensor<8x256x2x64xf32>)
    ```
  }];
  let arguments = (ins Vernier_Float:$output_grad, Vernier_Float:$query, Vernier_Float:$key,
                       Vernier_Float:$value, Vernier_Float:$output,
                       Vernier_F32:$log_sum_exp, F64Attr:$scale, UnitAttr:$causal, OptionalAttr<I64Attr>:$window);
  let results = (outs Vernier_Float:$query_grad, Vernier_Float:$key_grad, Vernier_Float:$value_grad);
  let assemblyFormat = [{
    $output_grad `,` $query `,` $key `,` $value `,` $output `,` $log_sum_exp
      `scale` $scale (`causal` $causal^)? (`window` $window^)?
      attr-dict `:` functional-type(operands, results)
  }];
}

def Vernier_GluGradOp : Vernier_PureOp<"glu_grad"> {
  let summary = "adjoint of glu";
  let description = [{
    `dgate = dy up activation'(gate)`, `dup = dy activation(gate)`.

    Constraints: (1) all shapes are the same.

    Example:
    ```mlir
    %dg, %du = vernier.glu_grad silu %dy, %gate, %up
        : (tensor<8x256x1024xf32>, tensor<8x256x1024xf32>, tensor<8x256x1024xf32>) -> (tensor<8x256x1024xf32>, tensor<8x256x1024xf32>)
    ```
  }];
  let arguments = (ins Vernier_ActivationAttr:$activation, Vernier_Float:$output_grad,
                       Vernier_Float:$gate, Vernier_Float:$up);
  let results = (outs Vernier_Float:$gate_grad, Vernier_Float:$up_grad);
  let assemblyFormat = [{
    custom<Activation>($activation) $output_grad `,` $gate `,` $up attr-dict
      `:` functional-type(operands, results)
  }];
}

def Vernier_CrossEntropyGradOp : Vernier_PureOp<"cross_entropy_grad"> {
  let summary = "adjoint of cross_entropy for the logits";
  let description = [{
    Row r is `loss_grad / divisor * (exp(logits[r, :] - log_sum_exp[r]) -
    onehot(targets[r]))`, and zero where the target is ignored or the divisor
    is 0.

    Constraints: (1) targets and log_sum_exp have the shape of the logits
    without the last dimension; (2) the result has the logits' shape.

    Example:
    ```mlir
    %dlogits = vernier.cross_entropy_grad %dloss, %logits, %targets, %lse, %n ignore -100
        : (tensor<f32>, tensor<8x256x50304xf32>, tensor<8x256xi32>, tensor<8x256xf32>, tensor<i64>) -> tensor<8x256x50304xf32>
    ```
  }];
  let arguments = (ins Vernier_Scalar:$loss_grad, Vernier_Float:$logits,
                       Vernier_Indices:$targets, Vernier_F32:$log_sum_exp,
                       Vernier_Count:$divisor, I32Attr:$ignore_index);
  let results = (outs Vernier_Float:$result);
  let assemblyFormat = [{
    $loss_grad `,` $logits `,` $targets `,` $log_sum_exp `,` $divisor
      `ignore` $ignore_index attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Optimizer
//===----------------------------------------------------------------------===//

def Vernier_GlobalNormOp : Vernier_PureOp<"global_norm"> {
  let summary = "the Euclidean norm of all gradients together";
  let description = [{
    Squares and sums in f64, so that neither 1e8 small entries nor one of 1e20
    is lost or overflows.

    Constraints: (1) there is at least one gradient.

    Example:
    ```mlir
    %norm = vernier.global_norm %g0, %g1 : (tensor<256x384xf32>, tensor<384xf32>) -> tensor<f64>
    ```
  }];
  let arguments = (ins Variadic<Vernier_Float>:$gradients);
  let results = (outs Vernier_F64Scalar:$result);
  let assemblyFormat = "$gradients attr-dict `:` functional-type(operands, results)";
}

def Vernier_ClipFactorOp : Vernier_PureOp<"clip_factor"> {
  let summary = "min(1, max_norm / (norm + 1e-6))";
  let description = [{
    What gradients are multiplied by so that their global norm is at most
    `max_norm` (the form PyTorch's clip_grad_norm_ uses).

    Constraints: (1) `max_norm` is positive.

    Example:
    ```mlir
    %c = vernier.clip_factor %norm max 1.0 : tensor<f64> -> tensor<f32>
    ```
  }];
  let arguments = (ins Vernier_F64Scalar:$norm, F64Attr:$max_norm);
  let results = (outs Vernier_Scalar:$result);
  let assemblyFormat = "$norm `max` $max_norm attr-dict `:` type($norm) `->` type($result)";
}

def Vernier_AdamWOp : Vernier_PureOp<"adamw"> {
  let summary = "one step of AdamW with decoupled weight decay";
  let description = [{
    With `g = clip gradient`, and `steps` counting this step as well (from 1):
    ```
    m' = beta1 m + (1 - beta1) g          mhat = m' / (1 - beta1^steps)
    v' = beta2 v + (1 - beta2) g^2        vhat = v' / (1 - beta2^steps)
    p' = p - rate weight_decay (p - toward) - rate mhat / (sqrt(vhat) + epsilon)
    ```
    (Loshchilov and Hutter, arXiv 1711.05101.)

    Constraints: (1) parameter, moments and gradient have the same shape, and
    so have the results; (2) betas lie in [0, 1), `epsilon` is positive,
    `weight_decay` is finite and not negative, `toward` is finite; (3) parameter,
    moments and results are f32: in bf16 a step of less than 1/512 of an entry
    would be lost. The gradient may be bf16.

    Example:
    ```mlir
    %p1, %m1, %v1 = vernier.adamw %p, %m, %v, %g, %steps, %rate, %clip
        beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1
        : (tensor<256x384xf32>, tensor<256x384xf32>, tensor<256x384xf32>, tensor<256x384xf32>, tensor<i64>, tensor<f32>, tensor<f32>)
        -> (tensor<256x384xf32>, tensor<256x384xf32>, tensor<256x384xf32>)
    ```
  }];
  let arguments = (ins Vernier_F32:$param, Vernier_F32:$first_moment,
                       Vernier_F32:$second_moment, Vernier_Float:$gradient,
                       Vernier_Count:$steps, Vernier_Scalar:$rate, Vernier_Scalar:$clip,
                       F64Attr:$beta1, F64Attr:$beta2, F64Attr:$epsilon,
                       F64Attr:$weight_decay, DefaultValuedAttr<F64Attr, "0.0">:$toward);
  let results = (outs Vernier_F32:$new_param, Vernier_F32:$new_first_moment,
                      Vernier_F32:$new_second_moment);
  let assemblyFormat = [{
    $param `,` $first_moment `,` $second_moment `,` $gradient `,` $steps `,` $rate `,` $clip
      `beta1` $beta1 `beta2` $beta2 `epsilon` $epsilon `weight_decay` $weight_decay (`toward` $toward^)?
      attr-dict `:` functional-type(operands, results)
  }];
}

#endif // VERNIER_MODEL_TRAININGOPS_TD
