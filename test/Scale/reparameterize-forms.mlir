// From one form to another, and back from a magnitude of zero.
// RUN: vernier-opt %s --vernier-reparameterize-scale=form=exponential --split-input-file | FileCheck %s --check-prefix=EXP
// RUN: vernier-opt %s --vernier-reparameterize-scale=form=plain --split-input-file | FileCheck %s --check-prefix=PLAIN

// Both keep their names. The magnitude decays, whatever the form; the direction never, toward nothing.
// EXP: vernier.param @a.direction : tensor<4xf32> kind(direction) decay(none) optimizer
// EXP: vernier.param @a.magnitude : tensor<1xf32> kind(magnitude) decay(decay) toward(0.69314718{{[0-9]*}}) optimizer
// EXP: vernier.scale_from_direction exponential
// PLAIN: vernier.param @a : tensor<4xf32> kind(scale) decay(decay) toward(2.000000e+00) optimizer
vernier.param @a.direction : tensor<4xf32> kind(direction) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"a.direction">])
vernier.param @a.magnitude : tensor<1xf32> kind(magnitude) decay(decay) toward(2.0) optimizer(adamw) init(#vernier.constant<3.0 : f64>) stored([#vernier.stored<"a.magnitude">])
func.func @form(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %a = vernier.get_param @a.direction : tensor<4xf32>
  %b = vernier.get_param @a.magnitude : tensor<1xf32>
  %g = vernier.scale_from_direction original %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// -----
// Zero has no direction, but a vector.
// EXP-LABEL: func.func @zero(
// EXP: vernier.scale_from_direction original
// PLAIN: vernier.param @a : tensor<4xf32> kind(scale) {{.*}} init(#vernier.constant<0.000000e+00 : f64>)
vernier.param @a.direction : tensor<4xf32> kind(direction) decay(none) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"a.direction">])
vernier.param @a.magnitude : tensor<1xf32> kind(magnitude) decay(decay) optimizer(adamw) init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"a.magnitude">])
func.func @zero(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %a = vernier.get_param @a.direction : tensor<4xf32>
  %b = vernier.get_param @a.magnitude : tensor<1xf32>
  %g = vernier.scale_from_direction original %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// -----
// What a plain vector decays toward belongs to its magnitude.
// EXP: vernier.param @g.direction : {{.*}} kind(direction) decay(none) optimizer
// EXP: vernier.param @g.magnitude : {{.*}} decay(decay) toward(0.69314718{{[0-9]*}}) optimizer
vernier.param @g : tensor<4xf32> kind(scale) decay(decay) toward(2.0) optimizer(adamw) init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
func.func @plain(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %g = vernier.get_param @g : tensor<4xf32>
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// -----
// A direction that points down makes a negative vector, which decays toward a negative one.
// PLAIN: vernier.param @n : tensor<4xf32> kind(scale) decay(decay) toward(-2.000000e+00) {{.*}} init(#vernier.constant<-3.000000e+00 : f64>)
vernier.param @n.direction : tensor<4xf32> kind(direction) decay(none) optimizer(adamw) init(#vernier.constant<-1.0 : f64>) stored([#vernier.stored<"n.direction">])
vernier.param @n.magnitude : tensor<1xf32> kind(magnitude) decay(decay) toward(2.0) optimizer(adamw) init(#vernier.constant<3.0 : f64>) stored([#vernier.stored<"n.magnitude">])
func.func @negative(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %a = vernier.get_param @n.direction : tensor<4xf32>
  %b = vernier.get_param @n.magnitude : tensor<1xf32>
  %g = vernier.scale_from_direction original %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %s = vernier.scale %x, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}
