//===- Passes.td - Passes that rewrite scale vectors ----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all of them have in common:
//
// They find places by role, as `vernier-print-roles` shows it; names play no
// part. `sites`, `branches` and `layers` restrict them, and what is not named is
// not restricted. A parameter that several places share is not rewritten for
// some of them.
//
// What was done, and what was declined and why, are remarks of the category
// `vernier-scale` (`--remarks-filter=vernier-scale`).
//
// How values follow is a function of the module, `@vernier.values`, from the
// parameters of the first graph to those of the last (ParameterValues.h).
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_SCALE_PASSES_TD
#define VERNIER_SCALE_PASSES_TD

include "mlir/Pass/PassBase.td"

class ScalePass<string name> : Pass<name, "::mlir::ModuleOp"> {
  list<Option> selection = [
    ListOption<"sites", "sites", "std::string",
               "attention-input, ffn-input, final, qk, sublayer-output, embedding, branch-output">,
    ListOption<"branches", "branches", "std::string", "q, k, v, o, gate, up, down, router, head">,
    ListOption<"layers", "layers", "std::string", "numbers, or ranges first-last, from 0">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::tensor::TensorDialect", "::vernier::VernierDialect"];
}

def SplitScale : ScalePass<"vernier-split-scale"> {
  let summary = "give each branch that shares a scale vector its own (HG)";
  let description = [{
    Branch-specific heterogeneity (arXiv 2605.26895): a scale that feeds several
    linear maps, and nothing else, becomes one for each. Each starts with the
    shared vector's values, so that the function is the same, and the gradients
    of the new vectors add up to that of the old one. They are different
    parameters, so CSE does not merge them. A vector NAME becomes NAME.q, NAME.k
    and so on.

    With `branches`, those get vectors of their own and the others go on sharing
    NAME.

    Example:
    ```mlir
    // vernier-opt --vernier-split-scale
    vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
    func.func @f(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>, %u: tensor<8x4xf32>) -> tensor<2x8xf32> {
      %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
      %g = vernier.get_param @g : tensor<4xf32>
      %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
      %up = vernier.linear %s, %u : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
      %y = vernier.glu silu %gate, %up : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
      return %y : tensor<2x8xf32>
    }
    ```
    becomes
    ```
    %g.gate = vernier.get_param @g.gate
    %s.gate = vernier.scale %n, %g.gate
    %g.up = vernier.get_param @g.up
    %s.up = vernier.scale %n, %g.up
    %gate = vernier.linear %s.gate, %w
    %up = vernier.linear %s.up, %u
    ```
  }];
  let options = selection;
  let statistics = [Statistic<"numSplit", "split", "scale vectors split">,
                    Statistic<"numAdded", "added", "scale vectors added">];
}

def InsertScale : ScalePass<"vernier-insert-scale"> {
  let summary = "put scale vectors where there are none";
  let description = [{
    Multiplies the result of each norm that has no scale by a new vector; with
    `branches` and no `sites`, the result of each of those linear maps instead,
    and with both, both. All entries start at `value`; with 1, the function is
    the same. After a norm the vector is named as in a checkpoint, after the
    norm's location; after a linear map, after its weight.

    Example:
    ```mlir
    // vernier-opt --vernier-insert-scale
    func.func @f(%x: tensor<2x4xf32>, %w: tensor<9x4xf32>, %t: tensor<2xi32>, %d: tensor<i64>) -> tensor<f32> {
      %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
      %l = vernier.linear %n, %w : (tensor<2x4xf32>, tensor<9x4xf32>) -> tensor<2x9xf32>
      %loss, %lse = vernier.cross_entropy %l, %t, %d ignore -100
          : (tensor<2x9xf32>, tensor<2xi32>, tensor<i64>) -> (tensor<f32>, tensor<2xf32>)
      return %loss : tensor<f32>
    }
    ```
    becomes
    ```
    vernier.param @final.scale : tensor<4xf32> kind(scale) decay(none) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"final.scale">])
    ...
    %n = vernier.rms_norm %x epsilon 1.0e-5
    %g = vernier.get_param @final.scale
    %s = vernier.scale %n, %g
    %l = vernier.linear %s, %w
    ```
  }];
  let options = selection # [
    Option<"value", "value", "double", "1.0", "what all entries start at">];
  let statistics = [Statistic<"numInserted", "inserted", "scale vectors inserted">];
}

