func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xbf16> loc("weights")) -> (tensor<2x3xf32> {jax.result_info = "result['a/b']"}, tensor<f32>) {
  %0 = stablehlo.convert %arg1 : (tensor<3xbf16>) -> tensor<3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.add %arg0, %1 : tensor<2x3xf32>
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%2 init: %c) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  return %2, %3 : tensor<2x3xf32>, tensor<f32>
}
func.func private @twice(%arg0: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<2xi32>
  return %0 : tensor<2xi32>
}
