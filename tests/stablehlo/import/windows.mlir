// SPDX-License-Identifier: Apache-2.0
// reduce_window and select_and_scatter. Each function checks itself.
func.func @sums_of_windows() {
  %v = stablehlo.iota dim = 0 : tensor<20xf32>
  %x = stablehlo.reshape %v : (tensor<20xf32>) -> tensor<4x5xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [2, 1]]> : tensor<2x2xi64>} : (tensor<4x5xf32>, tensor<f32>) -> tensor<7x2xf32>
  check.expect_eq_const %0, dense<[[2.0, 6.0], [2.0, 6.0], [12.0, 21.0], [12.0, 21.0], [22.0, 36.0], [22.0, 36.0], [32.0, 51.0]]> : tensor<7x2xf32>
  func.return
}
func.func @an_initial_value_that_is_not_neutral() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %z = stablehlo.constant dense<10> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[21, 13, 15]> : tensor<3xi32>
  %1 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %1, dense<10> : tensor<3xi32>
  func.return
}
func.func @windows_of_each_kind() {
  %x = stablehlo.constant dense<[6, 3, 5, 12]> : tensor<4xi32>
  %z0 = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %z0) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[9, 8, 17]> : tensor<3xi32>
  %z1 = stablehlo.constant dense<1> : tensor<i32>
  %1 = "stablehlo.reduce_window"(%x, %z1) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.multiply %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %1, dense<[18, 15, 60]> : tensor<3xi32>
  %z2 = stablehlo.constant dense<-100> : tensor<i32>
  %2 = "stablehlo.reduce_window"(%x, %z2) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %2, dense<[6, 5, 12]> : tensor<3xi32>
  %z3 = stablehlo.constant dense<100> : tensor<i32>
  %3 = "stablehlo.reduce_window"(%x, %z3) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.minimum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %3, dense<[3, 3, 5]> : tensor<3xi32>
  %z4 = stablehlo.constant dense<-1> : tensor<i32>
  %4 = "stablehlo.reduce_window"(%x, %z4) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.and %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %4, dense<[2, 1, 4]> : tensor<3xi32>
  %z5 = stablehlo.constant dense<0> : tensor<i32>
  %5 = "stablehlo.reduce_window"(%x, %z5) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.or %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %5, dense<[7, 7, 13]> : tensor<3xi32>
  %z6 = stablehlo.constant dense<0> : tensor<i32>
  %6 = "stablehlo.reduce_window"(%x, %z6) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.xor %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %6, dense<[5, 6, 9]> : tensor<3xi32>
  func.return
}
func.func @windows_of_bools() {
  %x = stablehlo.constant dense<[true, true, false, false]> : tensor<4xi1>
  %z0 = stablehlo.constant dense<false> : tensor<i1>
  %0 = "stablehlo.reduce_window"(%x, %z0) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.add %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi1>, tensor<i1>) -> tensor<3xi1>
  check.expect_eq_const %0, dense<[true, true, false]> : tensor<3xi1>
  %z1 = stablehlo.constant dense<true> : tensor<i1>
  %1 = "stablehlo.reduce_window"(%x, %z1) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.multiply %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi1>, tensor<i1>) -> tensor<3xi1>
  check.expect_eq_const %1, dense<[true, false, false]> : tensor<3xi1>
  %z2 = stablehlo.constant dense<false> : tensor<i1>
  %2 = "stablehlo.reduce_window"(%x, %z2) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.maximum %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi1>, tensor<i1>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<[true, true, false]> : tensor<3xi1>
  %z3 = stablehlo.constant dense<true> : tensor<i1>
  %3 = "stablehlo.reduce_window"(%x, %z3) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.minimum %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi1>, tensor<i1>) -> tensor<3xi1>
  check.expect_eq_const %3, dense<[true, false, false]> : tensor<3xi1>
  %z4 = stablehlo.constant dense<true> : tensor<i1>
  %4 = "stablehlo.reduce_window"(%x, %z4) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.and %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi1>, tensor<i1>) -> tensor<3xi1>
  check.expect_eq_const %4, dense<[true, false, false]> : tensor<3xi1>
  %z5 = stablehlo.constant dense<false> : tensor<i1>
  %5 = "stablehlo.reduce_window"(%x, %z5) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.or %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi1>, tensor<i1>) -> tensor<3xi1>
  check.expect_eq_const %5, dense<[true, true, false]> : tensor<3xi1>
  %z6 = stablehlo.constant dense<false> : tensor<i1>
  %6 = "stablehlo.reduce_window"(%x, %z6) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.xor %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi1>, tensor<i1>) -> tensor<3xi1>
  check.expect_eq_const %6, dense<[false, true, false]> : tensor<3xi1>
  func.return
}
func.func @windows_of_two_operands() {
  %x = stablehlo.constant dense<[3.0, 1.0, 4.0, 1.5]> : tensor<4xf32>
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %n = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = "stablehlo.reduce_window"(%x, %i, %z, %n) ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    %p = stablehlo.compare GE, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.select %p, %a, %c : tensor<i1>, tensor<f32>
    %t = stablehlo.select %p, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
  check.expect_eq_const %0#0, dense<[3.0, 4.0, 4.0]> : tensor<3xf32>
  check.expect_eq_const %0#1, dense<[0, 2, 2]> : tensor<3xi32>
  func.return
}
func.func @the_first_largest() {
  %x = stablehlo.constant dense<[1.0, 1.0, 2.0, 3.0, 5.0]> : tensor<5xf32>
  %s = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<5xf32>, tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  check.expect_eq_const %0, dense<[10.0, 0.0, 0.0, 20.0, 30.0]> : tensor<5xf32>
  func.return
}
func.func @the_last_largest() {
  %x = stablehlo.constant dense<[1.0, 1.0, 2.0, 3.0, 5.0]> : tensor<5xf32>
  %s = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<5xf32>, tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  check.expect_eq_const %0, dense<[0.0, 10.0, 0.0, 20.0, 30.0]> : tensor<5xf32>
  func.return
}
func.func @the_first_smallest_by_crossed_operands() {
  %x = stablehlo.constant dense<[1.0, 1.0, 2.0, 3.0, 5.0]> : tensor<5xf32>
  %s = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %z = stablehlo.constant dense<0.5> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %b, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<5xf32>, tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  check.expect_eq_const %0, dense<[10.5, 0.5, 20.5, 0.5, 30.5]> : tensor<5xf32>
  func.return
}
func.func @a_nan_is_left_for_the_next_element() {
  %x = stablehlo.constant dense<[0x7FC00000, 1.0, 2.0, 0x7FC00000, 5.0]> : tensor<5xf32>
  %s = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<5xf32>, tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  check.expect_eq_const %0, dense<[0.0, 10.0, 0.0, 20.0, 30.0]> : tensor<5xf32>
  func.return
}
func.func @products_of_the_source() {
  %x = stablehlo.constant dense<[4.0, 1.0, 2.0, 3.0, 5.0]> : tensor<5xf32>
  %s = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %z = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<5xf32>, tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  check.expect_eq_const %0, dense<[20.0, 2.0, 2.0, 40.0, 60.0]> : tensor<5xf32>
  func.return
}
func.func @selections_of_integers() {
  %x = stablehlo.constant dense<[4, 1, 2, 2, 5]> : tensor<5xi32>
  %s = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare LE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %t = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %t : tensor<i32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<5xi32>, tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
  check.expect_eq_const %0, dense<[0, 10, 20, 0, 30]> : tensor<5xi32>
  func.return
}
func.func @windows_larger_than_the_axis() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {window_dimensions = array<i64: 7>, padding = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<5xf32>, tensor<f32>) -> tensor<0xf32>
  check.expect_eq_const %0, dense<> : tensor<0xf32>
  func.return
}
func.func @dilated_windows_larger_than_the_axis() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {window_dimensions = array<i64: 3>, window_dilations = array<i64: 4>, padding = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<5xf32>, tensor<f32>) -> tensor<0xf32>
  check.expect_eq_const %0, dense<> : tensor<0xf32>
  func.return
}
func.func @windows_of_one_axis_that_fit_nowhere() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {window_dimensions = array<i64: 2, 4>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x0xf32>
  check.expect_eq_const %0, dense<> : tensor<3x0xf32>
  func.return
}
func.func @large_windows_by_a_region() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {window_dimensions = array<i64: 7>, padding = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<5xf32>, tensor<f32>) -> tensor<0xf32>
  check.expect_eq_const %0, dense<> : tensor<0xf32>
  func.return
}
func.func @selection_by_windows_that_fit_nowhere() {
  %x = stablehlo.constant dense<[4.0, 1.0, 2.0]> : tensor<3xf32>
  %s = stablehlo.constant dense<> : tensor<0xf32>
  %z = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {window_dimensions = array<i64: 4>} : (tensor<3xf32>, tensor<0xf32>, tensor<f32>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<2.0> : tensor<3xf32>
  func.return
}
func.func @subtractions_by_windows_that_fit_nowhere() {
  %x = stablehlo.constant dense<[4.0, 1.0, 2.0]> : tensor<3xf32>
  %s = stablehlo.constant dense<> : tensor<0xf32>
  %z = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {window_dimensions = array<i64: 4>} : (tensor<3xf32>, tensor<0xf32>, tensor<f32>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<2.0> : tensor<3xf32>
  func.return
}
