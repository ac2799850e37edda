// SPDX-License-Identifier: Apache-2.0
// Constants and moves, also by the dynamic_ operations whose types are static. Each function checks itself.
func.func @constants() {
  %0 = stablehlo.constant dense<7> : tensor<2x2xi8>
  check.expect_eq_const %0, dense<[[7, 7], [7, 7]]> : tensor<2x2xi8>
  %1 = stablehlo.constant dense<[[1.5, -0.0], [0x7F800000, 2.0e3]]> : tensor<2x2xf32>
  check.expect_eq_const %1, dense<[[1.5, -0.0], [0x7F800000, 2000.0]]> : tensor<2x2xf32>
  %2 = stablehlo.constant dense<> : tensor<0x3xf32>
  check.expect_eq_const %2, dense<> : tensor<0x3xf32>
  %3 = stablehlo.constant dense<"0x0100000002000000"> : tensor<2xi32>
  check.expect_eq_const %3, dense<[1, 2]> : tensor<2xi32>
  func.return
}
func.func @iota() {
  %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
  %1 = stablehlo.iota dim = 0 : tensor<3xf32>
  check.expect_eq_const %1, dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  func.return
}
func.func @broadcast_in_dim() {
  %x = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x1xi32>) -> tensor<3x2x2xi32>
  check.expect_eq_const %0, dense<[[[1, 2], [1, 2]], [[1, 2], [1, 2]], [[1, 2], [1, 2]]]> : tensor<3x2x2xi32>
  func.return
}
func.func @reshape_transpose_reverse() {
  %x = stablehlo.iota dim = 0 : tensor<24xi32>
  %0 = stablehlo.reshape %x : (tensor<24xi32>) -> tensor<2x3x4xi32>
  %1 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<2x3x4xi32>) -> tensor<4x2x3xi32>
  check.expect_eq_const %1, dense<[[[0, 4, 8], [12, 16, 20]], [[1, 5, 9], [13, 17, 21]], [[2, 6, 10], [14, 18, 22]], [[3, 7, 11], [15, 19, 23]]]> : tensor<4x2x3xi32>
  %2 = stablehlo.reverse %0, dims = [0, 2] : tensor<2x3x4xi32>
  check.expect_eq_const %2, dense<[[[15, 14, 13, 12], [19, 18, 17, 16], [23, 22, 21, 20]], [[3, 2, 1, 0], [7, 6, 5, 4], [11, 10, 9, 8]]]> : tensor<2x3x4xi32>
  %3 = "stablehlo.reverse"(%x) {dimensions = array<i64>} : (tensor<24xi32>) -> tensor<24xi32>
  check.expect_eq %3, %x : tensor<24xi32>
  func.return
}
func.func @slice() {
  %x = stablehlo.iota dim = 1 : tensor<2x9xi32>
  %0 = stablehlo.slice %x [1:2, 2:9:3] : (tensor<2x9xi32>) -> tensor<1x3xi32>
  check.expect_eq_const %0, dense<[[2, 5, 8]]> : tensor<1x3xi32>
  %1 = stablehlo.slice %x [0:2, 4:4] : (tensor<2x9xi32>) -> tensor<2x0xi32>
  check.expect_eq_const %1, dense<> : tensor<2x0xi32>
  func.return
}
func.func @concatenate() {
  %x = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi16>
  %y = stablehlo.constant dense<[[3, 4], [5, 6]]> : tensor<2x2xi16>
  %0 = stablehlo.concatenate %x, %y, %x, dim = 1 : (tensor<2x1xi16>, tensor<2x2xi16>, tensor<2x1xi16>) -> tensor<2x4xi16>
  check.expect_eq_const %0, dense<[[1, 3, 4, 1], [2, 5, 6, 2]]> : tensor<2x4xi16>
  func.return
}
func.func @pad() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %v = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.pad %x, %v, low = [1, -1], high = [0, 2], interior = [1, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<4x6xi32>
  check.expect_eq_const %0, dense<[[9, 9, 9, 9, 9, 9], [9, 2, 9, 3, 9, 9], [9, 9, 9, 9, 9, 9], [9, 5, 9, 6, 9, 9]]> : tensor<4x6xi32>
  %1 = stablehlo.pad %x, %v, low = [-1, 0], high = [0, -2], interior = [0, 0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<1x1xi32>
  check.expect_eq_const %1, dense<[[4]]> : tensor<1x1xi32>
  func.return
}
func.func @sizes_of_dimensions() {
  %x = stablehlo.constant dense<0.0> : tensor<4x5xf32>
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4x5xf32>) -> tensor<i32>
  check.expect_eq_const %0, dense<5> : tensor<i32>
  %1 = "stablehlo.set_dimension_size"(%x, %0) {dimension = 1 : i64} : (tensor<4x5xf32>, tensor<i32>) -> tensor<4x5xf32>
  check.expect_eq %1, %x : tensor<4x5xf32>
  func.return
}
func.func @dynamic_forms_of_static_types() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %v = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<3xi32>, tensor<2xi64>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[1, 2, 3], [1, 2, 3]]> : tensor<2x3xi32>
  %1 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<2x3xi32>
  check.expect_eq_const %1, dense<[[0, 0, 0], [1, 1, 1]]> : tensor<2x3xi32>
  %t = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %2 = stablehlo.dynamic_reshape %0, %t : (tensor<2x3xi32>, tensor<2xi64>) -> tensor<3x2xi32>
  check.expect_eq_const %2, dense<[[1, 2], [3, 1], [2, 3]]> : tensor<3x2xi32>
  %low = stablehlo.constant dense<1> : tensor<1xi64>
  %high = stablehlo.constant dense<-1> : tensor<1xi64>
  %between = stablehlo.constant dense<1> : tensor<1xi64>
  %3 = stablehlo.dynamic_pad %x, %v, %low, %high, %between : (tensor<3xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi32>
  check.expect_eq_const %3, dense<[0, 1, 0, 2, 0]> : tensor<5xi32>
  %start = stablehlo.constant dense<1> : tensor<1xi64>
  %limit = stablehlo.constant dense<3> : tensor<1xi64>
  %4 = stablehlo.real_dynamic_slice %x, %start, %limit, %between : (tensor<3xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi32>
  check.expect_eq_const %4, dense<[2, 3]> : tensor<2xi32>
  func.return
}
func.func @shapes_that_were_computed_of_sizes() {
  %x = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<5xi32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %d = stablehlo.subtract %n, %two : tensor<i32>
  %0 = stablehlo.reshape %d : (tensor<i32>) -> tensor<1xi32>
  %limit = stablehlo.convert %0 : (tensor<1xi32>) -> tensor<1xi64>
  %start = stablehlo.constant dense<0> : tensor<1xi64>
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %1 = stablehlo.real_dynamic_slice %x, %start, %limit, %one : (tensor<5xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi32>
  check.expect_eq_const %1, dense<[1, 2, 3]> : tensor<3xi32>
  func.return
}
