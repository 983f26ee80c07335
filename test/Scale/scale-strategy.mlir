// The passes of each preset, in one order whatever the order of its parts.
// RUN: vernier-opt %s --vernier-scale-strategy=preset=hg | FileCheck %s --check-prefix=HG
// RUN: vernier-opt %s --vernier-scale-strategy=preset=dp | FileCheck %s --check-prefix=DP
// RUN: vernier-opt %s --vernier-scale-strategy=preset=dnp | FileCheck %s --check-prefix=DNP
// RUN: vernier-opt %s "--vernier-scale-strategy=preset=dnp norm-axis=head" | FileCheck %s --check-prefix=HEAD
// RUN: vernier-opt %s --vernier-scale-strategy=preset=or | FileCheck %s --check-prefix=OR
// RUN: vernier-opt %s --vernier-scale-strategy=preset=er | FileCheck %s --check-prefix=ER
// RUN: vernier-opt %s --vernier-scale-strategy=preset=iwd | FileCheck %s --check-prefix=IWD
// RUN: vernier-opt %s --vernier-scale-strategy=preset=unified | FileCheck %s --check-prefix=UNIFIED
// RUN: vernier-opt %s --vernier-scale-strategy=preset=iwd+or+dnp+hg | FileCheck %s --check-prefix=UNIFIED
// RUN: vernier-opt %s --vernier-scale-strategy=preset=er+dp+hg | FileCheck %s --check-prefix=PARTS
// RUN: not vernier-opt %s "--vernier-scale-strategy=preset=dnp norm-axis=row" 2>&1 | FileCheck %s --check-prefix=AXIS
// HG: module attributes {vernier.rewrites = [{pass = "vernier-split-scale"}]}
// DP: module attributes {vernier.rewrites = [{pass = "vernier-relocate-scale{epsilon=0.000000e+00 norm-axis=vector to=dual}"}]}
// DNP: module attributes {vernier.rewrites = [{changes_function, pass = "vernier-relocate-scale{epsilon=0.000000e+00 norm-axis=vector to=dual-norm}"}]}
// HEAD: module attributes {vernier.rewrites = [{changes_function, pass = "vernier-relocate-scale{epsilon=0.000000e+00 norm-axis=head to=dual-norm}"}]}
// OR: module attributes {vernier.rewrites = [{pass = "vernier-reparameterize-scale{form=original}"}]}
// ER: module attributes {vernier.rewrites = [{pass = "vernier-reparameterize-scale{form=exponential}"}]}
// IWD: module attributes {vernier.rewrites = [{pass = "vernier-tag-decay
// UNIFIED: module attributes {vernier.rewrites = [{pass = "vernier-split-scale"},
// UNIFIED-SAME: {changes_function, pass = "vernier-relocate-scale{epsilon=0.000000e+00 norm-axis=vector to=dual-norm}"},
// UNIFIED-SAME: {pass = "vernier-reparameterize-scale{form=original}"},
// UNIFIED-SAME: {pass = "vernier-tag-decay{{[^"]*}}"}]}
// PARTS: module attributes {vernier.rewrites = [{pass = "vernier-split-scale"},
// PARTS-SAME: {pass = "vernier-relocate-scale{epsilon=0.000000e+00 norm-axis=vector to=dual}"},
// PARTS-SAME: {pass = "vernier-reparameterize-scale{form=exponential}"}]}
// AXIS: error: there is no norm-axis 'row'
vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<2.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @w : tensor<8x4xf32> kind(matrix) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w">])
vernier.param @u : tensor<8x4xf32> kind(matrix) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"u">])
func.func @loss(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  %s = vernier.scale %n, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %w = vernier.get_param @w : tensor<8x4xf32>
  %gate = vernier.linear %s, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %u = vernier.get_param @u : tensor<8x4xf32>
  %up = vernier.linear %s, %u : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %y = vernier.glu silu %gate, %up : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
