//===- Passes.td - Passes of CPU code generation ---------------------------===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_CPU_PASSES_TD
#define VERNIER_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerKernelsToCPU : Pass<"vernier-lower-kernels-to-cpu", "::mlir::ModuleOp"> {
  let summary = "turns each kernel into functions over vectors";
  let description = [{
    Each kernel `@k` becomes `func.func @k(%buffers: !llvm.ptr, %scratch:
    !llvm.ptr, %block: i64)`, of the C type in runtime/KernelInterface.h, which
    computes one block; a kernel with sums over rows also gets `@k.finish`. The
    bodies are `scf` loops with `arith`, `math` and `vector` operations on
    vectors as wide as the target's registers. The attribute
    `program.scratch_bytes` says how much memory of its own a thread needs.
    Everything that is not a kernel is dropped from the module.

    Example:
    ```mlir
    // vernier-opt --vernier-lower-kernels-to-cpu=target=avx2
    program.kernel @double [4] (tensor<4x8xf32>) -> (tensor<4x8xf32>)
        maps [affine_map<(r) -> (r)>] outputs [map] {
    ^bb0(%row: tensor<8xf32>):
      %0 = arith.addf %row, %row : tensor<8xf32>
      program.yield %0 : tensor<8xf32>
    }
    ```
    becomes
    ```
    func.func @double(%buffers: !llvm.ptr, %scratch: !llvm.ptr, %block: i64) {
      ...
      scf.for %row = %begin to %end step %one : i64 {
        ...
        %x = llvm.load %address {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
        %y = arith.addf %x, %x fastmath<contract> : vector<8xf32>
        ...
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"native\"",
                        "native, avx512, avx2, sse2 or aarch64">];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ExpandMath : Pass<"vernier-expand-math"> {
  let summary = "computes mathematical functions by polynomials";
  let description = [{
    Rewrites `math.exp`, `log`, `tanh` and `erf` of f32 numbers and vectors, and
    `math.fpowi` of numbers, as arithmetic, so that compiled code calls no
    library. Without `fma`, multiply-adds become a product and a sum, which
    older x86 processors need. Errors, in units of the last place (ulp), against
    the exact value:

    | function | with fma | without | beyond the range |
    |---|---|---|---|
    | exp | 0.9 | 1.2 | 0 below -86.98 (results below 1.7e-38), infinity above 88.73 |
    | log | 0.9 | 0.9 | -infinity at 0, NaN below |
    | tanh | 1.3 | 1.3 | 1 and -1 |
    | erf | 1.0 | 1.2 | 1 and -1 |
    | rsqrt (a root and a division, by the processor) | 1.5 | 1.5 | infinity at 0, NaN below |
    | silu, as kernels of `vernier.glu` have it | 2.8 | 2.8 | within 1e-35 of 0 below -87 |

    All give NaN for a NaN and the limits for infinities (silu NaN for
    -infinity), and take subnormal numbers. The polynomials come from tools/dev/minimax.py.

    Example:
    ```mlir
    // vernier-opt --vernier-expand-math
    func.func @f(%x: vector<8xf32>) -> vector<8xf32> {
      %y = math.exp %x : vector<8xf32>
      return %y : vector<8xf32>
    }
    ```
    becomes
    ```
    %t = math.fma %clamped, %log2e, %magic : vector<8xf32>
    %n = arith.subf %t, %magic : vector<8xf32>
    %r = math.fma %n, %minus_ln2, %clamped : vector<8xf32>
    ...
    ```
  }];
  let options = [Option<"fma", "fma", "bool", "true", "the target has fused multiply-add">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // VERNIER_CPU_PASSES_TD
