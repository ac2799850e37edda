func.func @main(%a: tensor<2x3xi32>, %i: tensor<i32>, %p: tensor<2x3xi1>) -> (tensor<3x2xi32>, tensor<1x2xi32>, tensor<4x4xi32>, tensor<2x3xi32>, tensor<4x3xi32>, tensor<2x3xui8>) {
  %c = stablehlo.constant dense<-1> : tensor<i32>
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %1 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 2] : (tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> tensor<1x2xi32>
  %2 = stablehlo.pad %a, %c, low = [1, -1], high = [1, 2], interior = [0, 0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<4x4xi32>
  %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
  %4 = stablehlo.select %p, %a, %3 : tensor<2x3xi1>, tensor<2x3xi32>
  %5 = stablehlo.reverse %4, dims = [1] : tensor<2x3xi32>
  %6 = stablehlo.concatenate %a, %5, dim = 0 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<4x3xi32>
  %7 = stablehlo.iota dim = 1 : tensor<2x3xui8>
  %8 = stablehlo.slice %6 [0:4:2, 0:3] : (tensor<4x3xi32>) -> tensor<2x3xi32>
  check.expect_eq %8, %5 : tensor<2x3xi32>
  return %0, %1, %2, %5, %6, %7 : tensor<3x2xi32>, tensor<1x2xi32>, tensor<4x4xi32>, tensor<2x3xi32>, tensor<4x3xi32>, tensor<2x3xui8>
}
