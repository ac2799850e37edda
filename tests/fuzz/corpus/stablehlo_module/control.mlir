func.func @main(%a: tensor<4x3xf32>, %i: tensor<i32>, %n: tensor<2x1xi32>, %u: tensor<2x3xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<4x3xf32>, tensor<2x3xf32>, tensor<3x4xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
  %1:2 = stablehlo.while(%j = %i, %x = %z) : tensor<i32>, tensor<f32>
   cond {
    %c = stablehlo.compare GT, %j, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %m = stablehlo.subtract %j, %one : tensor<i32>
    %y = "stablehlo.case"(%j) ({
      %p = stablehlo.sine %x : tensor<f32>
      stablehlo.return %p : tensor<f32>
    }, {
      %q = func.call @twice(%x) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %q : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    stablehlo.return %m, %y : tensor<i32>, tensor<f32>
  }
  %2 = "stablehlo.scatter"(%a, %n, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %3 = "stablehlo.gather"(%a, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  %4 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %l = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return %0, %1#1, %2, %3, %5 : tensor<4xf32>, tensor<f32>, tensor<4x3xf32>, tensor<2x3xf32>, tensor<3x4xf32>
}
func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %x : tensor<f32>
  return %0 : tensor<f32>
}
