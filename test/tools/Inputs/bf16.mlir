vernier.param @w : tensor<97x40xf32> kind(embedding) decay(decay) optimizer(adamw)
    init(#vernier.normal<mean = 0.0 : f64, std = 0.5 : f64>) stored([#vernier.stored<"w">])
vernier.param @h : tensor<97x40xf32> kind(matrix) decay(decay) optimizer(adamw)
    init(#vernier.normal<mean = 0.0 : f64, std = 0.5 : f64>) stored([#vernier.stored<"h">])
func.func @loss(%ids: tensor<2x24xi32>, %targets: tensor<2x24xi32>) -> tensor<f32> {
  %w = vernier.get_param @w : tensor<97x40xf32>
  %head = vernier.get_param @h : tensor<97x40xf32>
  %h = arith.truncf %head : tensor<97x40xf32> to tensor<97x40xbf16>
  %x = vernier.embedding %ids, %w : (tensor<2x24xi32>, tensor<97x40xf32>) -> tensor<2x24x40xbf16>
  %l = vernier.linear %x, %h : (tensor<2x24x40xbf16>, tensor<97x40xbf16>) -> tensor<2x24x97xbf16>
  %n = vernier.count_valid %targets ignore -100 : tensor<2x24xi32> -> tensor<i64>
  %loss, %lse = vernier.cross_entropy %l, %targets, %n ignore -100
      : (tensor<2x24x97xbf16>, tensor<2x24xi32>, tensor<i64>) -> (tensor<f32>, tensor<2x24xf32>)
  return %loss : tensor<f32>
}
