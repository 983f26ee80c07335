// RUN: vernier-opt %s --vernier-split-loss --vernier-build-update | FileCheck %s
// RUN: vernier-opt %s --vernier-split-loss \
// RUN:   --vernier-build-update="beta1=0.5 beta2=0.25 epsilon=0.125 weight-decay=0.75 clip-norm=0" | FileCheck %s --check-prefix=OPTIONS
// RUN: not vernier-opt %s --vernier-build-update 2>&1 | FileCheck %s --check-prefix=NO-SPLIT
// RUN: not vernier-opt %s --vernier-split-loss --vernier-build-update=beta2=1 2>&1 | FileCheck %s --check-prefix=BETA
// RUN: not vernier-opt %s --vernier-split-loss --vernier-build-update=epsilon=0 2>&1 | FileCheck %s --check-prefix=EPSILON
// RUN: not vernier-opt %s --vernier-split-loss --vernier-build-update=weight-decay=-0.5 2>&1 | FileCheck %s --check-prefix=DECAY
// RUN: not vernier-opt %s --vernier-split-loss --vernier-build-update=clip-norm=nan 2>&1 | FileCheck %s --check-prefix=NAN

// NO-SPLIT: error: the module has no function 'prepare', which 'vernier-split-loss' makes
// BETA: error: option 'beta2' must be at least 0 and below 1, but is 1.0
// EPSILON: error: option 'epsilon' must be positive, but is 0.0
// DECAY: error: option 'weight-decay' must be at least 0, but is -5.0{{0*}}e-01
// NAN: error: option 'clip-norm' must be at least 0, but is

vernier.param @w : tensor<16x4xf32> kind(embedding) decay(decay) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"w">])
vernier.param @g : tensor<4xf32> kind(scale) decay(none) toward(1.0) optimizer(adamw)
    init(#vernier.constant<0.0 : f64>) stored([#vernier.stored<"g">])

// The parameter w is at the frontier itself and as a scaled head: its gradient
// is the sum of both, and g's comes through the adjoint of prepare.
// CHECK-LABEL: func.func @update(
// CHECK-SAME: %[[W:[^:]*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<param, "w">},
// CHECK-SAME: %[[G:[^:]*]]: tensor<4xf32> {vernier.slot = #vernier.slot<param, "g">},
// CHECK-SAME: %[[DW:[^:]*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<gradient, "w">},
// CHECK-SAME: %[[DH:[^:]*]]: tensor<16x4xf32> {vernier.slot = #vernier.slot<gradient, "prepared.0">},
// CHECK-NEXT: %[[DHW:.*]] = vernier.mul %[[DH]], %[[W]]
// CHECK-NEXT: %[[GRAD_G:.*]] = vernier.column_sum %[[DHW]]
// CHECK-NEXT: %[[DHG:.*]] = vernier.scale %[[DH]], %[[G]]
// CHECK-NEXT: %[[GRAD_W:.*]] = vernier.add %[[DW]], %[[DHG]]
// CHECK-NEXT: vernier.global_norm %[[GRAD_W]], %[[GRAD_G]]
// CHECK: vernier.adamw %[[W]], {{.*}} weight_decay 1.0{{0*}}e-01 :
// A group that does not decay has no target either.
// CHECK: vernier.adamw %[[G]], {{.*}} weight_decay 0.0{{0*}}e+00 :

// CHECK-LABEL: func.func @gradients(
// CHECK: %[[GRAD_G:.*]] = vernier.column_sum
// CHECK: %[[GRAD_W:.*]] = vernier.add
// CHECK-NEXT: return %[[GRAD_W]], %[[GRAD_G]]

// OPTIONS-LABEL: func.func @update(
// OPTIONS: vernier.global_norm
// OPTIONS-NEXT: %[[CLIP:.*]] = vernier.clip_factor %{{.*}} max 1.79{{[0-9]*}}E+308
// OPTIONS: vernier.adamw {{.*}}, %[[CLIP]] beta1 5.0{{0*}}e-01 beta2 2.50{{0*}}e-01 epsilon 1.250{{0*}}e-01 weight_decay 7.50{{0*}}e-01 :
// OPTIONS: vernier.adamw {{.*}}, %[[CLIP]] {{.*}} weight_decay 0.0
func.func @loss(%ids: tensor<2x3xi32>, %targets: tensor<2x3xi32>) -> tensor<f32> {
  %w = vernier.get_param @w : tensor<16x4xf32>
  %g = vernier.get_param @g : tensor<4xf32>
  %h = vernier.scale %w, %g : (tensor<16x4xf32>, tensor<4xf32>) -> tensor<16x4xf32>
  %x = vernier.embedding %ids, %w : (tensor<2x3xi32>, tensor<16x4xf32>) -> tensor<2x3x4xf32>
  %l = vernier.linear %x, %h : (tensor<2x3x4xf32>, tensor<16x4xf32>) -> tensor<2x3x16xf32>
  %n = vernier.count_valid %targets ignore -100 : tensor<2x3xi32> -> tensor<i64>
  %loss, %lse = vernier.cross_entropy %l, %targets, %n ignore -100
      : (tensor<2x3x16xf32>, tensor<2x3xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x3xf32>)
  return %loss : tensor<f32>
}
