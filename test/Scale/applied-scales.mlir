// RUN: vernier-opt %s --split-input-file --vernier-build-statistics | FileCheck %s

// Which scale vectors a graph applies: computations of the same parameters that
// differ in an operation, in its attributes or in what it reads are different.
vernier.param @a : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"a">])
vernier.param @b : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"b">])
func.func @loss(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %a = vernier.get_param @a : tensor<4xf32>
  %b = vernier.get_param @b : tensor<4xf32>
  %sum = vernier.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %product = vernier.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %again = vernier.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %aba = vernier.mul %product, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %abb = vernier.mul %product, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = vernier.scale %x, %sum : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = vernier.scale %0, %product : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %2 = vernier.scale %1, %again : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %3 = vernier.scale %2, %aba : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %4 = vernier.scale %3, %abb : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}
// CHECK-LABEL: func.func @scales(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4xf32> {vernier.slot = #vernier.slot<param, "a">},
// CHECK-SAME: %[[B:[^:]*]]: tensor<4xf32> {vernier.slot = #vernier.slot<param, "b">})
// CHECK-NEXT: %[[SUM:.*]] = vernier.add %[[A]], %[[B]]
// CHECK-NEXT: %[[PRODUCT:.*]] = vernier.mul %[[A]], %[[B]]
// CHECK-NEXT: %[[SECOND:.*]] = vernier.mul %[[A]], %[[B]]
// CHECK-NEXT: %[[ABA:.*]] = vernier.mul %[[SECOND]], %[[A]]
// CHECK-NEXT: %[[THIRD:.*]] = vernier.mul %[[A]], %[[B]]
// CHECK-NEXT: %[[ABB:.*]] = vernier.mul %[[THIRD]], %[[B]]
// CHECK-NEXT: return %[[SUM]], %[[PRODUCT]], %[[ABA]], %[[ABB]] :
// CHECK: #vernier.slot<group_norm, "scale/other">

// -----
// Forms are attributes.
vernier.param @"n.direction" : tensor<4xf32> kind(direction) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"a">])
vernier.param @"n.magnitude" : tensor<1xf32> kind(magnitude) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"b">])
func.func @loss(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %a = vernier.get_param @"n.direction" : tensor<4xf32>
  %b = vernier.get_param @"n.magnitude" : tensor<1xf32>
  %original = vernier.scale_from_direction original %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %exponential = vernier.scale_from_direction exponential %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %0 = vernier.scale %x, %original : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = vernier.scale %0, %exponential : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
// CHECK-LABEL: func.func @scales(
// CHECK: -> (tensor<4xf32> {vernier.slot = #vernier.slot<scale_vector, "n">},
// CHECK-SAME: tensor<4xf32> {vernier.slot = #vernier.slot<scale_vector, "n#2">})
// CHECK-NEXT: vernier.scale_from_direction original
// CHECK-NEXT: vernier.scale_from_direction exponential

// -----
// Vectors that come with the data, or are constants, are no parameters.
vernier.param @a : tensor<4xf32> kind(scale) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"a">])
func.func @loss(%x: tensor<2x4xf32>, %data: tensor<4xf32>) -> tensor<2x4xf32> {
  %a = vernier.get_param @a : tensor<4xf32>
  %fixed = arith.constant dense<2.0> : tensor<4xf32>
  %mixed = vernier.mul %a, %data : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = vernier.scale %x, %data : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = vernier.scale %0, %fixed : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %2 = vernier.scale %1, %mixed : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %3 = vernier.scale %2, %a : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}
// CHECK-LABEL: func.func @scales(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4xf32> {vernier.slot = #vernier.slot<param, "a">})
// CHECK-SAME: -> (tensor<4xf32> {vernier.slot = #vernier.slot<scale_vector, "a">}) {
// CHECK-NEXT: return %[[A]]
