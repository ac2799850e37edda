// SPDX-License-Identifier: Apache-2.0
// sharded, written by programs.py
module @jit_sharded attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=1]> {stablehlo.mesh = {axes = [{name = "x", size = 1 : i64}]}}
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<6x2xf32>) -> (tensor<4x2xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<4x2xf32>
    %2 = stablehlo.tanh %1 : tensor<4x2xf32>
    return %2 : tensor<4x2xf32>
  }
}
