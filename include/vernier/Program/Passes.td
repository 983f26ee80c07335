//===- Passes.td - From a training graph to a kernel program ---------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_PROGRAM_PASSES_TD
#define VERNIER_PROGRAM_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormProducts : Pass<"vernier-form-products", "::mlir::func::FuncOp"> {
  let summary = "linear maps and their adjoints become matrix products";
  let description = [{
    `vernier.linear`, `linear_input_grad` and `linear_weight_grad` become
    `program.product` on two-dimensional views of their operands. A bias
    becomes a row kernel.

    Example:
    ```mlir
    // vernier-opt --vernier-form-products
    func.func @f(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>) -> tensor<2x3x5xf32> {
      %y = vernier.linear %x, %w : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
      return %y : tensor<2x3x5xf32>
    }
    ```
    becomes
    ```
    %x_NI = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
    %y_NO = program.product %x_NI, %w transpose_rhs : (tensor<6x4xf32>, tensor<5x4xf32>) -> tensor<6x5xf32>
    %y = tensor.expand_shape %y_NO [[0, 1], [2]] output_shape [2, 3, 5] : tensor<6x5xf32> into tensor<2x3x5xf32>
    ```
  }];
  let dependentDialects = ["::vernier::program::ProgramDialect"];
}

def AccumulateInPlace : Pass<"vernier-accumulate-in-place", "::mlir::func::FuncOp"> {
  let summary = "sums with a product are done by the product";
  let description = [{
    `vernier.add` of a product and a value that nothing else uses becomes the
    product's `init`, so that gradients add up where they lie. Likewise a sum
    with `vernier.embedding_grad` becomes its table. bf16 sums stay: a product
    rounds once, an addition after it rounds twice.

    Example:
    ```mlir
    // vernier-opt --vernier-accumulate-in-place
    func.func @f(%acc: tensor<2x4xf32>, %a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
      %p = program.product %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      %s = vernier.add %acc, %p : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      return %s : tensor<2x4xf32>
    }
    ```
    becomes
    ```
    %s = program.product %a, %b init %acc : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    ```
  }];
  let dependentDialects = ["::vernier::program::ProgramDialect"];
}

