//===- Patterns.h - Rewrites from graph to kernel program -----*- C++ -*-===//
//
// Part of Vernier, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERNIER_PROGRAM_PATTERNS_H
#define VERNIER_PROGRAM_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace vernier::program {

/// linear, linear_input_grad and linear_weight_grad become `program.product` on
/// two-dimensional views; a bias is added by a `vernier.add`-like row kernel.
void populateFormProductPatterns(mlir::RewritePatternSet &patterns);

/// An addition to a product becomes the product's `init`; one to an
/// embedding's gradient goes into the table that it adds to.
void populateAccumulatePatterns(mlir::RewritePatternSet &patterns);

/// add, mul, scale, rope, column_sum, and elementwise
/// `arith` and `math` operations on tensors become `program.rows`.
void populateFormElementwisePatterns(mlir::RewritePatternSet &patterns);

/// glu and its adjoint become `program.rows`.
void populateFormGluPatterns(mlir::RewritePatternSet &patterns);

/// rms_norm, layer_norm and their adjoints become `program.rows`.
void populateFormNormPatterns(mlir::RewritePatternSet &patterns);

/// scale_from_direction and its adjoint become `program.rows`.
void populateFormScaleFormPatterns(mlir::RewritePatternSet &patterns);

/// cross_entropy, its adjoint, and count_valid become `program.rows`.
void populateFormLossPatterns(mlir::RewritePatternSet &patterns);

/// global_norm, clip_factor and adamw become `program.rows`.
void populateFormOptimizerPatterns(mlir::RewritePatternSet &patterns);

/// All `populateForm...` patterns of row kernels.
void populateFormKernelPatterns(mlir::RewritePatternSet &patterns);

/// Constant tensors with one value become `program.rows` that fill their result.
void populateFormConstantPatterns(mlir::RewritePatternSet &patterns);

/// Simplifications of `program.rows`: drops unused inputs and results, reads
/// each input once, takes constants into the body.
void populateSimplifyRowsPatterns(mlir::RewritePatternSet &patterns);

/// In the body of a row kernel, exp(x - log-sum-exp) becomes exp(x - maximum)
/// over its sum, where that is computed too: softmax takes one exponential.
void populateReuseExponentialsPatterns(mlir::RewritePatternSet &patterns);

} // namespace vernier::program

#endif // VERNIER_PROGRAM_PATTERNS_H
