// Functions, aliases, attributes of all kinds.
#alias = {n = 1 : i32, b = true}
!t = tensor<2xf32>
module @m attributes {mhlo.num_partitions = 1 : i32, d = #alias, "quoted name", s = "a\22\n"} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: !t {jax.x, mhlo.y = #mhlo<z>} loc("first"), %arg1: !t loc(#loc2))
      -> (tensor<2xf32> {jax.result_info = "r"}, !t) attributes {a = [1, [2, #x<(y)>], @f], k = array<i1: true>,
      p = affine_map<(d0) -> (d0)>, q = array<f32: 1.0, -0.5>, t = tuple<f32, (i32) -> (none)>, h = 0x7FC0 : bf16} {
    %0:2 = call @f(%arg0, %arg1) : (!t, !t) -> (!t, !t) loc(#loc)
    %1 = sdy.sharding_constraint %0#1 <@mesh, [{"x"}]> : !t
    %2 = other.op %1 [%arg0] -> %0#0 : !t, !t -> !t
    return %0#0, %2 : !t, !t
  } loc(#loc)
  func.func private @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    return %y, %x : tensor<2xf32>, tensor<2xf32>
  }
  func.func private @external(tensor<2xf32> {u}, i32) -> !t
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("second"(#loc))
{-# x #-}
