// RUN: vernier check-gradients %s --seed=1
// RUN: vernier check-gradients %s --seed=2

func.func @causal(%q: tensor<2x5x2x3xf32>, %k: tensor<2x5x2x3xf32>, %v: tensor<2x5x2x3xf32>) -> tensor<2x5x2x3xf32> {
  %o, %lse = vernier.attention %q, %k, %v scale 0.57 causal
      : (tensor<2x5x2x3xf32>, tensor<2x5x2x3xf32>, tensor<2x5x2x3xf32>) -> (tensor<2x5x2x3xf32>, tensor<2x5x2xf32>)
  return %o : tensor<2x5x2x3xf32>
}
func.func @everything_seen(%q: tensor<1x5x2x3xf32>, %k: tensor<1x5x2x3xf32>, %v: tensor<1x5x2x3xf32>) -> tensor<1x5x2x3xf32> {
  %o, %lse = vernier.attention %q, %k, %v scale 1.0
      : (tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>) -> (tensor<1x5x2x3xf32>, tensor<1x5x2xf32>)
  return %o : tensor<1x5x2x3xf32>
}
// Gradients of the three queries of a group add up in their key and value.
func.func @grouped(%q: tensor<2x5x6x3xf32>, %k: tensor<2x5x2x3xf32>, %v: tensor<2x5x2x3xf32>) -> tensor<2x5x6x3xf32> {
  %o, %lse = vernier.attention %q, %k, %v scale 0.57 causal
      : (tensor<2x5x6x3xf32>, tensor<2x5x2x3xf32>, tensor<2x5x2x3xf32>) -> (tensor<2x5x6x3xf32>, tensor<2x5x6xf32>)
  return %o : tensor<2x5x6x3xf32>
}
func.func @one_key_head(%q: tensor<1x4x3x2xf32>, %k: tensor<1x4x1x2xf32>, %v: tensor<1x4x1x2xf32>) -> tensor<1x4x3x2xf32> {
  %o, %lse = vernier.attention %q, %k, %v scale 0.57 causal
      : (tensor<1x4x3x2xf32>, tensor<1x4x1x2xf32>, tensor<1x4x1x2xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x4x3xf32>)
  return %o : tensor<1x4x3x2xf32>
}
func.func @window(%q: tensor<1x9x4x3xf32>, %k: tensor<1x9x2x3xf32>, %v: tensor<1x9x2x3xf32>) -> tensor<1x9x4x3xf32> {
  %o, %lse = vernier.attention %q, %k, %v scale 0.57 causal window 3
      : (tensor<1x9x4x3xf32>, tensor<1x9x2x3xf32>, tensor<1x9x2x3xf32>) -> (tensor<1x9x4x3xf32>, tensor<1x9x4xf32>)
  return %o : tensor<1x9x4x3xf32>
}
// Each position sees itself only: q and k have no gradient.
func.func @window_of_one(%q: tensor<1x4x2x3xf32>, %k: tensor<1x4x2x3xf32>, %v: tensor<1x4x2x3xf32>) -> tensor<1x4x2x3xf32> {
  %o, %lse = vernier.attention %q, %k, %v scale 0.57 causal window 1
      : (tensor<1x4x2x3xf32>, tensor<1x4x2x3xf32>, tensor<1x4x2x3xf32>) -> (tensor<1x4x2x3xf32>, tensor<1x4x2xf32>)
  return %o : tensor<1x4x2x3xf32>
}
// One value is query, key and value.
func.func @same_value(%x: tensor<1x5x2x3xf32>) -> tensor<1x5x2x3xf32> {
  %o, %lse = vernier.attention %x, %x, %x scale 0.57 causal
      : (tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>, tensor<1x5x2x3xf32>) -> (tensor<1x5x2x3xf32>, tensor<1x5x2xf32>)
  return %o : tensor<1x5x2x3xf32>
}
func.func @rope(%x: tensor<2x5x3x6xf32>) -> tensor<2x5x3x6xf32> {
  %y = vernier.rope %x theta 1.0e4 : tensor<2x5x3x6xf32> -> tensor<2x5x3x6xf32>
  return %y : tensor<2x5x3x6xf32>
}
func.func @rope_inverse(%x: tensor<2x5x3x6xf32>) -> tensor<2x5x3x6xf32> {
  %y = vernier.rope %x theta 1.0e4 inverse : tensor<2x5x3x6xf32> -> tensor<2x5x3x6xf32>
  return %y : tensor<2x5x3x6xf32>
}
// Pairs in each of the three bands of wavelengths: 6.3, 23 and 80 or more.
func.func @rope_llama3(%x: tensor<1x7x2x8xf32>) -> tensor<1x7x2x8xf32> {
  %y = vernier.rope %x theta 150.0 scaling <factor = 8.0 : f64, low_freq_factor = 1.0 : f64, high_freq_factor = 4.0 : f64, original_context = 32>
      : tensor<1x7x2x8xf32> -> tensor<1x7x2x8xf32>
  return %y : tensor<1x7x2x8xf32>
}
