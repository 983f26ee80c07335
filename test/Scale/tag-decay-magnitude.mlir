// Of a reparameterized vector the magnitude decays as the vector would, or never.
// RUN: vernier-opt %s --vernier-tag-decay | FileCheck %s --check-prefixes=CHECK,DECAYS
// RUN: vernier-opt %s --vernier-tag-decay=decay-magnitude=false | FileCheck %s --check-prefixes=CHECK,STAYS
// CHECK: vernier.param @a : {{.*}} decay(none)
// DECAYS-NEXT: vernier.param @b : {{.*}} decay(decay)
// STAYS-NEXT: vernier.param @b : {{.*}} decay(none)
// CHECK-NEXT: vernier.param @g : {{.*}} decay(decay)
// CHECK-NEXT: vernier.param @w : {{.*}} decay(decay)
vernier.param @a : tensor<4xf32> kind(direction) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"a">])
vernier.param @b : tensor<1xf32> kind(magnitude) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"b">])
vernier.param @g : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
vernier.param @w : tensor<4x4xf32> kind(matrix) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"w">])
func.func @loss(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %a = vernier.get_param @a : tensor<4xf32>
  %b = vernier.get_param @b : tensor<1xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  %w = vernier.get_param @w : tensor<4x4xf32>
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4xf32> -> tensor<2x4xf32>
  %form = vernier.scale_from_direction original %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %s = vernier.scale %n, %form : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %t = vernier.scale %s, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y = vernier.linear %t, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
