// SPDX-License-Identifier: Apache-2.0
// loops_and_branches, written by programs.py
module @jit_loops_and_branches attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<5xf32>) -> (tensor<i32> {jax.result_info = "result[0]"}, tensor<5xf32> {jax.result_info = "result[1]"}, tensor<5xf32> {jax.result_info = "result[2]"}, tensor<i64> {jax.result_info = "result[3]"}, tensor<5xf32> {jax.result_info = "result[4]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0:5 = stablehlo.while(%iterArg = %arg1, %iterArg_5 = %c, %iterArg_6 = %arg0, %iterArg_7 = %c_0, %iterArg_8 = %arg1) : tensor<5xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<5xf32>
    cond {
      %5 = stablehlo.compare LT, %iterArg_5, %iterArg_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg_5, %c_9 : tensor<i32>
      %6 = stablehlo.add %iterArg_7, %iterArg_5 : tensor<i32>
      %c_10 = stablehlo.constant dense<2> : tensor<i64>
      %7 = func.call @remainder(%iterArg_5, %c_10) : (tensor<i32>, tensor<i64>) -> tensor<i32>
      %c_11 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.compare EQ, %7, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %9 = stablehlo.convert %8 : (tensor<i1>) -> tensor<i32>
      %10 = "stablehlo.case"(%9) ({
        %11 = stablehlo.subtract %iterArg_8, %iterArg : tensor<5xf32>
        stablehlo.return %11 : tensor<5xf32>
      }, {
        %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
        %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
        %12 = stablehlo.multiply %iterArg_8, %11 : tensor<5xf32>
        stablehlo.return %12 : tensor<5xf32>
      }) : (tensor<i32>) -> tensor<5xf32>
      stablehlo.return %iterArg, %5, %iterArg_6, %6, %10 : tensor<5xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<5xf32>
    }
    %c_1 = stablehlo.constant dense<3> : tensor<i64>
    %1 = call @remainder(%arg0, %c_1) : (tensor<i32>, tensor<i64>) -> tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<2> : tensor<i32>
    %2 = stablehlo.clamp %c_2, %1, %c_3 : tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %5 = stablehlo.sine %0#4 : tensor<5xf32>
      stablehlo.return %5 : tensor<5xf32>
    }, {
      %5 = stablehlo.slice %arg1 [0:1] : (tensor<5xf32>) -> tensor<1xf32>
      %6 = stablehlo.reshape %5 : (tensor<1xf32>) -> tensor<f32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %8 = stablehlo.add %0#4, %7 : tensor<5xf32>
      stablehlo.return %8 : tensor<5xf32>
    }, {
      %5 = stablehlo.negate %0#4 : tensor<5xf32>
      stablehlo.return %5 : tensor<5xf32>
    }) : (tensor<i32>) -> tensor<5xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i64>
    %4:2 = stablehlo.while(%iterArg = %c_4, %iterArg_5 = %arg1) : tensor<i64>, tensor<5xf32>
    cond {
      %5 = stablehlo.abs %iterArg_5 : tensor<5xf32>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
      %cst_6 = stablehlo.constant dense<0.00999999977> : tensor<f32>
      %7 = stablehlo.compare GT, %6, %cst_6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %5 = stablehlo.add %iterArg, %c_6 : tensor<i64>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %7 = stablehlo.divide %iterArg_5, %6 : tensor<5xf32>
      stablehlo.return %5, %7 : tensor<i64>, tensor<5xf32>
    }
    return %0#3, %0#4, %3, %4#0, %4#1 : tensor<i32>, tensor<5xf32>, tensor<5xf32>, tensor<i64>, tensor<5xf32>
  }
  func.func private @remainder(%arg0: tensor<i32>, %arg1: tensor<i64>) -> tensor<i32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.remainder %arg0, %2 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare NE, %3, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %3, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.compare NE, %5, %6, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %8 = stablehlo.and %7, %4 : tensor<i1>
    %9 = stablehlo.add %3, %2 : tensor<i32>
    %10 = stablehlo.select %8, %9, %3 : tensor<i1>, tensor<i32>
    return %10 : tensor<i32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
