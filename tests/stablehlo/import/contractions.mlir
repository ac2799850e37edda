// SPDX-License-Identifier: Apache-2.0
// Products: dot, dot_general, convolution, einsum, ragged_dot. Each function checks itself.
func.func @dot_general_with_batches() {
  %v = stablehlo.iota dim = 0 : tensor<24xf32>
  %x = stablehlo.reshape %v : (tensor<24xf32>) -> tensor<2x3x4xf32>
  %y = stablehlo.reshape %v : (tensor<24xf32>) -> tensor<4x2x3xf32>
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [1], contracting_dims = [2] x [0], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4xf32>, tensor<4x2x3xf32>) -> tensor<2x3x3xf32>
  check.expect_eq_const %0, dense<[[[84.0, 90.0, 96.0], [228.0, 250.0, 272.0], [372.0, 410.0, 448.0]], [[678.0, 732.0, 786.0], [870.0, 940.0, 1010.0], [1062.0, 1148.0, 1234.0]]]> : tensor<2x3x3xf32>
  %1 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [1, 2]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3x4xf32>, tensor<4x2x3xf32>) -> tensor<4x4xf32>
  check.expect_eq_const %1, dense<[[220.0, 580.0, 940.0, 1300.0], [235.0, 631.0, 1027.0, 1423.0], [250.0, 682.0, 1114.0, 1546.0], [265.0, 733.0, 1201.0, 1669.0]]> : tensor<4x4xf32>
  func.return
}
func.func @dot_general_to_wider_types() {
  %a = stablehlo.constant dense<[[100, 100], [-128, 127]]> : tensor<2x2xi8>
  %b = stablehlo.constant dense<[[100, -128], [100, 127]]> : tensor<2x2xi8>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[20000, -100], [-100, 32513]]> : tensor<2x2xi32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi8>
  check.expect_eq_const %1, dense<[[32, -100], [-100, 1]]> : tensor<2x2xi8>
  %c = stablehlo.constant dense<[[1.0, 0.00390625]]> : tensor<1x2xbf16>
  %d = stablehlo.constant dense<[[1.0], [1.0]]> : tensor<2x1xbf16>
  %2 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<1x2xbf16>, tensor<2x1xbf16>) -> tensor<1x1xf32>
  check.expect_eq_const %2, dense<1.00390625> : tensor<1x1xf32>
  %3 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [1] : (tensor<2x2xi8>, tensor<1x2xbf16>) -> tensor<2x1xf32>
  check.expect_eq_const %3, dense<[[100.390625], [-127.50390625]]> : tensor<2x1xf32>
  %4 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<1x2xbf16>, tensor<2x1xbf16>) -> tensor<1x1xf64>
  check.expect_eq_const %4, dense<1.00390625> : tensor<1x1xf64>
  func.return
}
// What is computed must have the bits of the result, whatever the signs of operands and result.
func.func @products_of_integers_of_other_signs() {
  %a = stablehlo.constant dense<200> : tensor<2x2xui8>
  %b = stablehlo.constant dense<255> : tensor<2x2xui8>
  %c = stablehlo.constant dense<-100> : tensor<2x2xi8>
  %d = stablehlo.constant dense<4294967295> : tensor<1x2xui32>
  %e = stablehlo.constant dense<2> : tensor<2x1xui32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2xui8>, tensor<2x2xui8>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<102000> : tensor<2x2xi32>
  %1 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<2x2xui8>, tensor<2x2xi8>) -> tensor<2x2xi32>
  check.expect_eq_const %1, dense<-40000> : tensor<2x2xi32>
  %2 = stablehlo.dot_general %c, %a, contracting_dims = [1] x [0] : (tensor<2x2xi8>, tensor<2x2xui8>) -> tensor<2x2xi16>
  check.expect_eq_const %2, dense<25536> : tensor<2x2xi16>
  %3 = stablehlo.dot_general %d, %e, contracting_dims = [1] x [0] : (tensor<1x2xui32>, tensor<2x1xui32>) -> tensor<1x1xi64>
  check.expect_eq_const %3, dense<17179869180> : tensor<1x1xi64>
  %4 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<2x2xui8>, tensor<2x2xi8>) -> tensor<2x2xf32>
  check.expect_eq_const %4, dense<-40000.0> : tensor<2x2xf32>
  %5 = stablehlo.dot_general %c, %c, contracting_dims = [1] x [0] : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xui32>
  check.expect_eq_const %5, dense<20000> : tensor<2x2xui32>
  %x = stablehlo.constant dense<200> : tensor<1x1x2x2xui8>
  %6 = stablehlo.convolution(%x, %x) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x2x2xui8>, tensor<1x1x2x2xui8>) -> tensor<1x1x1x1xi32>
  check.expect_eq_const %6, dense<160000> : tensor<1x1x1x1xi32>
  %y = stablehlo.constant dense<[[0.1]]> : tensor<1x1xf64>
  %z = stablehlo.constant dense<[[(10.0, 0.0)]]> : tensor<1x1xcomplex<f32>>
  %7 = stablehlo.dot_general %y, %z, contracting_dims = [1] x [0] : (tensor<1x1xf64>, tensor<1x1xcomplex<f32>>) -> tensor<1x1xcomplex<f64>>
  check.expect_eq_const %7, dense<(1.0, 0.0)> : tensor<1x1xcomplex<f64>>
  func.return
}
func.func @dot_of_types_that_are_only_stored() {
  %a = stablehlo.constant dense<[[1.5, -2.0]]> : tensor<1x2xf8E4M3FN>
  %b = stablehlo.constant dense<[[3.0], [0.5]]> : tensor<2x1xf8E5M2>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2xf8E4M3FN>, tensor<2x1xf8E5M2>) -> tensor<1x1xf32>
  check.expect_eq_const %0, dense<3.5> : tensor<1x1xf32>
  %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<1x2xf8E4M3FN>, tensor<1x2xf8E4M3FN>) -> tensor<1x1xf8E4M3FN>
  %2 = stablehlo.convert %1 : (tensor<1x1xf8E4M3FN>) -> tensor<1x1xf32>
  check.expect_eq_const %2, dense<6.0> : tensor<1x1xf32>
  func.return
}
func.func @dot_of_bools() {
  %a = stablehlo.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x2xi1>, tensor<2x2xi1>) -> tensor<2x2xi1>
  check.expect_eq_const %0, dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  %x = stablehlo.reshape %a : (tensor<2x2xi1>) -> tensor<1x1x2x2xi1>
  %1 = stablehlo.convolution(%x, %x) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x2x2xi1>, tensor<1x1x2x2xi1>) -> tensor<1x1x1x1xi1>
  check.expect_eq_const %1, dense<true> : tensor<1x1x1x1xi1>
  func.return
}
func.func @dot() {
  %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %b = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
  %0 = stablehlo.dot %a, %b : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[17, 39]> : tensor<2xi32>
  %1 = stablehlo.dot %b, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<i32>
  check.expect_eq_const %1, dense<61> : tensor<i32>
  func.return
}
func.func @convolution_with_every_attribute() {
  %v = stablehlo.iota dim = 0 : tensor<60xf32>
  %x = stablehlo.reshape %v : (tensor<60xf32>) -> tensor<1x5x6x2xf32>
  %w = stablehlo.iota dim = 0 : tensor<24xf32>
  %k = stablehlo.reshape %w : (tensor<24xf32>) -> tensor<3x2x1x4xf32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[f, 1, 0, b], window = {stride = [2, 1], pad = [[1, -1], [0, 2]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x5x6x2xf32>, tensor<3x2x1x4xf32>) -> tensor<4x12x1x1xf32>
  check.expect_eq_const %0, dense<[[[[96.0]], [[320.0]], [[112.0]], [[352.0]], [[128.0]], [[384.0]], [[144.0]], [[416.0]], [[160.0]], [[448.0]], [[176.0]], [[0.0]]], [[[144.0]], [[372.0]], [[164.0]], [[408.0]], [[184.0]], [[444.0]], [[204.0]], [[480.0]], [[224.0]], [[516.0]], [[244.0]], [[0.0]]], [[[204.0]], [[444.0]], [[228.0]], [[484.0]], [[252.0]], [[524.0]], [[276.0]], [[564.0]], [[300.0]], [[604.0]], [[324.0]], [[0.0]]], [[[254.0]], [[498.0]], [[282.0]], [[542.0]], [[310.0]], [[586.0]], [[338.0]], [[630.0]], [[366.0]], [[674.0]], [[394.0]], [[0.0]]]]> : tensor<4x12x1x1xf32>
  func.return
}
func.func @convolution_with_batch_groups() {
  %v = stablehlo.iota dim = 0 : tensor<24xf32>
  %x = stablehlo.reshape %v : (tensor<24xf32>) -> tensor<4x2x3xf32>
  %k = stablehlo.reshape %v : (tensor<24xf32>) -> tensor<4x2x3xf32>
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, padding = dense<[[1, 1]]> : tensor<1x2xi64>, batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> tensor<2x4x3xf32>
  check.expect_eq_const %0, dense<[[[34.0, 55.0, 34.0], [82.0, 145.0, 106.0], [850.0, 1279.0, 850.0], [1186.0, 1801.0, 1210.0]], [[106.0, 145.0, 82.0], [298.0, 451.0, 298.0], [1210.0, 1801.0, 1186.0], [1690.0, 2539.0, 1690.0]]]> : tensor<2x4x3xf32>
  func.return
}
func.func @convolution_without_space() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %k = stablehlo.constant dense<[[1.0, -1.0], [2.0, 0.5]]> : tensor<2x2xf32>
  %0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %0, dense<[[5.0, 0.0], [11.0, -1.0], [17.0, -2.0]]> : tensor<3x2xf32>
  func.return
}
func.func @convolution_of_three_axes() {
  %v = stablehlo.iota dim = 0 : tensor<48xi32>
  %x = stablehlo.reshape %v : (tensor<48xi32>) -> tensor<1x3x4x4x1xi32>
  %w = stablehlo.iota dim = 0 : tensor<8xi32>
  %k = stablehlo.reshape %w : (tensor<8xi32>) -> tensor<2x2x2x1x1xi32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f], window = {stride = [1, 2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x4x4x1xi32>, tensor<2x2x2x1x1xi32>) -> tensor<1x2x2x2x1xi32>
  check.expect_eq_const %0, dense<[[[[[440], [496]], [[664], [720]]], [[[888], [944]], [[1112], [1168]]]]]> : tensor<1x2x2x2x1xi32>
  func.return
}
func.func @convolution_to_a_wider_type() {
  %x = stablehlo.constant dense<[[[100, 100, 100]]]> : tensor<1x1x3xi8>
  %k = stablehlo.constant dense<[[[100, 100]]]> : tensor<1x1x2xi8>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x3xi8>, tensor<1x1x2xi8>) -> tensor<1x1x2xi32>
  check.expect_eq_const %0, dense<20000> : tensor<1x1x2xi32>
  func.return
}
func.func @dynamic_conv() {
  %x = stablehlo.constant dense<[[[1, 2, 3]]]> : tensor<1x1x3xi32>
  %k = stablehlo.constant dense<[[[1, 10]]]> : tensor<1x1x2xi32>
  %p = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) {dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x3xi32>, tensor<1x1x2xi32>, tensor<1x2xi32>) -> tensor<1x1x3xi32>
  check.expect_eq_const %0, dense<[[[10, 21, 32]]]> : tensor<1x1x3xi32>
  func.return
}
func.func @einsum() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[[1, 0], [2, 1]]> : tensor<2x2xi32>
  %0 = "stablehlo.einsum"(%x, %y) {einsum_config = "ab,bc->ca"} : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[5, 11], [2, 4]]> : tensor<2x2xi32>
  %1 = "stablehlo.unary_einsum"(%x) {einsum_config = "ab->b"} : (tensor<2x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %1, dense<[4, 6]> : tensor<2xi32>
  func.return
}
func.func @ragged_dot() {
  %v = stablehlo.iota dim = 0 : tensor<10xf32>
  %x = stablehlo.reshape %v : (tensor<10xf32>) -> tensor<5x2xf32>
  %y = stablehlo.constant dense<[[[1.0], [0.0]], [[0.0], [1.0]], [[10.0], [10.0]]]> : tensor<3x2x1xf32>
  %g = stablehlo.constant dense<[2, 0, 2]> : tensor<3xi32>
  %0 = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<5x2xf32>, tensor<3x2x1xf32>, tensor<3xi32>) -> tensor<5x1xf32>
  check.expect_eq_const %0, dense<[[0.0], [2.0], [90.0], [130.0], [0.0]]> : tensor<5x1xf32>
  func.return
}
