//===- Passes.td - Passes that make training graphs -----------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_TRAINING_PASSES_TD
#define VERNIER_TRAINING_PASSES_TD

include "mlir/Pass/PassBase.td"

def Differentiate : Pass<"vernier-differentiate", "::mlir::ModuleOp"> {
  let summary = "make the vector-Jacobian product of a function";
  let description = [{
    Puts a function `NAME_vjp` next to `NAME`. It takes the function's
    arguments and a cotangent of each float result, and returns the function's
    results, the cotangents of its float arguments, and those of the parameters
    it reads with `vernier.get_param`, in the order of first use; these carry
    `#vernier.slot<param_gradient, "name">`. A cotangent that is zero is
    a constant.

    The body is the function's own, followed by adjoints in reverse order, as
    `DifferentiableOpInterface` builds them. Values used several times have
    their cotangents added by `vernier.add`. Integers have none. All operations
    without a rule are reported in one error.

    Example:
    ```mlir
    // vernier-opt --vernier-differentiate=function=f
    func.func @f(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) -> tensor<2x4xf32> {
      %y = vernier.linear %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
      return %y : tensor<2x4xf32>
    }
    ```
    becomes, beside it,
    ```
    func.func @f_vjp(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %dy: tensor<2x4xf32>)
        -> (tensor<2x4xf32>, tensor<2x3xf32>, tensor<4x3xf32>) {
      %y = vernier.linear %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
      %dw = vernier.linear_weight_grad %dy, %x : (tensor<2x4xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
      %dx = vernier.linear_input_grad %dy, %w : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
      return %y, %dx, %dw : tensor<2x4xf32>, tensor<2x3xf32>, tensor<4x3xf32>
    }
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", [{"loss"}], "the function to differentiate">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::vernier::VernierDialect"];
}

def SplitLoss : Pass<"vernier-split-loss", "::mlir::ModuleOp"> {
  let summary = "split the loss into a part that depends on parameters only, and the rest";
  let description = [{
    Replaces `@loss(ids, targets)` by `@prepare`, which computes what depends
    on parameters only, and a private `@forward`, which computes the loss from
    the batch and the *frontier*: the parameters and prepared values that
    operations on data read. Both take parameters as arguments; all arguments
    and results have a `vernier.slot`. The rule is general: a weight times a
    scale, a cast, a reparameterization leave the loop over micro-batches in the
    same way. A prepared value is named after its position.

    `vernier.count_valid` of the targets becomes the argument `divisor`, since a
    micro-batch is a part of a step.

    What the loss does not need is dropped. A parameter that it does not depend
    on is an error, and so are operations with side effects.

    Example:
    ```mlir
    // vernier-opt --vernier-split-loss
    vernier.param @w : tensor<16x4xf32> kind(embedding) decay(decay) optimizer(adamw)
        init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"w">])
    vernier.param @s : tensor<16x4xf32> kind(matrix) decay(decay) optimizer(adamw)
        init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"s">])
    func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
      %w = vernier.get_param @w : tensor<16x4xf32>
      %s = vernier.get_param @s : tensor<16x4xf32>
      %h = vernier.mul %w, %s : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
      %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
      %l = vernier.linear %x, %h : (tensor<2x3x4xf32>, tensor<16x4xf32>) -> tensor<2x3x16xf32>
      %n = vernier.count_valid %targets ignore -100 : tensor<2x3xi32> -> tensor<i64>
      %loss, %lse = vernier.cross_entropy %l, %targets, %n ignore -100
          : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
      return %loss : tensor<f32>
    }
    ```
    becomes
    ```
    func.func @prepare(%w: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">},
                       %s: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "s">})
        -> (tensor<16x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">}) {
      %h = vernier.mul %w, %s
      return %h
    }
    func.func private @forward(%ids: tensor<2x3xi32> {vernier.slot = #vernier.slot<ids>},
                               %targets: tensor<2x3xi32> {vernier.slot = #vernier.slot<targets>},
                               %divisor: tensor<i64> {vernier.slot = #vernier.slot<divisor>},
                               %w: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">},
                               %h: tensor<16x4xf32> {vernier.slot = #vernier.slot<prepared, "prepared.0">})
        -> (tensor<f32> {vernier.slot = #vernier.slot<loss>}) {
      %x = vernier.embedding %ids, %w
      %l = vernier.linear %x, %h
      %loss, %lse = vernier.cross_entropy %l, %targets, %divisor ignore -100
      return %loss
    }
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", [{"loss"}], "the function that is the loss">];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def BuildAccumulate : Pass<"vernier-build-accumulate", "::mlir::ModuleOp"> {
  let summary = "make the phases that run once a micro-batch";
  let description = [{
    Makes of `@forward` (see `vernier-split-loss`) `@accumulate_first`, which returns
    the loss and the gradients at the frontier, and `@accumulate`, which takes
    the gradients so far as well and returns the sums. A gradient has the slot
    `gradient` and the name of its value.

    Sums are `vernier.add`s of the gradient so far and the new one; that of an
    embedding is built into the gradient so far.

    Example:
    ```mlir
    // vernier-opt --vernier-build-accumulate
    func.func private @forward(%ids: tensor<2x3xi32> {vernier.slot = #vernier.slot<ids>},
        %targets: tensor<2x3xi32> {vernier.slot = #vernier.slot<targets>},
        %divisor: tensor<i64> {vernier.slot = #vernier.slot<divisor>},
        %w: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">})
        -> (tensor<f32> {vernier.slot = #vernier.slot<loss>}) {
      %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
      %l = vernier.linear %x, %w : (tensor<2x3x4xf32>, tensor<16x4xf32>) -> tensor<2x3x16xf32>
      %loss, %lse = vernier.cross_entropy %l, %targets, %divisor ignore -100
          : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
      return %loss : tensor<f32>
    }
    ```
    makes `@accumulate_first` and, the same with one more `add` and argument,
    ```
    func.func @accumulate(..., %so_far: tensor<16x4xf32> {vernier.slot = #vernier.slot<gradient, "w">})
        -> (tensor<f32> {vernier.slot = #vernier.slot<loss>},
            tensor<16x4xf32> {vernier.slot = #vernier.slot<gradient, "w">}) {
      ...
      %dl = vernier.cross_entropy_grad %one, %l, %targets, %lse, %divisor ignore -100
      %head = vernier.linear_weight_grad %dl, %x
      %sum = vernier.add %so_far, %head
      %dx = vernier.linear_input_grad %dl, %w
      %dw = vernier.embedding_grad %dx, %ids into %sum
      return %loss, %dw
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::vernier::VernierDialect"];
}

def BuildUpdate : Pass<"vernier-build-update", "::mlir::ModuleOp"> {
  let summary = "make the phases that turn gradients into new parameters";
  let description = [{
    Makes `@update` and `@gradients` of `@prepare` and the parameters. Both
    carry the gradients at the frontier back to the parameters, by the adjoint
    of `@prepare`. `@gradients` returns those. `@update` takes their global norm
    over all parameters (in f64), clips, counts the step and applies AdamW to
    each parameter: with weight decay if its group is `decay`, towards
    the parameter's `toward`. Of `@norms_of_gradients` (see
    `vernier-build-statistics`), if there is one, it makes `@gradient_norms`.

    Example:
    ```mlir
    // vernier-opt --vernier-build-update
    vernier.param @w : tensor<16x4xf32> kind(embedding) decay(decay) optimizer(adamw)
        init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"w">])
    func.func @prepare() { return }
    func.func private @forward(%ids: tensor<2x3xi32> {vernier.slot = #vernier.slot<ids>},
        %targets: tensor<2x3xi32> {vernier.slot = #vernier.slot<targets>},
        %divisor: tensor<i64> {vernier.slot = #vernier.slot<divisor>},
        %w: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">})
        -> (tensor<f32> {vernier.slot = #vernier.slot<loss>}) {
      %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
      %l = vernier.linear %x, %w : (tensor<2x3x4xf32>, tensor<16x4xf32>) -> tensor<2x3x16xf32>
      %loss, %lse = vernier.cross_entropy %l, %targets, %divisor ignore -100
          : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
      return %loss : tensor<f32>
    }
    ```
    makes `@gradients`, which returns its argument, and `@update` with the body
    ```
    %norm = vernier.global_norm %dw
    %clip = vernier.clip_factor %norm max 1.0
    %one = arith.constant dense<1> : tensor<i64>
    %steps1 = arith.addi %steps, %one
    %w1, %m1, %v1 = vernier.adamw %w, %m, %v, %dw, %steps1, %rate, %clip
        beta1 0.9 beta2 0.95 epsilon 1.0e-8 weight_decay 0.1
    return %norm, %clip, %w1, %m1, %v1, %steps1
    ```
  }];
  let options = [
    Option<"beta1", "beta1", "double", "0.9", "decay of the first moment">,
    Option<"beta2", "beta2", "double", "0.95", "decay of the second moment">,
    Option<"epsilon", "epsilon", "double", "1e-8", "added to the root of the second moment">,
    Option<"weightDecay", "weight-decay", "double", "0.1", "of parameters in the group `decay`">,
    Option<"clipNorm", "clip-norm", "double", "1.0",
           "the largest global norm of the gradients; 0: no clipping">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::vernier::VernierDialect"];
}

def BuildStatistics : Pass<"vernier-build-statistics", "::mlir::ModuleOp"> {
  let summary = "make the phases that say how parameters train";
  let description = [{
    Makes of a model graph, before it is split,

    - `@scales`: from parameters to the scale vectors as the model applies
      them, computed from magnitude and direction and with the offset of a `1 + w`
      scale added. Results have slots `scale_vector`, named after what the names
      of their parameters begin with. A vector that is a parameter is returned
      as it is, which costs nothing.
    - a private `@norms_of_gradients`: from the gradients of the parameters to
      the norms (in f64) of groups of them, with slots `group_norm`. A group is what
      has one kind and one place, found by the analysis of roles: `matrix/q`,
      `scale/attention-input/q+k+v`. `vernier-build-update` puts the adjoint of
      `@prepare` before it and makes `@gradient_norms` of both.

    A graph that has `@scales` is left alone: whoever moves scales to weights
    runs this pass before, while they stand where their sites and branches show.

    Example:
    ```mlir
    // vernier-opt --vernier-build-statistics
    vernier.param @w : tensor<16x4xf32> kind(embedding) decay(decay) optimizer(adamw)
        init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"w">])
    vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw)
        init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"g">])
    func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
      %w = vernier.get_param @w : tensor<16x4xf32>
      %g = vernier.get_param @g : tensor<4xf32>
      %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
      %y = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
      %s = vernier.scale %y, %g offset 1.0 : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
      %l = vernier.linear %s, %w : (tensor<2x3x4xf32>, tensor<16x4xf32>) -> tensor<2x3x16xf32>
      %n = vernier.count_valid %targets ignore -100 : tensor<2x3xi32> -> tensor<i64>
      %loss, %lse = vernier.cross_entropy %l, %targets, %n ignore -100
          : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
      return %loss : tensor<f32>
    }
    ```
    makes, beside it,
    ```
    func.func @scales(%g: tensor<4xf32> {vernier.slot = #vernier.slot<param, "g">})
        -> (tensor<4xf32> {vernier.slot = #vernier.slot<scale_vector, "g">}) {
      %one = arith.constant dense<1.0> : tensor<4xf32>
      %gamma = vernier.add %g, %one
      return %gamma
    }
    func.func private @norms_of_gradients(
        %dw: tensor<16x4xf32> {vernier.slot = #vernier.slot<param_gradient, "w">},
        %dg: tensor<4xf32> {vernier.slot = #vernier.slot<param_gradient, "g">})
        -> (tensor<f64> {vernier.slot = #vernier.slot<group_norm, "embedding/embedding+head">},
            tensor<f64> {vernier.slot = #vernier.slot<group_norm, "scale/final/head">}) {
      %0 = vernier.global_norm %dw
      %1 = vernier.global_norm %dg
      return %0, %1
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::tensor::TensorDialect", "::vernier::VernierDialect"];
}

def BuildEvaluate : Pass<"vernier-build-evaluate", "::mlir::ModuleOp"> {
  let summary = "make the phases that only compute forward";
  let description = [{
    Makes of `@forward` (see `vernier-split-loss`) `@evaluate`, which returns the loss,
    and `@logits`, which returns the logits that the loss is computed from: the
    operand of the only `vernier.cross_entropy`. `@logits` does not take targets.

    Example:
    ```mlir
    // vernier-opt --vernier-build-evaluate
    func.func private @forward(%ids: tensor<2x3xi32> {vernier.slot = #vernier.slot<ids>},
        %targets: tensor<2x3xi32> {vernier.slot = #vernier.slot<targets>},
        %divisor: tensor<i64> {vernier.slot = #vernier.slot<divisor>},
        %w: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">})
        -> (tensor<f32> {vernier.slot = #vernier.slot<loss>}) {
      %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
      %l = vernier.linear %x, %w : (tensor<2x3x4xf32>, tensor<16x4xf32>) -> tensor<2x3x16xf32>
      %loss, %lse = vernier.cross_entropy %l, %targets, %divisor ignore -100
          : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
      return %loss : tensor<f32>
    }
    ```
    makes `@evaluate`, which is the same, and
    ```
    func.func @logits(%ids: tensor<2x3xi32> {vernier.slot = #vernier.slot<ids>},
                      %w: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">})
        -> (tensor<2x3x16xf32> {vernier.slot = #vernier.slot<logits>}) {
      %x = vernier.embedding %ids, %w
      %l = vernier.linear %x, %w
      return %l
    }
    ```
  }];
}

def SelectPhases : Pass<"vernier-select-phases", "::mlir::ModuleOp"> {
  let summary = "erase functions that are not wanted phases";
  let description = [{
    Keeps the functions named in `phases`, or, if that is empty, all but private
    ones: `@forward`, of which the phases are made, and `@vernier.values` of a
    rewritten graph. A name that is not a function is an error.

    Example, of which `@prepare` and `@evaluate` stay:
    ```mlir
    // vernier-opt --vernier-select-phases=phases=prepare,evaluate
    func.func @prepare() { return }
    func.func private @forward() { return }
    func.func @update() { return }
    func.func @evaluate() { return }
    ```
  }];
  let options = [ListOption<"phases", "phases", "std::string", "the phases to keep">];
}

#endif // VERNIER_TRAINING_PASSES_TD
