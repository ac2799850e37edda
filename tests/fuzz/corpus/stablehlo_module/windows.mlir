func.func @main(%a: tensor<1x8x8x2xf32>, %b: tensor<3x3x2x4xf32>, %m: tensor<3x3xf32>, %v: tensor<8xcomplex<f32>>) -> (tensor<1x7x4x4xf32>, tensor<1x4x4x2xf32>, tensor<3x2xf32>, tensor<8xcomplex<f32>>, tensor<3x3xf32>, tensor<3x3xbf16>) {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[0, 1], [1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x7x4x4xf32>
  %1 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x8x8x2xf32>, tensor<f32>) -> tensor<1x4x4x2xf32>
  %2:2 = chlo.top_k(%m, k = 2) : tensor<3x3xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
  %3 = stablehlo.fft %v, type = FFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  %4 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %5 = "stablehlo.triangular_solve"(%m, %4) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %6 = chlo.erf_inv %5 : tensor<3x3xf32> -> tensor<3x3xf32>
  %7 = stablehlo.convert %6 : (tensor<3x3xf32>) -> tensor<3x3xbf16>
  %8:2 = stablehlo.custom_call @lapack_spotrf_ffi(%m) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  return %0, %1, %2#0, %3, %8#0, %7 : tensor<1x7x4x4xf32>, tensor<1x4x4x2xf32>, tensor<3x2xf32>, tensor<8xcomplex<f32>>, tensor<3x3xf32>, tensor<3x3xbf16>
}
