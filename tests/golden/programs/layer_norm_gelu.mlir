// SPDX-License-Identifier: Apache-2.0
// layer_norm_gelu, written by programs.py
module @jit_layer_norm_gelu attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> (tensor<3x4x8xf32> {jax.result_info = "result[0]"}, tensor<3x4x8xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<3x4x8xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x4xf32>) -> tensor<3x4x1xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x4x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<3x4x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<3x4x1xf32>) -> tensor<3x4x8xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<3x4x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %6 = call @_var(%arg0, %c) : (tensor<3x4x8xf32>, tensor<i64>) -> tensor<3x4x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x4x1xf32>
    %8 = stablehlo.add %6, %7 : tensor<3x4x1xf32>
    %9 = stablehlo.rsqrt %8 : tensor<3x4x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<3x4x1xf32>) -> tensor<3x4x8xf32>
    %11 = stablehlo.multiply %5, %10 : tensor<3x4x8xf32>
    %12 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<3x4x8xf32>
    %14 = stablehlo.multiply %11, %13 : tensor<3x4x8xf32>
    %15 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<3x4x8xf32>
    %17 = stablehlo.add %14, %16 : tensor<3x4x8xf32>
    %18 = stablehlo.multiply %17, %17 : tensor<3x4x8xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<3x4x8xf32>
    %cst_2 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x4x8xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<3x4x8xf32>
    %22 = stablehlo.add %17, %21 : tensor<3x4x8xf32>
    %cst_3 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x4x8xf32>
    %24 = stablehlo.multiply %23, %22 : tensor<3x4x8xf32>
    %25 = stablehlo.tanh %24 : tensor<3x4x8xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3x4x8xf32>
    %27 = stablehlo.add %26, %25 : tensor<3x4x8xf32>
    %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3x4x8xf32>
    %29 = stablehlo.multiply %28, %27 : tensor<3x4x8xf32>
    %30 = stablehlo.multiply %17, %29 : tensor<3x4x8xf32>
    %cst_6 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3x4x8xf32>
    %32 = stablehlo.multiply %31, %17 : tensor<3x4x8xf32>
    %33 = stablehlo.negate %17 : tensor<3x4x8xf32>
    %cst_7 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3x4x8xf32>
    %35 = stablehlo.multiply %33, %34 : tensor<3x4x8xf32>
    %36 = chlo.erfc %35 : tensor<3x4x8xf32> -> tensor<3x4x8xf32>
    %37 = stablehlo.multiply %32, %36 : tensor<3x4x8xf32>
    return %30, %37 : tensor<3x4x8xf32>, tensor<3x4x8xf32>
  }
  func.func private @_var(%arg0: tensor<3x4x8xf32>, %arg1: tensor<i64>) -> tensor<3x4x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<3x4x8xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x4xf32>) -> tensor<3x4x1xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x4x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<3x4x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<3x4x1xf32>) -> tensor<3x4x8xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<3x4x8xf32>
    %6 = chlo.square %5 : tensor<3x4x8xf32> -> tensor<3x4x8xf32>
    %7 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<3x4x8xf32>, tensor<f32>) -> tensor<3x4xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<3x4xf32>) -> tensor<3x4x1xf32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<3x4x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<3x4x1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %14 = call @_where(%13, %12, %cst_4) : (tensor<i1>, tensor<3x4x1xf32>, tensor<f64>) -> tensor<3x4x1xf32>
    return %14 : tensor<3x4x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<3x4x1xf32>, %arg2: tensor<f64>) -> tensor<3x4x1xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<f64>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x4x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<3x4x1xf32>
    return %2 : tensor<3x4x1xf32>
  }
}
