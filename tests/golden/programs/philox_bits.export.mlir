// SPDX-License-Identifier: Apache-2.0
// philox_bits.export, written by programs.py
#loc1 = loc("key")
module @jit_philox_bits attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xui32> loc("key")) -> (tensor<4xui32> {jax.result_info = "result[0]"}, tensor<7xui32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<4xui32>) -> tensor<2x2xui32> loc(#loc11)
    %1 = stablehlo.bitcast_convert %0 : (tensor<2x2xui32>) -> tensor<2xui64> loc(#loc11)
    %output_state, %output = stablehlo.rng_bit_generator %1, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xui32>) loc(#loc11)
    %2 = stablehlo.bitcast_convert %output_state : (tensor<2xui64>) -> tensor<2x2xui32> loc(#loc11)
    %3 = stablehlo.reshape %2 : (tensor<2x2xui32>) -> tensor<4xui32> loc(#loc11)
    return %3, %output : tensor<4xui32>, tensor<7xui32> loc(#loc10)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("programs.py":198:11 to :85)
#loc3 = loc("programs.py":246:19 to :55)
#loc4 = loc("programs.py":251:0)
#loc5 = loc("philox_bits"(#loc2))
#loc6 = loc("main"(#loc3))
#loc7 = loc("<module>"(#loc4))
#loc8 = loc(callsite(#loc6 at #loc7))
#loc9 = loc(callsite(#loc5 at #loc8))
#loc10 = loc("jit(philox_bits)"(#loc8))
#loc11 = loc("jit(philox_bits)/rng_bit_generator"(#loc9))
