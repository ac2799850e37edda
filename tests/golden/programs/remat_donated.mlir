// SPDX-License-Identifier: Apache-2.0
// remat_donated, written by programs.py
module @jit_remat_donated attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<4x5xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %1:2 = stablehlo.optimization_barrier %arg0, %0 : tensor<4x5xf32>, tensor<4x5xf32>
    %2 = stablehlo.sine %1#0 : tensor<4x5xf32>
    %3 = stablehlo.cosine %1#0 : tensor<4x5xf32>
    %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %5 = stablehlo.multiply %2, %4 : tensor<4x5xf32>
    %6 = stablehlo.cosine %5 : tensor<4x5xf32>
    %7 = stablehlo.multiply %1#1, %6 : tensor<4x5xf32>
    %cst_1 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<4x5xf32>
    %10 = stablehlo.multiply %9, %3 : tensor<4x5xf32>
    %11 = stablehlo.subtract %arg0, %10 : tensor<4x5xf32>
    return %11 : tensor<4x5xf32>
  }
}
