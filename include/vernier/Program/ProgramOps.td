//===- ProgramOps.td - The program dialect: kernels and products ----------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_PROGRAM_PROGRAMOPS_TD
#define VERNIER_PROGRAM_PROGRAMOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "vernier/Model/RopeAttrs.td"

def Program_Dialect : Dialect {
  let name = "program";
  let cppNamespace = "::vernier::program";
  let summary = "What a phase executes: kernels, products, and where values lie";
  let description = [{
    A phase function holds launches of kernels, matrix products and views
    (`tensor.expand_shape`, `tensor.collapse_shape`), still on tensors. A row
    kernel's body computes one row in terms of `arith`, `math` and `tensor`
    operations, so it is the same for every target.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::vernier::VernierDialect"];
}

class Program_Op<string mnemonic, list<Trait> traits = []>
    : Op<Program_Dialect, mnemonic, traits # [Vernier_CountableShapes]>;

def Program_OutputKind : I32EnumAttr<"OutputKind", "what becomes of a row's value", [
  I32EnumAttrCase<"Map", 0, "map">,    // stored: one row, or one number a row
  I32EnumAttrCase<"Sum", 1, "sum">]> { // summed over all rows
  let genSpecializedAttr = 0;
  let cppNamespace = "::vernier::program";
}
def Program_OutputKindAttr : EnumAttr<Program_Dialect, Program_OutputKind, "output">;
def Program_OutputKindArray
    : TypedArrayAttrBase<Program_OutputKindAttr, "output kinds">;

def Program_ReduceKind : I32EnumAttr<"ReduceKind", "how a row is reduced", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::vernier::program";
}
def Program_ReduceKindAttr : EnumAttr<Program_Dialect, Program_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Row kernels
//===----------------------------------------------------------------------===//

def Program_RowsOp : Program_Op<"rows", [
    Pure, IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "a computation that is the same for every row";
  let description = [{
    `space` is the shape of the rows, e.g. `[8, 256]` for rows of
    `[8, 256, 384]`. Each input has a map from a row's index to the input's
    leading indices, and the body one argument for it: a row tensor
    `tensor<Dxf32>`, where D is the input's dimension that the map leaves out,
    or a scalar where it leaves none. So `(b, t) -> (b, t)` reads the row,
    `(b, t) -> (t)` a table's row for each position, and `(b, t) -> ()` the same
    vector (or number) for every row.

    The body holds `arith` and `math` operations on scalars and row tensors,
    `tensor.splat`, `tensor.extract`, `tensor.extract_slice` and
    `tensor.concat` of rows, `program.reduce` and `program.column_index`.
    Each yielded value is one result: with `map` it is stored as the row's
    (shape `space` + row), with `sum` it is added up over all rows, in an
    order that depends on the shapes only (shape of the yielded value).

    Constraints: (1) as many maps as inputs, as many kinds as results; (2) a
    map has as many dimensions as `space` and picks dimensions of the same
    sizes; it leaves out none or the last of the input's dimensions; (3) body
    arguments and yielded types are as said above; (4) sums are of f32, f64,
    i32 or i64; (5) the body holds the operations said above.

    Example:
    ```mlir
    %y = program.rows [8, 256] (%x, %g : tensor<8x256x384xf32>, tensor<384xf32>)
        maps [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> ()>] outputs [map] -> (tensor<8x256x384xf32>) {
    ^bb0(%row: tensor<384xf32>, %gamma: tensor<384xf32>):
      %0 = arith.mulf %row, %gamma : tensor<384xf32>
      program.yield %0 : tensor<384xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs, DenseI64ArrayAttr:$space,
                       AffineMapArrayAttr:$maps, Program_OutputKindArray:$outputs);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $space `(` ($inputs^ `:` type($inputs))? `)` `maps` $maps `outputs` custom<OutputKinds>($outputs)
      attr-dict `->` `(` type($results) `)` $body
  }];
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Program_YieldOp : Program_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "what a row's computation results in";
  let description = [{
    Ends the body of `program.rows` and `program.kernel`.

    Example:
    ```mlir
    program.yield %0 : tensor<384xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), "build($_builder, $_state, ::mlir::ValueRange());">];
}

def Program_ReduceOp : Program_Op<"reduce", [Pure]> {
  let summary = "sum or maximum of a row";
  let description = [{
    Sums are taken in the precision of the row's type, in a fixed order.

    Constraints: (1) the result has the row's element type.

    Example:
    ```mlir
    %s = program.reduce <add> %row : tensor<384xf32> -> f32
    ```
  }];
  let arguments = (ins Program_ReduceKindAttr:$kind, 1DTensorOf<[F32, F64]>:$row);
  let results = (outs AnyFloat:$result);
  let assemblyFormat = "$kind $row attr-dict `:` type($row) `->` type($result)";
  let hasVerifier = 1;
}

def Program_ColumnIndexOp : Program_Op<"column_index", [Pure]> {
  let summary = "the row 0, 1, 2, ...";
  let description = [{
    Example:
    ```mlir
    %i = program.column_index : tensor<50304xi32>
    ```
  }];
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Kernels and what launches them
//===----------------------------------------------------------------------===//

def Program_KernelOp : Program_Op<"kernel", [Symbol, IsolatedFromAbove]> {
  let summary = "a row kernel, compiled once";
  let description = [{
    The outlined form of `program.rows`: the same space, maps, outputs and
    body; `input_types` and `result_types` are those of its launches.

    Constraints: as for `program.rows`.

    Example:
    ```mlir
    program.kernel @scale [8, 256] (tensor<8x256x384xf32>, tensor<384xf32>) -> (tensor<8x256x384xf32>)
        maps [affine_map<(b, t) -> (b, t)>, affine_map<(b, t) -> ()>] outputs [map] {
    ^bb0(%row: tensor<384xf32>, %gamma: tensor<384xf32>):
      %0 = arith.mulf %row, %gamma : tensor<384xf32>
      program.yield %0 : tensor<384xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       DenseI64ArrayAttr:$space, AffineMapArrayAttr:$maps,
                       Program_OutputKindArray:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name $space $function_type `maps` $maps `outputs` custom<OutputKinds>($outputs)
      attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

// A kernel of a kind of its own has no body: its attributes say everything.
class Program_SpecialKernelOp<string mnemonic> : Program_Op<mnemonic, [Symbol]> {
  let hasVerifier = 1;
}

def Program_AttentionKernelOp : Program_SpecialKernelOp<"attention_kernel"> {
  let summary = "attention in blocks, without a matrix of scores in memory";
  let description = [{
    Operands and results of its launches are those of `vernier.attention`,
    or with `backward` those of `vernier.attention_grad`.

    Constraints: (1) the function type is that of such an op; (2) so are the
    numbers: `scale` is positive, a window is so too and needs `causal`.

    Example:
    ```mlir
    program.attention_kernel @attention (tensor<8x256x6x64xf32>, tensor<8x256x2x64xf32>, tensor<8x256x2x64xf32>)
        -> (tensor<8x256x6x64xf32>, tensor<8x256x6xf32>) scale 0.125 causal
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       F64Attr:$scale, UnitAttr:$causal, OptionalAttr<I64Attr>:$window,
                       UnitAttr:$backward);
  let assemblyFormat = [{
    $sym_name $function_type `scale` $scale (`causal` $causal^)? (`window` $window^)?
      (`backward` $backward^)? attr-dict
  }];
}

def Program_GatherKernelOp : Program_SpecialKernelOp<"gather_kernel"> {
  let summary = "rows of a table chosen by indices";
  let description = [{
    Launched with (ids, table); the lowering of `vernier.embedding`.

    Constraints: (1) the function type is that of `vernier.embedding`.

    Example:
    ```mlir
    program.gather_kernel @gather (tensor<8x256xi32>, tensor<256x384xf32>) -> (tensor<8x256x384xf32>)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type);
  let assemblyFormat = "$sym_name $function_type attr-dict";
}

def Program_ScatterAddKernelOp : Program_SpecialKernelOp<"scatter_add_kernel"> {
  let summary = "adds rows to those of a table chosen by indices";
  let description = [{
    Launched with (gradient, ids, into); the lowering of
    `vernier.embedding_grad`. The result always lies where `into` lies. Rows
    are added in the order of the ids.

    Constraints: (1) the function type is that of `vernier.embedding_grad`.

    Example:
    ```mlir
    program.scatter_add_kernel @scatter (tensor<8x256x384xf32>, tensor<8x256xi32>, tensor<256x384xf32>) -> (tensor<256x384xf32>)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type);
  let assemblyFormat = "$sym_name $function_type attr-dict";
}

def Program_LaunchOp : Program_Op<"launch", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "executes a kernel";
  let description = [{
    After memory planning, `offsets` holds the byte offset in the arena of each
    result, and `workspace` that of the kernel's scratch memory.

    Constraints: (1) the symbol is a kernel; (2) operand and result types are
    those of its function type; (3) there are as many offsets as results.

    Example:
    ```mlir
    %y = program.launch @scale(%x, %g) : (tensor<8x256x384xf32>, tensor<384xf32>) -> (tensor<8x256x384xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyStaticShapeTensor>:$inputs,
                       OptionalAttr<DenseI64ArrayAttr>:$offsets, OptionalAttr<I64Attr>:$workspace);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
  let hasVerifier = 1;
}

def Program_ProductOp : Program_Op<"product", [Pure]> {
  let summary = "a matrix product, done by the target's library";
  let description = [{
    `result = op(lhs) op(rhs) (+ init)` in f32, where op transposes if told to.
    With `init` the result lies where `init` lies. Offsets are as in
    `program.launch`.

    Constraints: (1) the operands' sizes fit; (2) the result is `[m, n]`; (3) the
    init has its type.

    Example:
    ```mlir
    %c = program.product %a, %b transpose_rhs init %acc
        : (tensor<2048x384xf32>, tensor<1024x384xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
    ```
  }];
  let arguments = (ins 2DTensorOf<[F32, BF16]>:$lhs, 2DTensorOf<[F32, BF16]>:$rhs,
                       Optional<2DTensorOf<[F32, BF16]>>:$init,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$offsets, OptionalAttr<I64Attr>:$workspace);
  let results = (outs 2DTensorOf<[F32, BF16]>:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transpose_lhs` $transpose_lhs^)? (`transpose_rhs` $transpose_rhs^)?
      (`init` $init^)? attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$lhs, "::mlir::Value":$rhs,
                                 "::mlir::Value":$init, "bool":$transposeLhs, "bool":$transposeRhs), [{
    build($_builder, $_state, result, lhs, rhs, init, transposeLhs, transposeRhs, nullptr, nullptr);
  }]>];
  let hasVerifier = 1;
}

def Program_RopeTableOp : Program_Op<"rope_table", [Pure]> {
  let summary = "cosines and sines of the rotary embedding, made at compile time";
  let description = [{
    `[sequence, head_dim / 2]` each, computed in f64 and rounded once. A
    constant of the program: it is placed in the arena when the program is
    loaded.

    Constraints: (1) both results have the same two-dimensional type.

    Example:
    ```mlir
    %cos, %sin = program.rope_table theta 1.0e4 : tensor<256x32xf32>, tensor<256x32xf32>
    ```
  }];
  let arguments = (ins F64Attr:$theta, OptionalAttr<Vernier_RopeLlama3Attr>:$scaling,
                       OptionalAttr<DenseI64ArrayAttr>:$offsets);
  let results = (outs 2DTensorOf<[F32]>:$cosines, 2DTensorOf<[F32]>:$sines);
  let assemblyFormat = "`theta` $theta (`scaling` $scaling^)? attr-dict `:` type($cosines) `,` type($sines)";
  let hasVerifier = 1;
}

#endif // VERNIER_PROGRAM_PROGRAMOPS_TD