def RemoveScale : ScalePass<"vernier-remove-scale"> {
  let summary = "take scale vectors out (the ablation)";
  let description = [{
    Takes scales out of the graph, and parameters that nothing reads then. The
    function changes, unless all entries are 1. With `fold` it does not: the
    vectors' values are multiplied into the weights of the linear maps that a
    scale feeds, or of the one whose result it scales. What cannot be folded (a
    weight with another use, such as a tied embedding; no linear map there) stays.

    A vector that is read at a place that is not selected, too, stays.

    Example:
    ```mlir
    // vernier-opt --vernier-remove-scale=fold=true
    vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
    vernier.param @w : tensor<9x4xf32> kind(matrix) decay(decay) optimizer(adamw)
        init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"w">])
    func.func @f(%x: tensor<2x4xf32>) -> tensor<2x9xf32> {
      %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
      %g = vernier.get_param @g : tensor<4xf32>
      %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      %w = vernier.get_param @w : tensor<9x4xf32>
      %l = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<9x4xf32>) -> tensor<2x9xf32>
      return %l : tensor<2x9xf32>
    }
    ```
    becomes
    ```
    %n = vernier.rms_norm %x epsilon 1.0e-5
    %w = vernier.get_param @w
    %l = vernier.linear %n, %w
    ...
    func.func private @vernier.values(
        %w: tensor<9x4xf32> {vernier.slot = #vernier.slot<param, "w">},
        %g: tensor<4xf32> {vernier.slot = #vernier.slot<param, "g">})
        -> (tensor<9x4xf32> {vernier.slot = #vernier.slot<param, "w">}) {
      %wg = vernier.scale %w, %g
      return %wg
    }
    ```
  }];
  let options = selection # [
    Option<"fold", "fold", "bool", "false", "multiply the values into weights">];
  let statistics = [Statistic<"numRemoved", "removed", "scales removed">];
}

def RelocateScale : ScalePass<"vernier-relocate-scale"> {
  let summary = "place scale vectors before, behind or around linear maps (DP, DNP)";
  let description = [{
    For a linear map y = W x (arXiv 2605.26895):
    `input`: y = W (g_in * x); `output`: y = g_out * (W x);
    `dual` (DP): y = g_out * (W (g_in * x));
    `dual-norm` (DNP): y = g_out * N(W (g_in * x)), N being `vernier.rms_norm`.

    Vectors that are added start at 1. One that goes away is multiplied into the
    weight, so that the function stays the same, but for `dual-norm`, which
    changes it; a weight with another use is a reason to decline. A vector that
    several branches share stays as it is for those that are not relocated, as
    if it had been split first.

    The inner norm is over the whole vector, or with `norm-axis=head` for q, k
    and v over each head, with one vector of head_dim entries for all heads.
    Without `branches`, these are q, k, v, gate and up. `sites` are those of the
    norms before them.

    Example:
    ```mlir
    // vernier-opt --vernier-relocate-scale=to=dual-norm
    vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
    func.func @f(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>, %up: tensor<2x8xf32>) -> tensor<2x8xf32> {
      %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
      %g = vernier.get_param @g : tensor<4xf32>
      %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
      %y = vernier.glu silu %gate, %up : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
      return %y : tensor<2x8xf32>
    }
    ```
    becomes
    ```
    %n = vernier.rms_norm %x epsilon 1.0e-5
    %g = vernier.get_param @g
    %s = vernier.scale %n, %g
    %gate = vernier.linear %s, %w
    %gate.normed = vernier.rms_norm %gate epsilon 1.0e-5
    %g.out = vernier.get_param @gate.0.output_scale
    %gate.scaled = vernier.scale %gate.normed, %g.out
    %y = vernier.glu silu %gate.scaled, %up
    ```
  }];
  let options = selection # [
    Option<"to", "to", "std::string", [{"dual"}], "input, output, dual or dual-norm">,
    Option<"normAxis", "norm-axis", "std::string", [{"vector"}], "vector, or head for q, k and v">,
    Option<"epsilon", "epsilon", "double", "0.0",
           "of the inner norm; 0: that of the norm before the linear map">];
  let statistics = [Statistic<"numRelocated", "relocated", "branches whose scales were relocated">];
}