def FormKernels : Pass<"vernier-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "operations become row kernels";
  let description = [{
    Each operation that is not a product, a view or a kernel of its own kind
    (attention, embedding and their adjoints) becomes a `program.rows` whose
    body computes one row. What a body holds: `arith` and `math` operations on
    numbers and rows, `tensor.splat`, `extract`, `extract_slice`, `concat`,
    `program.reduce` and `program.column_index`. Rows are computed in f32 and
    rounded at the result types; norms over gradients and bias corrections
    in f64.

    Example:
    ```mlir
    // vernier-opt --vernier-form-kernels
    func.func @f(%a: tensor<2x3x4xf32>, %b: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
      %s = vernier.add %a, %b : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
      return %s : tensor<2x3x4xf32>
    }
    ```
    becomes
    ```
    %s = program.rows [2, 3](%a, %b : tensor<2x3x4xf32>, tensor<2x3x4xf32>)
        maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] outputs [map]
        {program.label = "add"} -> (tensor<2x3x4xf32>) {
    ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
      %0 = arith.addf %x, %y : tensor<4xf32>
      program.yield %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::vernier::program::ProgramDialect"];
}

def FuseRows : Pass<"vernier-fuse-rows", "::mlir::func::FuncOp"> {
  let summary = "neighbouring row kernels become one";
  let description = [{
    A row kernel is fused with those of the same space whose rows it reads, and
    with those that read a row that it reads too. Values used inside only
    vanish; the others become results. Not fused: a reader of a sum, a reader
    of other rows than its own (through a map that is not the identity), and
    kernels between which something else, such as a product, has to run.
    Declined fusions are remarks, seen by `--remarks-filter=vernier-fuse-rows`.

    Operations are put in an order in which fused kernels are together; else
    their order stays. Roundings stay as they are.

    Example:
    ```mlir
    // vernier-opt --vernier-form-kernels --vernier-fuse-rows
    func.func @f(%x: tensor<2x3x4xf32>, %y: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
      %h = vernier.add %x, %y : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
      %n = vernier.rms_norm %h epsilon 1.0e-5 : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
      return %h, %n : tensor<2x3x4xf32>, tensor<2x3x4xf32>
    }
    ```
    becomes one kernel with two results.
  }];
  let dependentDialects = ["::vernier::program::ProgramDialect"];
}

def RecomputeRows : Pass<"vernier-recompute-rows", "::mlir::func::FuncOp"> {
  let summary = "rows are made again instead of being kept";
  let description = [{
    A row kernel that reads a row of another one, and also all that this row is
    computed from, computes it again: that takes no more memory traffic, and
    the row need not be kept in between. So the backward pass of a norm, which
    reads the norm's input anyway, does not read its output. Numbers, of which
    there is one a row, are kept: computing them takes a whole row.

    Where nothing else reads the row, it may also read one argument of the phase
    instead, and vectors that are the same for every row: the gradient of a
    scaled weight is computed where the optimizer takes it.

    Example:
    ```mlir
    // vernier-opt --vernier-form-kernels --vernier-recompute-rows --canonicalize
    func.func @f(%x: tensor<3x4xf32>, %dy: tensor<3x4xf32>, %w: tensor<4x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
      %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<3x4xf32> -> tensor<3x4xf32>
      %y = vernier.linear %n, %w : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
      %d = vernier.mul %y, %n : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
      %e = vernier.mul %x, %d : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
      return %d, %e : tensor<3x4xf32>, tensor<3x4xf32>
    }
    ```
    becomes the same with the norm computed twice, once fusion has brought the
    last two together.
  }];
  let dependentDialects = ["::vernier::program::ProgramDialect"];
}

def RecomputeAttention : Pass<"vernier-recompute-attention", "::mlir::func::FuncOp"> {
  let summary = "attention's operands are made again where their sources are kept";
  let description = [{
    The backward pass of attention reads query, key and value. Where a norm stands
    between one of them and its linear map, the norm's backward pass reads the linear
    map's result, so both would be kept. The kernels between (norm and scale,
    rotation) run again instead, right before the backward pass of attention. Where no
    source is kept longer anyway, such as without a norm, nothing changes.

    Runs after all passes that merge or move kernels.

    Example:
    ```mlir
    // vernier-opt --vernier-form-kernels --vernier-recompute-attention
    func.func @f(%x: tensor<1x2x1x4xf32>, %k: tensor<1x2x1x4xf32>, %dy: tensor<1x2x1x4xf32>)
        -> (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>) {
      %q = vernier.rms_norm %x epsilon 1.0e-5 : tensor<1x2x1x4xf32> -> tensor<1x2x1x4xf32>
      %o, %lse = vernier.attention %q, %k, %k scale 0.5 causal
          : (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>) -> (tensor<1x2x1x4xf32>, tensor<1x2x1xf32>)
      %dq, %dk, %dv = vernier.attention_grad %dy, %q, %k, %k, %o, %lse scale 0.5 causal
          : (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1xf32>)
          -> (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>)
      %dx = vernier.rms_norm_grad %dq, %x epsilon 1.0e-5
          : (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>) -> tensor<1x2x1x4xf32>
      return %dx, %dk, %dv : tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>
    }
    ```
    computes the norm twice.
  }];
  let statistics = [Statistic<"numRemade", "remade", "operands made again">];
  let dependentDialects = ["::vernier::program::ProgramDialect"];
}

def GuardState : Pass<"vernier-guard-state", "::mlir::func::FuncOp"> {
  let summary = "copies where a value would be overwritten too early";
  let description = [{
    After this pass every product with `init` and every embedding's gradient
    may overwrite what it adds to, and every result of a phase that is the next
    value of a state may be made where the state lies. Where that would
    overwrite something that is still read, or a state that the phase keeps, a
    row kernel that copies is inserted. Usual training graphs need no copy.

    Example: the parameter must not be overwritten.
    ```mlir
    // vernier-opt --vernier-guard-state
    func.func @f(%p: tensor<2x2xf32> {vernier.slot = #vernier.slot<param, "p">}, %x: tensor<2x2xf32>)
        -> (tensor<2x2xf32> {vernier.slot = #vernier.slot<logits>}) {
      %y = program.product %x, %x init %p : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    }
    ```
    becomes a product that adds to a copy of `%p`.
  }];
  let dependentDialects = ["::vernier::program::ProgramDialect"];
}

def OutlineKernels : Pass<"vernier-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "equal kernels become one symbol";
  let description = [{
    Each `program.rows` becomes a `program.launch` of a `program.kernel`, and
    each attention, embedding and their adjoints one of a kernel of its own
    kind. What is structurally equal shares a kernel, so that compile time
    follows the number of different kernels, not that of layers. Names say what
    a kernel does and on which shape.

    Example:
    ```mlir
    // vernier-opt --vernier-form-kernels --vernier-outline-kernels
    func.func @f(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
      %0 = vernier.add %x, %y : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
      %1 = vernier.add %0, %y : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
      return %1 : tensor<3x4xf32>
    }
    ```
    becomes two launches of a kernel `@add_3x4`.
  }];
  let dependentDialects = ["::vernier::program::ProgramDialect"];
}

def PlanMemory : Pass<"vernier-plan-memory", "::mlir::ModuleOp"> {
  let summary = "every value gets its place in one arena";
  let description = [{
    For all phases of a module (functions with `vernier.slot`s) in the form that
    `vernier-outline-kernels` gives. A state (parameters, moments, step counts,
    gradients, prepared values) has one place in all phases, and its next value
    is made there. All else lies in a region that the phases share, as long as
    it is in use; a result takes the place of an operand that is read for the
    last time where `mayReuse` allows it. Views lie where what they view lies.

    Launches, products and tables get their `offsets`, launches of kernels with
    partial sums their `workspace`, arguments and results a `program.offset`,
    and the module `program.arena_bytes` and `program.memory`.

    Example:
    ```mlir
    // vernier-opt --vernier-plan-memory
    program.kernel @double [2] (tensor<2x4xf32>) -> (tensor<2x4xf32>) maps [affine_map<(b) -> (b)>] outputs [map] {
    ^bb0(%x: tensor<4xf32>):
      %0 = arith.addf %x, %x : tensor<4xf32>
      program.yield %0 : tensor<4xf32>
    }
    func.func @update(%p: tensor<2x4xf32> {vernier.slot = #vernier.slot<param, "p">})
        -> (tensor<2x4xf32> {vernier.slot = #vernier.slot<param, "p">}) {
      %0 = program.launch @double(%p) : (tensor<2x4xf32>) -> tensor<2x4xf32>
      return %0 : tensor<2x4xf32>
    }
    ```
    gives the launch `offsets = array<i64: 0>`, and argument and result
    `program.offset = 0`.
  }];
  let dependentDialects = ["::vernier::program::ProgramDialect"];
}

def VerifyPlan : Pass<"vernier-verify-plan", "::mlir::ModuleOp"> {
  let summary = "follow a memory plan byte by byte";
  let description = [{
    Fails if the plan of a module is wrong: if an operation reads a value of
    which a byte was overwritten, a result lies on an operand without being
    allowed to, a state has two places, or a phase overwrites a state that it
    keeps. It simulates the phases and shares no reasoning about lifetimes with
    `vernier-plan-memory`.

    Example:
    ```mlir
    // vernier-opt --vernier-plan-memory --vernier-verify-plan
    func.func @evaluate(%p: tensor<2x4xf32> {vernier.slot = #vernier.slot<param, "p">},
                        %x: tensor<3x4xf32> {vernier.slot = #vernier.slot<ids>})
        -> (tensor<3x2xf32> {vernier.slot = #vernier.slot<logits>}) {
      %0 = program.product %x, %p transpose_rhs : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x2xf32>
      return %0 : tensor<3x2xf32>
    }
    ```
  }];
}

#endif // VERNIER_PROGRAM_PASSES_TD
