// SPDX-License-Identifier: Apache-2.0
// complex_numbers, written by programs.py
module @jit_complex_numbers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xcomplex<f64>>) -> (tensor<3x4xcomplex<f64>> {jax.result_info = "result[0]"}, tensor<3x4xf64> {jax.result_info = "result[1]"}, tensor<3x4xcomplex<f64>> {jax.result_info = "result[2]"}, tensor<3x4xcomplex<f64>> {jax.result_info = "result[3]"}, tensor<3x4xcomplex<f64>> {jax.result_info = "result[4]"}, tensor<3x4xf64> {jax.result_info = "result[5]"}, tensor<3x4xf64> {jax.result_info = "result[6]"}, tensor<3x4xf64> {jax.result_info = "result[7]"}, tensor<3x4xcomplex<f64>> {jax.result_info = "result[8]"}, tensor<3x3xcomplex<f64>> {jax.result_info = "result[9]"}, tensor<3x4xcomplex<f64>> {jax.result_info = "result[10]"}, tensor<3x6xf64> {jax.result_info = "result[11]"}, tensor<3x4xcomplex<f64>> {jax.result_info = "result[12]"}, tensor<3x3xcomplex<f64>> {jax.result_info = "result[13]"}) {
    %0 = stablehlo.real %arg0 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %1 = stablehlo.imag %arg0 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %2 = stablehlo.negate %1 : tensor<3x4xf64>
    %3 = stablehlo.complex %0, %2 : tensor<3x4xcomplex<f64>>
    %4 = stablehlo.multiply %arg0, %3 : tensor<3x4xcomplex<f64>>
    %5 = stablehlo.real %arg0 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %6 = stablehlo.imag %arg0 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %7 = stablehlo.abs %5 : tensor<3x4xf64>
    %8 = stablehlo.abs %6 : tensor<3x4xf64>
    %9 = stablehlo.maximum %7, %8 : tensor<3x4xf64>
    %cst = stablehlo.constant dense<6.7039039649712985E+153> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %11 = stablehlo.compare GE, %9, %10, FLOAT : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xi1>
    %cst_0 = stablehlo.constant dense<1.4901161193847656E-8> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %13 = stablehlo.compare LE, %9, %12, FLOAT : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xi1>
    %cst_1 = stablehlo.constant dense<2.2227587494850775E-162> : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %cst_2 = stablehlo.constant dense<4.4989137945431964E+161> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %17 = stablehlo.multiply %5, %14 : tensor<3x4xf64>
    %18 = stablehlo.multiply %5, %15 : tensor<3x4xf64>
    %19 = stablehlo.select %13, %18, %5 : tensor<3x4xi1>, tensor<3x4xf64>
    %20 = stablehlo.select %11, %17, %19 : tensor<3x4xi1>, tensor<3x4xf64>
    %21 = stablehlo.multiply %6, %14 : tensor<3x4xf64>
    %22 = stablehlo.multiply %6, %15 : tensor<3x4xf64>
    %23 = stablehlo.select %13, %22, %6 : tensor<3x4xi1>, tensor<3x4xf64>
    %24 = stablehlo.select %11, %21, %23 : tensor<3x4xi1>, tensor<3x4xf64>
    %25 = stablehlo.select %13, %14, %16 : tensor<3x4xi1>, tensor<3x4xf64>
    %26 = stablehlo.select %11, %15, %25 : tensor<3x4xi1>, tensor<3x4xf64>
    %27 = chlo.square %20 : tensor<3x4xf64> -> tensor<3x4xf64>
    %28 = chlo.square %24 : tensor<3x4xf64> -> tensor<3x4xf64>
    %29 = stablehlo.add %27, %28 : tensor<3x4xf64>
    %30 = stablehlo.sqrt %29 : tensor<3x4xf64>
    %31 = stablehlo.multiply %30, %26 : tensor<3x4xf64>
    %cst_4 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %32 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %33 = stablehlo.compare EQ, %7, %32, FLOAT : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xi1>
    %34 = stablehlo.compare EQ, %8, %32, FLOAT : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xi1>
    %35 = stablehlo.or %33, %34 : tensor<3x4xi1>
    %36 = stablehlo.select %35, %32, %31 : tensor<3x4xi1>, tensor<3x4xf64>
    %37 = stablehlo.divide %20, %30 : tensor<3x4xf64>
    %38 = stablehlo.divide %24, %30 : tensor<3x4xf64>
    %39 = stablehlo.exponential %arg0 : tensor<3x4xcomplex<f64>>
    %40 = stablehlo.sqrt %arg0 : tensor<3x4xcomplex<f64>>
    %41 = stablehlo.real %arg0 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %42 = stablehlo.imag %arg0 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %43 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %44 = stablehlo.compare EQ, %41, %43, FLOAT : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xi1>
    %45 = stablehlo.sine %41 : tensor<3x4xf64>
    %46 = stablehlo.cosine %41 : tensor<3x4xf64>
    %47 = stablehlo.exponential_minus_one %42 : tensor<3x4xf64>
    %48 = stablehlo.negate %42 : tensor<3x4xf64>
    %49 = stablehlo.exponential_minus_one %48 : tensor<3x4xf64>
    %50 = stablehlo.subtract %47, %49 : tensor<3x4xf64>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %51 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %52 = stablehlo.divide %50, %51 : tensor<3x4xf64>
    %53 = stablehlo.add %47, %49 : tensor<3x4xf64>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %54 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %55 = stablehlo.add %53, %54 : tensor<3x4xf64>
    %cst_8 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %56 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %57 = stablehlo.divide %55, %56 : tensor<3x4xf64>
    %58 = stablehlo.multiply %45, %57 : tensor<3x4xf64>
    %59 = stablehlo.multiply %46, %52 : tensor<3x4xf64>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %60 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %61 = stablehlo.complex %60, %59 : tensor<3x4xcomplex<f64>>
    %62 = stablehlo.complex %58, %59 : tensor<3x4xcomplex<f64>>
    %63 = stablehlo.select %44, %61, %62 : tensor<3x4xi1>, tensor<3x4xcomplex<f64>>
    %64 = stablehlo.real %arg0 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %65 = stablehlo.imag %arg0 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %66 = call @angle(%arg0) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %67 = stablehlo.log %arg0 : tensor<3x4xcomplex<f64>>
    %68 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x4xcomplex<f64>>) -> tensor<4x3xcomplex<f64>>
    %69 = stablehlo.dot_general %arg0, %68, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xcomplex<f64>>, tensor<4x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
    %70 = call @fft(%arg0) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    %71 = call @fft_0(%arg0) : (tensor<3x4xcomplex<f64>>) -> tensor<3x6xf64>
    %72 = call @fft_1(%arg0) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    %73 = stablehlo.real %arg0 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %74 = call @fft_2(%73) : (tensor<3x4xf64>) -> tensor<3x3xcomplex<f64>>
    return %4, %36, %39, %40, %63, %64, %65, %66, %67, %69, %70, %71, %72, %74 : tensor<3x4xcomplex<f64>>, tensor<3x4xf64>, tensor<3x4xcomplex<f64>>, tensor<3x4xcomplex<f64>>, tensor<3x4xcomplex<f64>>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xcomplex<f64>>, tensor<3x3xcomplex<f64>>, tensor<3x4xcomplex<f64>>, tensor<3x6xf64>, tensor<3x4xcomplex<f64>>, tensor<3x3xcomplex<f64>>
  }
  func.func private @angle(%arg0: tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64> {
    %0 = stablehlo.real %arg0 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %1 = stablehlo.imag %arg0 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %2 = stablehlo.atan2 %1, %0 : tensor<3x4xf64>
    return %2 : tensor<3x4xf64>
  }
  func.func private @fft(%arg0: tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [4] : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    return %0 : tensor<3x4xcomplex<f64>>
  }
  func.func private @fft_0(%arg0: tensor<3x4xcomplex<f64>>) -> tensor<3x6xf64> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [6] : (tensor<3x4xcomplex<f64>>) -> tensor<3x6xf64>
    return %0 : tensor<3x6xf64>
  }
  func.func private @fft_1(%arg0: tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [3, 4] : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    return %0 : tensor<3x4xcomplex<f64>>
  }
  func.func private @fft_2(%arg0: tensor<3x4xf64>) -> tensor<3x3xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [4] : (tensor<3x4xf64>) -> tensor<3x3xcomplex<f64>>
    return %0 : tensor<3x3xcomplex<f64>>
  }
}
