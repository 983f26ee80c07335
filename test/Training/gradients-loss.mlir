// RUN: vernier check-gradients %s --seed=1
// RUN: vernier check-gradients %s --seed=2

// A quarter of random targets is ignored.
func.func @mean(%x: tensor<3x4x5xf32>, %t: tensor<3x4xi32>) -> tensor<f32> {
  %n = vernier.count_valid %t ignore -100 : tensor<3x4xi32> -> tensor<i64>
  %loss, %lse = vernier.cross_entropy %x, %t, %n ignore -100
      : (tensor<3x4x5xf32>, tensor<3x4xi32>, tensor<i64>) -> (tensor<f32>, tensor<3x4xf32>)
  return %loss : tensor<f32>
}
// The divisor of a step that has more than this batch.
func.func @divisor_of_the_step(%x: tensor<7x3xf32>, %t: tensor<7xi32>, %n: tensor<i64>) -> tensor<f32> {
  %loss, %lse = vernier.cross_entropy %x, %t, %n ignore -1
      : (tensor<7x3xf32>, tensor<7xi32>, tensor<i64>) -> (tensor<f32>, tensor<7xf32>)
  return %loss : tensor<f32>
}
func.func @nothing_valid(%x: tensor<2x3xf32>) -> tensor<f32> {
  %t = arith.constant dense<-100> : tensor<2xi32>
  %n = arith.constant dense<0> : tensor<i64>
  %loss, %lse = vernier.cross_entropy %x, %t, %n ignore -100
      : (tensor<2x3xf32>, tensor<2xi32>, tensor<i64>) -> (tensor<f32>, tensor<2xf32>)
  return %loss : tensor<f32>
}
