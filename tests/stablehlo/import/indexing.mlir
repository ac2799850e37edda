// SPDX-License-Identifier: Apache-2.0
// Slices at computed places, gather, and scatter with regions of every kind. Each function checks itself.
func.func @dynamic_slices() {
  %x = stablehlo.iota dim = 1 : tensor<3x5xi32>
  %i = stablehlo.constant dense<-1> : tensor<i32>
  %j = stablehlo.constant dense<4> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 3] : (tensor<3x5xi32>, tensor<i32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[2, 3, 4], [2, 3, 4]]> : tensor<2x3xi32>
  %u = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi32>
  %1 = stablehlo.dynamic_update_slice %x, %u, %j, %i : (tensor<3x5xi32>, tensor<1x2xi32>, tensor<i32>, tensor<i32>) -> tensor<3x5xi32>
  check.expect_eq_const %1, dense<[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [7, 8, 2, 3, 4]]> : tensor<3x5xi32>
  func.return
}
func.func @slices_of_scalars() {
  %x = stablehlo.constant dense<3> : tensor<i32>
  %y = stablehlo.constant dense<4> : tensor<i32>
  %0 = "stablehlo.dynamic_slice"(%x) {slice_sizes = array<i64>} : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %0, dense<3> : tensor<i32>
  %1 = "stablehlo.dynamic_update_slice"(%x, %y) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %1, dense<4> : tensor<i32>
  func.return
}
func.func @gather_rows() {
  %x = stablehlo.iota dim = 0 : tensor<12xi32>
  %m = stablehlo.reshape %x : (tensor<12xi32>) -> tensor<4x3xi32>
  %i = stablehlo.constant dense<[[3], [0], [9], [-2]]> : tensor<4x1xi64>
  %0 = "stablehlo.gather"(%m, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>, indices_are_sorted = false} : (tensor<4x3xi32>, tensor<4x1xi64>) -> tensor<4x3xi32>
  check.expect_eq_const %0, dense<[[9, 10, 11], [0, 1, 2], [9, 10, 11], [0, 1, 2]]> : tensor<4x3xi32>
  func.return
}
func.func @gather_windows_with_exchanged_components() {
  %x = stablehlo.iota dim = 0 : tensor<20xi32>
  %m = stablehlo.reshape %x : (tensor<20xi32>) -> tensor<4x5xi32>
  %i = stablehlo.constant dense<[[1, 4], [0, 3]]> : tensor<2x2xui8>
  %0 = "stablehlo.gather"(%m, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], start_index_map = [1, 0], index_vector_dim = 0>, slice_sizes = array<i64: 2, 2>} : (tensor<4x5xi32>, tensor<2x2xui8>) -> tensor<2x2x2xi32>
  check.expect_eq_const %0, dense<[[[1, 2], [13, 14]], [[6, 7], [18, 19]]]> : tensor<2x2x2xi32>
  func.return
}
func.func @gather_with_batches() {
  %x = stablehlo.iota dim = 0 : tensor<24xi32>
  %m = stablehlo.reshape %x : (tensor<24xi32>) -> tensor<2x3x4xi32>
  %i = stablehlo.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>
  %0 = "stablehlo.gather"(%m, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>} : (tensor<2x3x4xi32>, tensor<2x2xi32>) -> tensor<2x2x4xi32>
  check.expect_eq_const %0, dense<[[[8, 9, 10, 11], [0, 1, 2, 3]], [[16, 17, 18, 19], [16, 17, 18, 19]]]> : tensor<2x2x4xi32>
  func.return
}
func.func @dynamic_gather() {
  %x = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi32>
  %i = stablehlo.constant dense<[[2], [0]]> : tensor<2x1xi64>
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>} : (tensor<4xi32>, tensor<2x1xi64>, tensor<1xi64>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[7, 8], [5, 6]]> : tensor<2x2xi32>
  func.return
}
func.func @torch_index_select() {
  %x = stablehlo.iota dim = 0 : tensor<12xi32>
  %m = stablehlo.reshape %x : (tensor<12xi32>) -> tensor<2x3x2xi32>
  %i = stablehlo.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>
  %0 = "stablehlo.torch_index_select"(%m, %i) {dim = 1 : i64, batch_dims = 1 : i64} : (tensor<2x3x2xi32>, tensor<2x2xi32>) -> tensor<2x2x2xi32>
  check.expect_eq_const %0, dense<[[[4, 5], [0, 1]], [[8, 9], [8, 9]]]> : tensor<2x2x2xi32>
  %1 = "stablehlo.torch_index_select"(%m, %i) {dim = 2 : i64, batch_dims = 0 : i64} : (tensor<2x3x2xi32>, tensor<2x2xi32>) -> tensor<2x3x2x2xi32>
  check.expect_eq_const %1, dense<[[[[1, 0], [1, 1]], [[3, 2], [3, 3]], [[5, 4], [5, 5]]], [[[7, 6], [7, 7]], [[9, 8], [9, 9]], [[11, 10], [11, 11]]]]> : tensor<2x3x2x2xi32>
  func.return
}
func.func @scatter_of_each_kind() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %i = stablehlo.constant dense<[[1], [3], [1], [4], [-1]]> : tensor<5x1xi32>
  %u = stablehlo.constant dense<[10, 20, 30, 40, 50]> : tensor<5xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[1, 42, 3, 24]> : tensor<4xi32>
  %1 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.multiply %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  check.expect_eq_const %1, dense<[1, 600, 3, 80]> : tensor<4xi32>
  %2 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  check.expect_eq_const %2, dense<[1, 30, 3, 20]> : tensor<4xi32>
  %3 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.minimum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  check.expect_eq_const %3, dense<[1, 2, 3, 4]> : tensor<4xi32>
  %4 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.and %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  check.expect_eq_const %4, dense<[1, 2, 3, 4]> : tensor<4xi32>
  %5 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.or %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  check.expect_eq_const %5, dense<[1, 30, 3, 20]> : tensor<4xi32>
  %6 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.xor %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  check.expect_eq_const %6, dense<[1, 22, 3, 16]> : tensor<4xi32>
  %7 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  check.expect_eq_const %7, dense<[1, 30, 3, 20]> : tensor<4xi32>
  %8 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  check.expect_eq_const %8, dense<[1, 2, 3, 4]> : tensor<4xi32>
  %9 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.subtract %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  check.expect_eq_const %9, dense<[1, -38, 3, -16]> : tensor<4xi32>
  func.return
}
func.func @scatter_of_bools() {
  %x = stablehlo.constant dense<[true, true, false, false]> : tensor<4xi1>
  %i = stablehlo.constant dense<[[0], [1], [2], [3]]> : tensor<4x1xi32>
  %u = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.add %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi1>, tensor<4x1xi32>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %0, dense<[true, true, true, false]> : tensor<4xi1>
  %1 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.multiply %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi1>, tensor<4x1xi32>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %1, dense<[true, false, false, false]> : tensor<4xi1>
  %2 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.maximum %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi1>, tensor<4x1xi32>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %2, dense<[true, true, true, false]> : tensor<4xi1>
  %3 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.minimum %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi1>, tensor<4x1xi32>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %3, dense<[true, false, false, false]> : tensor<4xi1>
  %4 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.and %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi1>, tensor<4x1xi32>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %4, dense<[true, false, false, false]> : tensor<4xi1>
  %5 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.or %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi1>, tensor<4x1xi32>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %5, dense<[true, true, true, false]> : tensor<4xi1>
  %6 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.xor %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi1>, tensor<4x1xi32>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %6, dense<[false, true, true, false]> : tensor<4xi1>
  %7 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    stablehlo.return %b : tensor<i1>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi1>, tensor<4x1xi32>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %7, dense<[true, false, true, false]> : tensor<4xi1>
  func.return
}
func.func @scatter_windows() {
  %x = stablehlo.constant dense<0.0> : tensor<4x5xf32>
  %i = stablehlo.constant dense<[[3, 2], [2, 4], [0, 0]]> : tensor<3x2xi64>
  %v = stablehlo.iota dim = 0 : tensor<12xf32>
  %u = stablehlo.reshape %v : (tensor<12xf32>) -> tensor<2x3x2xf32>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 2], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = true} : (tensor<4x5xf32>, tensor<3x2xi64>, tensor<2x3x2xf32>) -> tensor<4x5xf32>
  check.expect_eq_const %0, dense<[[4.0, 5.0, 0.0, 0.0, 0.0], [10.0, 11.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 6.0, 7.0]]> : tensor<4x5xf32>
  func.return
}
func.func @scatter_by_a_region_of_its_own() {
  %x = stablehlo.constant dense<1.0> : tensor<3x4xf32>
  %i = stablehlo.constant dense<[[1, 0], [3, 1], [1, 0], [2, 3]]> : tensor<4x2xi32>
  %v = stablehlo.iota dim = 0 : tensor<8xf32>
  %u = stablehlo.reshape %v : (tensor<8xf32>) -> tensor<4x2xf32>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %t = stablehlo.multiply %a, %two : tensor<f32>
    %s = stablehlo.subtract %t, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>} : (tensor<3x4xf32>, tensor<4x2xi32>, tensor<4x2xf32>) -> tensor<3x4xf32>
  check.expect_eq_const %0, dense<[[1.0, 1.0, 1.0, 1.0], [0.0, -3.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<3x4xf32>
  func.return
}
func.func @scatter_of_two_operands() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %y = stablehlo.constant dense<[0.5, 0.5, 0.5]> : tensor<3xf32>
  %i = stablehlo.constant dense<[[2], [0], [2], [3]]> : tensor<4x1xi32>
  %u = stablehlo.constant dense<[4, 0, 2, 9]> : tensor<4xi32>
  %v = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) ({
  ^bb0(%a: tensor<i32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<f32>):
    %p = stablehlo.compare GT, %c, %a, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %m = stablehlo.select %p, %c, %a : tensor<i1>, tensor<i32>
    %s = stablehlo.select %p, %d, %b : tensor<i1>, tensor<f32>
    stablehlo.return %m, %s : tensor<i32>, tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3xi32>, tensor<3xf32>, tensor<4x1xi32>, tensor<4xi32>, tensor<4xf32>) -> (tensor<3xi32>, tensor<3xf32>)
  check.expect_eq_const %0#0, dense<[1, 2, 4]> : tensor<3xi32>
  check.expect_eq_const %0#1, dense<[0.5, 0.5, 1.0]> : tensor<3xf32>
  func.return
}
func.func @scatter_by_a_region_with_batches() {
  %x = stablehlo.constant dense<1> : tensor<2x3x2xi32>
  %i = stablehlo.constant dense<[[0, 2], [1, 1]]> : tensor<2x2xi32>
  %v = stablehlo.iota dim = 0 : tensor<8xi32>
  %u = stablehlo.reshape %v : (tensor<8xi32>) -> tensor<2x2x2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %t = stablehlo.multiply %a, %a : tensor<i32>
    %s = stablehlo.subtract %t, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>} : (tensor<2x3x2xi32>, tensor<2x2xi32>, tensor<2x2x2xi32>) -> tensor<2x3x2xi32>
  check.expect_eq_const %0, dense<[[[1, 0], [1, 1], [-1, -2]], [[1, 1], [3, 9], [1, 1]]]> : tensor<2x3x2xi32>
  func.return
}
func.func @scatter_into_a_scalar() {
  %x = stablehlo.constant dense<5> : tensor<i32>
  %i = stablehlo.constant dense<> : tensor<0xi32>
  %u = stablehlo.constant dense<3> : tensor<i32>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %t = stablehlo.multiply %a, %a : tensor<i32>
    %s = stablehlo.subtract %t, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 0>} : (tensor<i32>, tensor<0xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %0, dense<22> : tensor<i32>
  func.return
}
func.func @scatter_of_no_windows() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %i = stablehlo.constant dense<> : tensor<0xi32>
  %u = stablehlo.constant dense<> : tensor<0xf32>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3xf32>, tensor<0xi32>, tensor<0xf32>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  func.return
}
func.func @scatter_of_windows_of_nothing() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %i = stablehlo.constant dense<[[0], [7]]> : tensor<2x1xi32>
  %u = stablehlo.constant dense<> : tensor<2x0xf32>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3xf32>, tensor<2x1xi32>, tensor<2x0xf32>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  func.return
}