def ApplyScaleToWeights : ScalePass<"vernier-apply-scale-to-weights"> {
  let summary = "scale weights once a step instead of activations in each micro-batch";
  let description = [{
    A scale that feeds linear maps, and nothing else, goes to their weights:
    `linear(scale(x, g), W)` becomes `linear(x, scale(W, g))`. One that scales the
    result of a linear map, and is all that reads it, goes to its weight, too:
    `scale(linear(x, W, b), g)` becomes `linear(x, scale_rows(W, g), scale(b, g))`.

    The parameters stay what they are, and so do their names, values, decay
    groups and gradients. What depends on parameters only runs in `prepare`, its
    adjoint in `update` (see vernier-split-loss), so that nothing of the size of
    activations is spent on the scale, and branches that share a norm read one
    value again. It makes no difference how the vector is computed. A weight may
    have other uses, such as a tied embedding: those read it unscaled.

    `side=auto` estimates, in bytes, what a scale costs on either side in a step
    of `micro-batches` (activations: read, written or kept more than without it,
    in each micro-batch; weights: read and written, once; a byte kept counts as
    four moved) and takes the cheaper. A shared scale behind a norm costs nothing
    where it is. Remarks give both figures. `weights` and `activations` force one side.

    Not moved: a scale whose vector, or a weight that is not computed from
    parameters alone; one that has other uses; one whose result is rounded to
    less than f32, since a scaled weight would be rounded elsewhere.

    Runs when a model is compiled, not when it is rewritten: no value is mapped.

    Example:
    ```mlir
    // vernier-opt --vernier-apply-scale-to-weights=side=weights
    vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
    vernier.param @w : tensor<9x4xf32> kind(matrix) decay(decay) optimizer(adamw)
        init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"w">])
    func.func @f(%x: tensor<2x4xf32>) -> tensor<2x9xf32> {
      %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
      %g = vernier.get_param @g : tensor<4xf32>
      %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      %w = vernier.get_param @w : tensor<9x4xf32>
      %l = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<9x4xf32>) -> tensor<2x9xf32>
      return %l : tensor<2x9xf32>
    }
    ```
    becomes
    ```
    %n = vernier.rms_norm %x epsilon 1.0e-5
    %g = vernier.get_param @g
    %w = vernier.get_param @w
    %wg = vernier.scale %w, %g
    %l = vernier.linear %n, %wg
    ```
  }];
  let options = selection # [
    Option<"side", "side", "std::string", [{"auto"}], "auto, weights or activations">,
    Option<"microBatches", "micro-batches", "int64_t", "1", "of a training step">];
  let statistics = [Statistic<"numApplied", "applied", "scales applied to weights">,
                    Statistic<"numWeights", "weights", "weights that are scaled">];
}

