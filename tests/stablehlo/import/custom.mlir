// SPDX-License-Identifier: Apache-2.0
// Custom calls that are no LAPACK, and annotations. Each function checks itself.
func.func @annotations() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = stablehlo.custom_call @annotate_device_placement(%1) {mhlo.frontend_attributes = {_xla_buffer_placement = "device"}, has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>
  %3 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%2) {has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %3, %x : tensor<2xf32>
  stablehlo.custom_call @dce_sink(%x) {has_side_effect = true} : (tensor<2xf32>) -> ()
  func.return
}
func.func @special_functions_under_other_names() {
  %x = stablehlo.constant dense<[0.0, 0.5]> : tensor<2xf64>
  %0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  %w = stablehlo.constant dense<[0.0, 0.52049987781304654]> : tensor<2xf64>
  stablehlo.custom_call @check.expect_close(%0, %w) : (tensor<2xf64>, tensor<2xf64>) -> ()
  func.return
}
func.func @topk() {
  %x = stablehlo.constant dense<[4, 1, 9, 4]> : tensor<4xi32>
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<4xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[9, 4]> : tensor<2xi32>
  check.expect_eq_const %0#1, dense<[2, 0]> : tensor<2xi32>
  %1:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = false}} : (tensor<4xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %1#1, dense<[1, 0]> : tensor<2xi32>
  %y = stablehlo.constant dense<[-0.0, 0.0, 0xFFC00000, 0x7FC00000, 1.0]> : tensor<5xf32>
  %2:2 = stablehlo.custom_call @mhlo.topk(%y) {mhlo.attributes = {k = 5 : i64, largest = true}} : (tensor<5xf32>) -> (tensor<5xf32>, tensor<5xi32>)
  check.expect_eq_const %2#1, dense<[3, 4, 1, 0, 2]> : tensor<5xi32>
  func.return
}
func.func private @smaller(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func @approx_top_k() {
  %x = stablehlo.constant dense<[[4.0, 1.0], [0.5, 9.0], [3.0, 4.0]]> : tensor<3x2xf32>
  %i = stablehlo.constant dense<[[10, 20], [11, 21], [12, 22]]> : tensor<3x2xi32>
  %z = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %n = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %z, %n) {called_computations = [@smaller], mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.95 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}} : (tensor<3x2xf32>, tensor<3x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %0#0, dense<[[0.5, 1.0], [3.0, 4.0]]> : tensor<2x2xf32>
  check.expect_eq_const %0#1, dense<[[11, 20], [12, 22]]> : tensor<2x2xi32>
  func.return
}
func.func @threefry_of_known_answers() {
  %k = stablehlo.constant dense<[0, -1, 0x13198A2E]> : tensor<3xi32>
  %l = stablehlo.constant dense<[0, -1, 0x03707344]> : tensor<3xi32>
  %x = stablehlo.constant dense<[0, -1, 0x243F6A88]> : tensor<3xi32>
  %y = stablehlo.constant dense<[0, -1, 0x85A308D3]> : tensor<3xi32>
  %0 = stablehlo.bitcast_convert %k : (tensor<3xi32>) -> tensor<3xui32>
  %1 = stablehlo.bitcast_convert %l : (tensor<3xi32>) -> tensor<3xui32>
  %2 = stablehlo.bitcast_convert %x : (tensor<3xi32>) -> tensor<3xui32>
  %3 = stablehlo.bitcast_convert %y : (tensor<3xi32>) -> tensor<3xui32>
  %4:2 = stablehlo.custom_call @cu_threefry2x32_ffi(%0, %1, %2, %3) : (tensor<3xui32>, tensor<3xui32>, tensor<3xui32>, tensor<3xui32>) -> (tensor<3xui32>, tensor<3xui32>)
  check.expect_eq_const %4#0, dense<[0x6B200159, 0x1CB996FC, 0xC4923A9C]> : tensor<3xui32>
  check.expect_eq_const %4#1, dense<[0x99BA4EFE, 0xBB002BE7, 0x483DF7A0]> : tensor<3xui32>
  func.return
}
func.func @pivots_of_a_batch() {
  %p = stablehlo.constant dense<[[2, 2], [0, 1]]> : tensor<2x2xi32>
  %0 = stablehlo.custom_call @lu_pivots_to_permutation(%p) : (tensor<2x2xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[2, 0, 1], [0, 1, 2]]> : tensor<2x3xi32>
  func.return
}
