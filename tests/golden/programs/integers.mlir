// SPDX-License-Identifier: Apache-2.0
// integers, written by programs.py
module @jit_integers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xi8>, %arg1: tensor<6xi8>, %arg2: tensor<6xui32>) -> (tensor<6xi8> {jax.result_info = "result[0]"}, tensor<6xi8> {jax.result_info = "result[1]"}, tensor<6xi8> {jax.result_info = "result[2]"}, tensor<6xi8> {jax.result_info = "result[3]"}, tensor<6xi8> {jax.result_info = "result[4]"}, tensor<6xi8> {jax.result_info = "result[5]"}, tensor<6xi8> {jax.result_info = "result[6]"}, tensor<6xi8> {jax.result_info = "result[7]"}, tensor<6xui32> {jax.result_info = "result[8]"}, tensor<6xui32> {jax.result_info = "result[9]"}, tensor<6xi8> {jax.result_info = "result[10]"}, tensor<6xf16> {jax.result_info = "result[11]"}, tensor<6xui8> {jax.result_info = "result[12]"}, tensor<6xf32> {jax.result_info = "result[13]"}, tensor<6x4xui8> {jax.result_info = "result[14]"}, tensor<6xi8> {jax.result_info = "result[15]"}, tensor<6xi8> {jax.result_info = "result[16]"}) {
    %0 = call @floor_divide(%arg0, %arg1) : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi8>
    %1 = call @remainder(%arg0, %arg1) : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi8>
    %2 = stablehlo.remainder %arg0, %arg1 : tensor<6xi8>
    %3 = stablehlo.divide %arg0, %arg1 : tensor<6xi8>
    %4 = stablehlo.xor %arg0, %arg1 : tensor<6xi8>
    %c = stablehlo.constant dense<2> : tensor<i8>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i8>) -> tensor<6xi8>
    %6 = stablehlo.shift_left %arg0, %5 : tensor<6xi8>
    %c_0 = stablehlo.constant dense<1> : tensor<i8>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i8>) -> tensor<6xi8>
    %8 = stablehlo.shift_right_arithmetic %arg0, %7 : tensor<6xi8>
    %c_1 = stablehlo.constant dense<1> : tensor<i8>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i8>) -> tensor<6xi8>
    %10 = stablehlo.shift_right_logical %arg0, %9 : tensor<6xi8>
    %11 = stablehlo.popcnt %arg2 : tensor<6xui32>
    %12 = stablehlo.count_leading_zeros %arg2 : tensor<6xui32>
    %13 = stablehlo.convert %arg2 : (tensor<6xui32>) -> tensor<6xi8>
    %14 = stablehlo.convert %arg0 : (tensor<6xi8>) -> tensor<6xf16>
    %15 = call @bitwise_count(%arg0) : (tensor<6xi8>) -> tensor<6xui8>
    %16 = stablehlo.bitcast_convert %arg2 : (tensor<6xui32>) -> tensor<6xf32>
    %17 = stablehlo.bitcast_convert %arg2 : (tensor<6xui32>) -> tensor<6x4xui8>
    %c_2 = stablehlo.constant dense<-3> : tensor<i64>
    %c_3 = stablehlo.constant dense<3> : tensor<i64>
    %18 = call @clip(%arg0, %c_2, %c_3) : (tensor<6xi8>, tensor<i64>, tensor<i64>) -> tensor<6xi8>
    %19 = stablehlo.multiply %arg0, %arg0 : tensor<6xi8>
    return %0, %1, %2, %3, %4, %6, %8, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19 : tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xui32>, tensor<6xui32>, tensor<6xi8>, tensor<6xf16>, tensor<6xui8>, tensor<6xf32>, tensor<6x4xui8>, tensor<6xi8>, tensor<6xi8>
  }
  func.func private @floor_divide(%arg0: tensor<6xi8>, %arg1: tensor<6xi8>) -> tensor<6xi8> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<6xi8>
    %1 = stablehlo.sign %arg0 : tensor<6xi8>
    %2 = stablehlo.sign %arg1 : tensor<6xi8>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<6xi8>
    %c = stablehlo.constant dense<0> : tensor<i8>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i8>) -> tensor<6xi8>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi1>
    %7 = stablehlo.and %3, %6 : tensor<6xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i8>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i8>) -> tensor<6xi8>
    %9 = stablehlo.subtract %0, %8 : tensor<6xi8>
    %10 = call @_where(%7, %9, %0) : (tensor<6xi1>, tensor<6xi8>, tensor<6xi8>) -> tensor<6xi8>
    return %10 : tensor<6xi8>
  }
  func.func private @_where(%arg0: tensor<6xi1>, %arg1: tensor<6xi8>, %arg2: tensor<6xi8>) -> tensor<6xi8> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xi8>
    return %0 : tensor<6xi8>
  }
  func.func private @remainder(%arg0: tensor<6xi8>, %arg1: tensor<6xi8>) -> tensor<6xi8> {
    %c = stablehlo.constant dense<0> : tensor<i8>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i8>) -> tensor<6xi8>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i8>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i8>) -> tensor<6xi8>
    %3 = call @_where(%1, %2, %arg1) : (tensor<6xi1>, tensor<6xi8>, tensor<6xi8>) -> tensor<6xi8>
    %4 = stablehlo.remainder %arg0, %3 : tensor<6xi8>
    %c_1 = stablehlo.constant dense<0> : tensor<i8>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i8>) -> tensor<6xi8>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i8>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i8>) -> tensor<6xi8>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i8>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i8>) -> tensor<6xi8>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %12 = stablehlo.and %11, %6 : tensor<6xi1>
    %13 = stablehlo.add %4, %3 : tensor<6xi8>
    %14 = stablehlo.select %12, %13, %4 : tensor<6xi1>, tensor<6xi8>
    return %14 : tensor<6xi8>
  }
  func.func private @bitwise_count(%arg0: tensor<6xi8>) -> tensor<6xui8> {
    %0 = stablehlo.abs %arg0 : tensor<6xi8>
    %1 = stablehlo.popcnt %0 : tensor<6xi8>
    %2 = stablehlo.convert %1 : (tensor<6xi8>) -> tensor<6xui8>
    return %2 : tensor<6xui8>
  }
  func.func private @clip(%arg0: tensor<6xi8>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<6xi8> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i8>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i8>) -> tensor<6xi8>
    %2 = stablehlo.maximum %1, %arg0 : tensor<6xi8>
    %3 = stablehlo.convert %arg2 : (tensor<i64>) -> tensor<i8>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i8>) -> tensor<6xi8>
    %5 = stablehlo.minimum %4, %2 : tensor<6xi8>
    return %5 : tensor<6xi8>
  }
}