def TagDecay : Pass<"vernier-tag-decay", "::mlir::ModuleOp"> {
  let summary = "decide by role which parameters decay (IWD)";
  let description = [{
    Puts every parameter into one decay group. Policies:
    `iwd` (arXiv 2605.26895): matrices and embeddings decay, and of the scale
    vectors those of Input-Norms; Output-Norm scales (inner norms of dual-norm,
    and scales behind linear maps among them) and biases do not. A vector that
    scales an Input-Norm and something else does not.
    `matrices`: matrices and embeddings only. `all`, `none`: what they say.
    Of a reparameterized scale the magnitude goes where the vector would (never
    under `iwd` with `decay-magnitude=false`); the direction never decays.

    Overrides come after the policy, in order, the last one wins:
    SELECTOR:VALUE=decay or =none, with the selectors kind, site, branch, and name
    (a regular expression without commas, found anywhere in the name). One that
    matches nothing is an error.

    Every decision has a remark with its reason; `vernier inspect` shows reasons,
    too.

    Example, in which @final decays and @qk does not:
    ```mlir
    // vernier-opt --vernier-tag-decay
    vernier.param @final : tensor<4xf32> kind(scale) decay(none) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"final">])
    vernier.param @qk : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"qk">])
    func.func @f(%x: tensor<2x4xf32>, %w: tensor<9x4xf32>) -> (tensor<2x9xf32>, tensor<2x4xf32>) {
      %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
      %g = vernier.get_param @final : tensor<4xf32>
      %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      %l = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<9x4xf32>) -> tensor<2x9xf32>
      %h = vernier.get_param @qk : tensor<4xf32>
      %m = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
      %t = vernier.scale %m, %h : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      return %l, %t : tensor<2x9xf32>, tensor<2x4xf32>
    }
    ```
  }];
  let options = [
    Option<"policy", "policy", "std::string", [{"iwd"}], "iwd, all, none or matrices">,
    ListOption<"overrides", "overrides", "std::string", "SELECTOR:VALUE=decay or =none">,
    Option<"decayMagnitude", "decay-magnitude", "bool", "true",
           "under iwd, magnitudes of Input-Norm scales decay">];
  let statistics = [Statistic<"numDecaying", "decaying", "parameters that decay">,
                    Statistic<"numNotDecaying", "not-decaying", "parameters that do not">];
  let dependentDialects = ["::mlir::func::FuncDialect", "::vernier::VernierDialect"];
}

def ReparameterizeScale : ScalePass<"vernier-reparameterize-scale"> {
  let summary = "make scale vectors of a magnitude and a direction (OR, ER), or plain again";
  let description = [{
    Replaces a scale vector NAME by NAME.direction and NAME.magnitude, of which
    `vernier.scale_from_direction` computes it: `original` (OR) or `exponential`
    (ER), arXiv 2605.26895. `plain` makes one parameter of the two again. They
    start where they give the same vector; the offset of a `1 + w` scale
    becomes part of it. The magnitude has the decay group of the vector, the
    direction none. What the vector decays toward the magnitude does, in
    exponential form its logarithm, and 0 where there is none.

    Declined: a vector that starts at 0, or, in exponential form, below; one that
    has other uses. Values without a form (a zero vector; in exponential form a
    zero or negative entry) are errors when values are mapped.

    Example:
    ```mlir
    // vernier-opt --vernier-reparameterize-scale=form=original
    vernier.param @g : tensor<4xf32> kind(scale) decay(decay) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
    func.func @f(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
      %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
      %g = vernier.get_param @g : tensor<4xf32>
      %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      return %s : tensor<2x4xf32>
    }
    ```
    becomes
    ```
    %a = vernier.get_param @g.direction
    %b = vernier.get_param @g.magnitude
    %g = vernier.scale_from_direction original %a, %b
    %s = vernier.scale %n, %g
    ```
  }];
  let options = selection # [
    Option<"form", "form", "std::string", [{"original"}], "original, exponential or plain">];
  let statistics = [Statistic<"numReparameterized", "reparameterized", "scale vectors">];
}

