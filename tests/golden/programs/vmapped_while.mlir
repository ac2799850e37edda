// SPDX-License-Identifier: Apache-2.0
// vmapped_while, written by programs.py
module @jit_vmapped_while attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<3xf32>) -> (tensor<3x4xf32> {jax.result_info = "result"}) {
    %0:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg0) : tensor<3xf32>, tensor<3x4xf32>
    cond {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.reduce(%iterArg_0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
      %cst_1 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %3 = stablehlo.add %iterArg, %2 : tensor<3xf32>
      %4 = stablehlo.compare LT, %1, %3, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %5 = stablehlo.reduce(%4 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %2 = stablehlo.add %iterArg_0, %1 : tensor<3x4xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.reduce(%iterArg_0 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
      %cst_2 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %5 = stablehlo.add %iterArg, %4 : tensor<3xf32>
      %6 = stablehlo.compare LT, %3, %5, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<3xi1>) -> tensor<3x4xi1>
      %8 = stablehlo.select %7, %2, %iterArg_0 : tensor<3x4xi1>, tensor<3x4xf32>
      stablehlo.return %iterArg, %8 : tensor<3xf32>, tensor<3x4xf32>
    }
    return %0#1 : tensor<3x4xf32>
  }
}
