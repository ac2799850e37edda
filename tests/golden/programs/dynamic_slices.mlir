// SPDX-License-Identifier: Apache-2.0
// dynamic_slices, written by programs.py
module @jit_dynamic_slices attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x7xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<2x3xf32> {jax.result_info = "result[0]"}, tensor<3x7xf32> {jax.result_info = "result[1]"}, tensor<3x4xf32> {jax.result_info = "result[2]"}, tensor<4x9xf32> {jax.result_info = "result[3]"}, tensor<3x7xf32> {jax.result_info = "result[4]"}, tensor<3x7xf32> {jax.result_info = "result[5]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.compare LT, %arg2, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<7> : tensor<i32>
    %4 = stablehlo.add %arg2, %c_2 : tensor<i32>
    %5 = stablehlo.select %3, %4, %arg2 : tensor<i1>, tensor<i32>
    %6 = stablehlo.dynamic_slice %arg0, %2, %5, sizes = [2, 3] : (tensor<3x7xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %7 = stablehlo.slice %arg0 [0:2, 0:2] : (tensor<3x7xf32>) -> tensor<2x2xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<2x2xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.compare LT, %arg1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_4 = stablehlo.constant dense<3> : tensor<i32>
    %11 = stablehlo.add %arg1, %c_4 : tensor<i32>
    %12 = stablehlo.select %10, %11, %arg1 : tensor<i1>, tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.compare LT, %arg2, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_6 = stablehlo.constant dense<7> : tensor<i32>
    %14 = stablehlo.add %arg2, %c_6 : tensor<i32>
    %15 = stablehlo.select %13, %14, %arg2 : tensor<i1>, tensor<i32>
    %16 = stablehlo.dynamic_update_slice %arg0, %9, %12, %15 : (tensor<3x7xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x7xf32>
    %17 = stablehlo.slice %arg0 [0:3, 0:7:2] : (tensor<3x7xf32>) -> tensor<3x4xf32>
    %18 = stablehlo.reverse %17, dims = [1] : tensor<3x4xf32>
    %c_7 = stablehlo.constant dense<7> : tensor<i64>
    %19 = call @_pad(%arg0, %c_7) : (tensor<3x7xf32>, tensor<i64>) -> tensor<4x9xf32>
    %20 = call @_roll_static(%arg0) : (tensor<3x7xf32>) -> tensor<3x7xf32>
    %21 = stablehlo.reverse %arg0, dims = [0] : tensor<3x7xf32>
    return %6, %16, %18, %19, %20, %21 : tensor<2x3xf32>, tensor<3x7xf32>, tensor<3x4xf32>, tensor<4x9xf32>, tensor<3x7xf32>, tensor<3x7xf32>
  }
  func.func private @_pad(%arg0: tensor<3x7xf32>, %arg1: tensor<i64>) -> tensor<4x9xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 0], high = [0, 2], interior = [0, 0] : (tensor<3x7xf32>, tensor<f32>) -> tensor<4x9xf32>
    return %1 : tensor<4x9xf32>
  }
  func.func private @_roll_static(%arg0: tensor<3x7xf32>) -> tensor<3x7xf32> {
    %0 = stablehlo.slice %arg0 [0:3, 5:7] : (tensor<3x7xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.slice %arg0 [0:3, 0:5] : (tensor<3x7xf32>) -> tensor<3x5xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<3x2xf32>, tensor<3x5xf32>) -> tensor<3x7xf32>
    return %2 : tensor<3x7xf32>
  }
}