def ScaleStrategy : Pass<"vernier-scale-strategy", "::mlir::ModuleOp"> {
  let summary = "apply the paper's improvements, alone or together";
  let description = [{
    `preset` is one or several, joined by +, of: `baseline` (nothing), `hg`
    (vernier-split-scale), `dp` and `dnp` (vernier-relocate-scale to dual and
    dual-norm), `or` and `er` (vernier-reparameterize-scale, original and
    exponential), `iwd` (vernier-tag-decay), `unified` (hg+dnp+or+iwd). The order
    in which they are written plays no part: split, place, reparameterize, tag.
    `dp` and `dnp`, and `or` and `er`, exclude each other.

    Example:
    ```mlir
    // vernier-opt --vernier-scale-strategy=preset=hg+dp+or
    vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
    func.func @f(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>, %u: tensor<8x4xf32>) -> tensor<2x8xf32> {
      %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
      %g = vernier.get_param @g : tensor<4xf32>
      %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
      %up = vernier.linear %s, %u : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
      %y = vernier.glu silu %gate, %up : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
      return %y : tensor<2x8xf32>
    }
    ```
  }];
  let options = [
    Option<"preset", "preset", "std::string", [{"unified"}], "one or several, joined by +">,
    Option<"normAxis", "norm-axis", "std::string", [{"vector"}],
           "of dnp: vector, or head for q, k and v">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::tensor::TensorDialect", "::vernier::VernierDialect"];
}

def FoldScale : ScalePass<"vernier-fold-scale"> {
  let summary = "multiply scale vectors into weights, and make plain what stays";
  let description = [{
    For export: what is left is a graph that architectures without such vectors can
    express, with the way in `@vernier.values` from trained weights to its own.

    A scale that feeds linear maps and nothing else is multiplied into the columns
    of their weights, one that scales the result of a linear map into its rows and
    its bias; a vector of magnitude and direction along with that. The operation
    goes, and nothing takes its place: behind a norm that had one there is none.

    Declined, and said with the operation: a norm or anything else that stands
    between scale and linear map (per-head norms of queries and keys, inner norms of
    dual-norm placement, norms of sublayer outputs); a weight with another use,
    such as a tied embedding; a scale, or its vector, that is read at another
    place, too. A vector of magnitude and direction that stays becomes one
    parameter.

    Example:
    ```mlir
    // vernier-opt --vernier-fold-scale
    vernier.param @a : tensor<4xf32> kind(direction) decay(none) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"a">])
    vernier.param @b : tensor<1xf32> kind(magnitude) decay(decay) optimizer(adamw)
        init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"b">])
    vernier.param @w : tensor<9x4xf32> kind(matrix) decay(decay) optimizer(adamw)
        init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"w">])
    func.func @f(%x: tensor<2x4xf32>) -> tensor<2x9xf32> {
      %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
      %a = vernier.get_param @a : tensor<4xf32>
      %b = vernier.get_param @b : tensor<1xf32>
      %g = vernier.scale_from_direction original %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
      %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      %w = vernier.get_param @w : tensor<9x4xf32>
      %l = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<9x4xf32>) -> tensor<2x9xf32>
      return %l : tensor<2x9xf32>
    }
    ```
    becomes
    ```
    %n = vernier.rms_norm %x epsilon 1.0e-5
    %w = vernier.get_param @w
    %l = vernier.linear %n, %w
    ...
    func.func private @vernier.values(
        %a: tensor<4xf32> {vernier.slot = #vernier.slot<param, "a">},
        %b: tensor<1xf32> {vernier.slot = #vernier.slot<param, "b">},
        %w: tensor<9x4xf32> {vernier.slot = #vernier.slot<param, "w">})
        -> (tensor<9x4xf32> {vernier.slot = #vernier.slot<param, "w">}) {
      %g = vernier.scale_from_direction original %a, %b
      %wg = vernier.scale %w, %g
      return %wg
    }
    ```
  }];
  let options = selection;
  let statistics = [Statistic<"numFolded", "folded", "scales multiplied into weights">,
                    Statistic<"numMadePlain", "made-plain", "vectors made one parameter">];
}

#endif // VERNIER_SCALE_PASSES_TD
