// SPDX-License-Identifier: Apache-2.0
// Collectives on one device, whose only group is [0]. Each function checks itself.
func.func @collectives_alone() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %0, %x : tensor<2x2xi32>
  %1 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.subtract %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %1, %x : tensor<2x2xi32>
  %2 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %2, %x : tensor<2x2xi32>
  %3 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %3, %x : tensor<2x2xi32>
  %4 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %4, %x : tensor<2x2xi32>
  %5 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %5, %x : tensor<2x2xi32>
  %6 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<> : tensor<0x2xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %6, dense<0> : tensor<2x2xi32>
  %7 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %7, %x : tensor<2x2xi32>
  %8 = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq %8, %x : tensor<2x2xi32>
  %9 = stablehlo.partition_id : tensor<ui32>
  check.expect_eq_const %9, dense<0> : tensor<ui32>
  %10 = stablehlo.replica_id : tensor<ui32>
  check.expect_eq_const %10, dense<0> : tensor<ui32>
  func.return
}
func.func @all_reduce_of_several() {
  %x = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %0:2 = "stablehlo.all_reduce"(%x, %x) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.add %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {replica_groups = dense<> : tensor<0x0xi64>} : (tensor<2xi1>, tensor<2xi1>) -> (tensor<2xi1>, tensor<2xi1>)
  check.expect_eq %0#0, %x : tensor<2xi1>
  check.expect_eq %0#1, %x : tensor<2xi1>
  func.return
}
