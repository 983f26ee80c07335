// RUN: vernier-opt %s | vernier-opt | FileCheck %s
// RUN: vernier-opt %s --emit-bytecode | vernier-opt | FileCheck %s
// RUN: vernier-opt %s --mlir-print-op-generic | vernier-opt | FileCheck %s

// CHECK: vernier.param @a.weight : tensor<40x8xf32> kind(matrix) decay(decay) optimizer(adamw)
// CHECK-SAME: init(#vernier.normal<mean = 0.000000e+00 : f64, std = 2.000000e-02 : f64>)
// CHECK-SAME: stored([#vernier.stored<"all.weight", rows = 0 to 40>])
vernier.param @"a.weight" : tensor<40x8xf32> kind(matrix) decay(decay) optimizer(adamw)
  init(#vernier.normal<mean = 0.0 : f64, std = 0.02 : f64>) stored([#vernier.stored<"all.weight", rows = 0 to 40>])
// CHECK: kind(scale) decay(none) toward(-1.000000e+00) optimizer(adamw)
vernier.param @g : tensor<8xf32> kind(scale) decay(none) toward(-1.0) optimizer(adamw)
  init(#vernier.constant<1.0 : f64>) stored([#vernier.stored<"g">])
// CHECK: init(#vernier.residual_normal<std = 2.000000e-02 : f64, layers = 6>)
vernier.param @o : tensor<8x8xf32> kind(matrix) decay(decay) optimizer(adamw)
  init(#vernier.residual_normal<std = 0.02 : f64, layers = 6>) stored([#vernier.stored<"o">])

// CHECK-LABEL: func.func @layers
func.func @layers(%ids: tensor<2x4xi32>, %table: tensor<40x8xf32>, %b: tensor<40xf32>) -> tensor<2x4x40xf32> {
  // CHECK: vernier.get_param @a.weight : tensor<40x8xf32>
  %w = vernier.get_param @"a.weight" : tensor<40x8xf32>
  %g = vernier.get_param @g : tensor<8xf32>
  // CHECK: vernier.embedding %{{.*}}, %{{.*}} : (tensor<2x4xi32>, tensor<40x8xf32>) -> tensor<2x4x8xf32>
  %x = vernier.embedding %ids, %table : (tensor<2x4xi32>, tensor<40x8xf32>) -> tensor<2x4x8xf32>
  // CHECK: vernier.rms_norm %{{.*}} epsilon 1.000000e-05 : tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  // CHECK: vernier.layer_norm %{{.*}} epsilon 1.000000e-05
  %l = vernier.layer_norm %n epsilon 1.0e-5 : tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  // CHECK: vernier.scale %{{.*}}, %{{.*}} : (tensor<2x4x8xf32>, tensor<8xf32>)
  %s = vernier.scale %l, %g : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  // CHECK: vernier.scale %{{.*}}, %{{.*}} offset 1.0
  %t = vernier.scale %s, %g offset 1.0 : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  // CHECK: vernier.add
  %a = vernier.add %s, %t : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // CHECK: vernier.mul
  %m = vernier.mul %a, %x : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // CHECK: vernier.glu gelu_tanh
  %u = vernier.glu gelu_tanh %m, %a : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // CHECK: vernier.linear %{{.*}}, %{{.*}} bias %{{.*}} :
  %y = vernier.linear %u, %w bias %b : (tensor<2x4x8xf32>, tensor<40x8xf32>, tensor<40xf32>) -> tensor<2x4x40xf32>
  return %y : tensor<2x4x40xf32>
}

// CHECK-LABEL: func.func @heads
func.func @heads(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x3x8xf32>) -> tensor<2x4x6x8xf32> {
  // CHECK: vernier.rope %{{.*}} theta 1.000000e+04 scaling <factor = 8.000000e+00 : f64, low_freq_factor = 1.000000e+00 : f64, high_freq_factor = 4.000000e+00 : f64, original_context = 128> :
  %r = vernier.rope %q theta 1.0e4 scaling <factor = 8.0 : f64, low_freq_factor = 1.0 : f64, high_freq_factor = 4.0 : f64, original_context = 128> : tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  // CHECK: vernier.rope %{{.*}} theta 1.000000e+04 inverse :
  %s = vernier.rope %r theta 1.0e4 inverse : tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  // CHECK: vernier.attention %{{.*}}, %{{.*}}, %{{.*}} scale 2.500000e-01 causal window 3 :
  %o, %lse = vernier.attention %s, %k, %k scale 0.25 causal window 3
    : (tensor<2x4x6x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>) -> (tensor<2x4x6x8xf32>, tensor<2x4x6xf32>)
  return %o : tensor<2x4x6x8xf32>
}

// CHECK-LABEL: func.func @scales
func.func @scales(%w: tensor<4x8xf32>, %g: tensor<4xf32>, %h: tensor<8xf32>) -> tensor<4x8xf32> {
  // CHECK: vernier.scale_rows %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  %0 = vernier.scale_rows %w, %g : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  // CHECK: vernier.scale_rows %{{.*}}, %{{.*}} offset 1.0
  %1 = vernier.scale_rows %0, %g offset 1.0 : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  // CHECK: vernier.scale_to_direction exponential %{{.*}} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<1xf32>)
  %a, %b = vernier.scale_to_direction exponential %h : (tensor<8xf32>) -> (tensor<8xf32>, tensor<1xf32>)
  // CHECK: vernier.scale_from_direction original %{{.*}}, %{{.*}} : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  %v = vernier.scale_from_direction original %a, %b : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  %2 = vernier.scale %1, %v : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// Activations in bf16, with the loss and the statistics in f32.
// CHECK-LABEL: func.func @bf16
func.func @bf16(%x: tensor<2x4x8xbf16>, %targets: tensor<2x4xi32>, %w: tensor<40x8xbf16>) -> tensor<f32> {
  // CHECK: vernier.rms_norm %{{.*}} : tensor<2x4x8xbf16> -> tensor<2x4x8xf32>
  %n = vernier.rms_norm %x epsilon 1.0e-5 : tensor<2x4x8xbf16> -> tensor<2x4x8xf32>
  %g = vernier.get_param @g : tensor<8xf32>
  %s = vernier.scale %n, %g : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xbf16>
  %y = vernier.linear %s, %w : (tensor<2x4x8xbf16>, tensor<40x8xbf16>) -> tensor<2x4x40xbf16>
  // CHECK: vernier.count_valid %{{.*}} ignore -100 : tensor<2x4xi32> -> tensor<i64>
  %d = vernier.count_valid %targets ignore -100 : tensor<2x4xi32> -> tensor<i64>
  // CHECK: vernier.cross_entropy %{{.*}}, %{{.*}}, %{{.*}} ignore -100 : (tensor<2x4x40xbf16>, tensor<2x4xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x4xf32>)
  %loss, %lse = vernier.cross_entropy %y, %targets, %d ignore -100 : (tensor<2x4x40xbf16>, tensor<2x4xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x4xf32>)
  return %loss : tensor<f32>
}

// The other operations, each in bf16.
// CHECK-LABEL: func.func @all_of_bf16
func.func @all_of_bf16(%ids: tensor<2x4xi32>, %table: tensor<40x8xf32>, %q: tensor<2x4x6x8xbf16>, %k: tensor<2x4x3x8xbf16>)
    -> (tensor<2x4x8xbf16>, tensor<2x4x6x8xbf16>) {
  // CHECK: vernier.embedding %{{.*}} : (tensor<2x4xi32>, tensor<40x8xf32>) -> tensor<2x4x8xbf16>
  %x = vernier.embedding %ids, %table : (tensor<2x4xi32>, tensor<40x8xf32>) -> tensor<2x4x8xbf16>
  // CHECK: vernier.layer_norm %{{.*}} : tensor<2x4x8xbf16> -> tensor<2x4x8xbf16>
  %l = vernier.layer_norm %x epsilon 1.0e-5 : tensor<2x4x8xbf16> -> tensor<2x4x8xbf16>
  // CHECK: vernier.add %{{.*}} : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  %a = vernier.add %l, %x : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  // CHECK: vernier.mul %{{.*}} : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  %m = vernier.mul %a, %x : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  // CHECK: vernier.glu silu %{{.*}} : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  %u = vernier.glu silu %m, %a : (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
  // CHECK: vernier.rope %{{.*}} : tensor<2x4x6x8xbf16> -> tensor<2x4x6x8xbf16>
  %r = vernier.rope %q theta 1.0e4 : tensor<2x4x6x8xbf16> -> tensor<2x4x6x8xbf16>
  // CHECK: vernier.attention %{{.*}} -> (tensor<2x4x6x8xbf16>, tensor<2x4x6xf32>)
  %o, %lse = vernier.attention %r, %k, %k scale 0.25 causal
    : (tensor<2x4x6x8xbf16>, tensor<2x4x3x8xbf16>, tensor<2x4x3x8xbf16>) -> (tensor<2x4x6x8xbf16>, tensor<2x4x6xf32>)
  return %u, %o : tensor<2x4x8xbf16>, tensor<2x4x6x8xbf16>
}
