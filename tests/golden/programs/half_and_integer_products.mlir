// SPDX-License-Identifier: Apache-2.0
// half_and_integer_products, written by programs.py
module @jit_half_and_integer_products attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<4x8xi8>) -> (tensor<4x4xf32> {jax.result_info = "result[0]"}, tensor<4x4xi32> {jax.result_info = "result[1]"}, tensor<4x8xf16> {jax.result_info = "result[2]"}, tensor<4x8xf32> {jax.result_info = "result[3]"}, tensor<4x8xf32> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %1 = stablehlo.convert %arg1 : (tensor<8x4xf32>) -> tensor<8x4xbf16>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %3 = stablehlo.multiply %arg0, %2 : tensor<4x8xf32>
    %4 = call @round(%3) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %6 = stablehlo.divide %4, %5 : tensor<4x8xf32>
    %7 = stablehlo.convert %6 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %8 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xf32>
    %9 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<4x8xi8>) -> tensor<8x4xi8>
    %10 = stablehlo.dot_general %arg2, %9, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xi8>, tensor<8x4xi8>) -> tensor<4x4xi32>
    %11 = stablehlo.convert %7 : (tensor<4x8xbf16>) -> tensor<4x8xf16>
    %12 = stablehlo.reduce_precision %arg0, format = e5m7 : tensor<4x8xf32>
    %13 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
    %14 = stablehlo.dot_general %13, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    return %8, %10, %11, %12, %14 : tensor<4x4xf32>, tensor<4x4xi32>, tensor<4x8xf16>, tensor<4x8xf32>, tensor<4x8xf32>
  }
  func.func private @round(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
