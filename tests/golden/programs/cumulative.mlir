// SPDX-License-Identifier: Apache-2.0
// cumulative, written by programs.py
module @jit_cumulative attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf64>) -> (tensor<4x6xf64> {jax.result_info = "result[0]"}, tensor<4x6xf64> {jax.result_info = "result[1]"}, tensor<4x6xf64> {jax.result_info = "result[2]"}, tensor<4x6xf64> {jax.result_info = "result[3]"}, tensor<4x6xf64> {jax.result_info = "result[4]"}) {
    %0 = call @cumsum(%arg0) : (tensor<4x6xf64>) -> tensor<4x6xf64>
    %1 = call @cumprod(%arg0) : (tensor<4x6xf64>) -> tensor<4x6xf64>
    %2 = call @cummax(%arg0) : (tensor<4x6xf64>) -> tensor<4x6xf64>
    %3 = call @cumlogsumexp(%arg0) : (tensor<4x6xf64>) -> tensor<4x6xf64>
    %4 = stablehlo.slice %arg0 [0:4, 0:5:2] : (tensor<4x6xf64>) -> tensor<4x3xf64>
    %5 = stablehlo.slice %arg0 [0:4, 1:6:2] : (tensor<4x6xf64>) -> tensor<4x3xf64>
    %6 = stablehlo.add %4, %5 : tensor<4x3xf64>
    %7 = stablehlo.slice %6 [0:4, 0:2:2] : (tensor<4x3xf64>) -> tensor<4x1xf64>
    %8 = stablehlo.slice %6 [0:4, 1:3:2] : (tensor<4x3xf64>) -> tensor<4x1xf64>
    %9 = stablehlo.add %7, %8 : tensor<4x1xf64>
    %10 = stablehlo.slice %6 [0:4, 2:3:2] : (tensor<4x3xf64>) -> tensor<4x1xf64>
    %11 = stablehlo.add %9, %10 : tensor<4x1xf64>
    %12 = stablehlo.slice %6 [0:4, 0:1] : (tensor<4x3xf64>) -> tensor<4x1xf64>
    %13 = stablehlo.concatenate %12, %11, dim = 1 : (tensor<4x1xf64>, tensor<4x1xf64>) -> tensor<4x2xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %14 = stablehlo.pad %13, %cst, low = [0, 0], high = [0, 0], interior = [0, 1] : (tensor<4x2xf64>, tensor<f64>) -> tensor<4x3xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %15 = stablehlo.pad %9, %cst_0, low = [0, 1], high = [0, 1], interior = [0, 1] : (tensor<4x1xf64>, tensor<f64>) -> tensor<4x3xf64>
    %16 = stablehlo.add %14, %15 : tensor<4x3xf64>
    %17 = stablehlo.slice %16 [0:4, 0:2] : (tensor<4x3xf64>) -> tensor<4x2xf64>
    %18 = stablehlo.slice %arg0 [0:4, 2:6:2] : (tensor<4x6xf64>) -> tensor<4x2xf64>
    %19 = stablehlo.add %17, %18 : tensor<4x2xf64>
    %20 = stablehlo.slice %arg0 [0:4, 0:1] : (tensor<4x6xf64>) -> tensor<4x1xf64>
    %21 = stablehlo.concatenate %20, %19, dim = 1 : (tensor<4x1xf64>, tensor<4x2xf64>) -> tensor<4x3xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %22 = stablehlo.pad %21, %cst_1, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<4x3xf64>, tensor<f64>) -> tensor<4x6xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %23 = stablehlo.pad %16, %cst_2, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<4x3xf64>, tensor<f64>) -> tensor<4x6xf64>
    %24 = stablehlo.add %22, %23 : tensor<4x6xf64>
    return %0, %1, %2, %3, %24 : tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>
  }
  func.func private @cumsum(%arg0: tensor<4x6xf64>) -> tensor<4x6xf64> {
    %0 = call @cumsum_0(%arg0) : (tensor<4x6xf64>) -> tensor<4x6xf64>
    return %0 : tensor<4x6xf64>
  }
  func.func private @cumsum_0(%arg0: tensor<4x6xf64>) -> tensor<4x6xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<f64>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 6>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f64>
      stablehlo.return %2 : tensor<f64>
    }) : (tensor<4x6xf64>, tensor<f64>) -> tensor<4x6xf64>
    return %1 : tensor<4x6xf64>
  }
  func.func private @cumprod(%arg0: tensor<4x6xf64>) -> tensor<4x6xf64> {
    %0 = call @cumprod_1(%arg0) : (tensor<4x6xf64>) -> tensor<4x6xf64>
    return %0 : tensor<4x6xf64>
  }
  func.func private @cumprod_1(%arg0: tensor<4x6xf64>) -> tensor<4x6xf64> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<f64>
      stablehlo.return %1 : tensor<f64>
    }) : (tensor<4x6xf64>, tensor<f64>) -> tensor<4x6xf64>
    return %0 : tensor<4x6xf64>
  }
  func.func private @cummax(%arg0: tensor<4x6xf64>) -> tensor<4x6xf64> {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<f64>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 5]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 6>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<f64>
      stablehlo.return %2 : tensor<f64>
    }) : (tensor<4x6xf64>, tensor<f64>) -> tensor<4x6xf64>
    return %1 : tensor<4x6xf64>
  }
  func.func private @cumlogsumexp(%arg0: tensor<4x6xf64>) -> tensor<4x6xf64> {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 6>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %1 = stablehlo.maximum %arg1, %arg2 : tensor<f64>
      %2 = stablehlo.subtract %arg1, %arg2 : tensor<f64>
      %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %4 = stablehlo.add %arg1, %arg2 : tensor<f64>
      %5 = stablehlo.abs %2 : tensor<f64>
      %6 = stablehlo.negate %5 : tensor<f64>
      %7 = stablehlo.exponential %6 : tensor<f64>
      %8 = stablehlo.log_plus_one %7 : tensor<f64>
      %9 = stablehlo.add %1, %8 : tensor<f64>
      %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f64>
      stablehlo.return %10 : tensor<f64>
    }) : (tensor<4x6xf64>, tensor<f64>) -> tensor<4x6xf64>
    return %0 : tensor<4x6xf64>
  }
}
