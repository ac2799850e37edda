func.func @forms(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %i: tensor<i32>, %p: tensor<2x3xi1>, %s: tensor<f32>) {
  %0 = stablehlo.add %a, %a : tensor<2x3xf32>
  %1 = stablehlo.convert %a : (tensor<2x3xf32>) -> tensor<2x3xi32>
  %2 = stablehlo.broadcast_in_dim %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = stablehlo.slice %a [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  %4 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %5 = stablehlo.pad %a, %s, low = [0, -1], high = [1, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x2xf32>
  %6 = stablehlo.dot_general %a, %b, batching_dims = [] x [], contracting_dims = [1] x [0], precision = [HIGH, DEFAULT], algorithm = <accumulation_type = f32, lhs_component_count = 1> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %7 = stablehlo.select %p, %a, %a : tensor<2x3xi1>, tensor<2x3xf32>
  %8 = stablehlo.compare LT, %a, %a, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %9 = stablehlo.reduce_precision %a, format = e5m10 : tensor<2x3xf32>
  %10 = stablehlo.complex %a, %a : tensor<2x3xcomplex<f32>>
  %11:2 = chlo.top_k(%a, k = 2, is_stable = true) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %12 = stablehlo.tuple %a, %s : tuple<tensor<2x3xf32>, tensor<f32>>
  %13 = stablehlo.get_tuple_element %12[1] : (tuple<tensor<2x3xf32>, tensor<f32>>) -> tensor<f32>
  %14 = stablehlo.custom_call @"a b"(%a) {backend_config = "x"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %15 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %16 = stablehlo.iota dim = 0 : tensor<2xi32>
  stablehlo.optimization_barrier()
  %17 = "stablehlo.gather"(%a, %16) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return
}
func.func @conv(%a: tensor<1x8x8x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x7x4x4xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[0, 1], [1, 0]], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x7x4x4xf32>
  return %0 : tensor<1x7x4x4xf32>
}
