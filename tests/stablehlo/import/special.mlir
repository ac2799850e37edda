// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, matrices, batch normalisation, random bits. Each function checks itself.
func.func @transforms() {
  %v = stablehlo.iota dim = 0 : tensor<12xf32>
  %x = stablehlo.reshape %v : (tensor<12xf32>) -> tensor<2x6xf32>
  %f = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>>
  %re = stablehlo.real %f : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
  %im = stablehlo.imag %f : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
  "check.expect_almost_eq_const"(%re) {value = dense<[[15.0, -3.0, -3.0, -3.0], [51.0, -3.0, -3.0, -3.0]]> : tensor<2x4xf32>, tolerance = 1.0e-4 : f64} : (tensor<2x4xf32>) -> ()
  "check.expect_almost_eq_const"(%im) {value = dense<[[0.0, 5.19615221, 1.73205078, 0.0], [0.0, 5.19615221, 1.73205078, 0.0]]> : tensor<2x4xf32>, tolerance = 1.0e-4 : f64} : (tensor<2x4xf32>) -> ()
  %b = stablehlo.fft %f, type = IRFFT, length = [6] : (tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32>
  "check.expect_almost_eq_const"(%b) {value = dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]]> : tensor<2x6xf32>, tolerance = 1.0e-5 : f64} : (tensor<2x6xf32>) -> ()
  %z = stablehlo.complex %x, %x : tensor<2x6xcomplex<f32>>
  %g = stablehlo.fft %z, type = FFT, length = [2, 6] : (tensor<2x6xcomplex<f32>>) -> tensor<2x6xcomplex<f32>>
  %p = stablehlo.real %g : (tensor<2x6xcomplex<f32>>) -> tensor<2x6xf32>
  "check.expect_almost_eq_const"(%p) {value = dense<[[66.0, -16.3923054, -9.46410179, -5.99999905, -2.53589845, 4.39230442], [-36.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<2x6xf32>, tolerance = 1.0e-3 : f64} : (tensor<2x6xf32>) -> ()
  %h = stablehlo.fft %g, type = IFFT, length = [2, 6] : (tensor<2x6xcomplex<f32>>) -> tensor<2x6xcomplex<f32>>
  %q = stablehlo.imag %h : (tensor<2x6xcomplex<f32>>) -> tensor<2x6xf32>
  "check.expect_almost_eq_const"(%q) {value = dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]]> : tensor<2x6xf32>, tolerance = 1.0e-4 : f64} : (tensor<2x6xf32>) -> ()
  func.return
}
func.func @cholesky() {
  %a = stablehlo.constant dense<[[4.0, 99.0], [2.0, 10.0]]> : tensor<2x2xf32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[2.0, 0.0], [1.0, 3.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[4.0, 2.0], [99.0, 10.0]]> : tensor<2x2xbf16>
  %1 = "stablehlo.cholesky"(%b) : (tensor<2x2xbf16>) -> tensor<2x2xbf16>
  check.expect_eq_const %1, dense<[[2.0, 1.0], [0.0, 3.0]]> : tensor<2x2xbf16>
  func.return
}
func.func @triangular_solve() {
  %a = stablehlo.constant dense<[[2.0, 7.0], [1.0, 4.0]]> : tensor<2x2xf64>
  %b = stablehlo.constant dense<[[2.0, 4.0], [9.0, 6.0]]> : tensor<2x2xf64>
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w1 = stablehlo.constant dense<[[1.0, 2.0], [2.0, 1.0]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%0, %w1) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %1 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w2 = stablehlo.constant dense<[[2.0, 4.0], [7.0, 2.0]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%1, %w2) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %2 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w3 = stablehlo.constant dense<[[-0.125, 1.25], [2.25, 1.5]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%2, %w3) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %3 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w4 = stablehlo.constant dense<[[-7.0, -2.0], [9.0, 6.0]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%3, %w4) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %4 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w5 = stablehlo.constant dense<[[-6.875, -3.25], [2.25, 1.5]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%4, %w5) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %5 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w6 = stablehlo.constant dense<[[-61.0, -38.0], [9.0, 6.0]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%5, %w6) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %6 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w7 = stablehlo.constant dense<[[1.0, 2.0], [0.5, -2.0]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%6, %w7) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %7 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w8 = stablehlo.constant dense<[[2.0, 4.0], [-5.0, -22.0]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%7, %w8) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %8 = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w9 = stablehlo.constant dense<[[0.5, 1.0], [3.75, 1.5]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%8, %w9) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %9 = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w10 = stablehlo.constant dense<[[-2.0, 4.0], [3.0, 6.0]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%9, %w10) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %10 = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w11 = stablehlo.constant dense<[[1.0, 0.75], [4.5, 0.375]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%10, %w11) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %11 = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w12 = stablehlo.constant dense<[[2.0, 2.0], [9.0, -3.0]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%11, %w12) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %12 = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w13 = stablehlo.constant dense<[[1.0, -0.75], [4.5, -6.375]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%12, %w13) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %13 = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w14 = stablehlo.constant dense<[[2.0, -10.0], [9.0, -57.0]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%13, %w14) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %14 = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w15 = stablehlo.constant dense<[[-2.5, 1.0], [-0.75, 1.5]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%14, %w15) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %15 = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %w16 = stablehlo.constant dense<[[-26.0, 4.0], [-33.0, 6.0]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_close(%15, %w16) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  func.return
}
func.func @batch_norm_training() {
  %v = stablehlo.iota dim = 0 : tensor<12xf32>
  %x = stablehlo.reshape %v : (tensor<12xf32>) -> tensor<2x2x3xf32>
  %s = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %o = stablehlo.constant dense<[0.5, -0.5]> : tensor<2xf32>
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.25 : f32, feature_index = 1 : i64} : (tensor<2x2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  "check.expect_almost_eq_const"(%0#0) {value = dense<[[[-0.770214677, -0.452661037, -0.135107338], [-3.04042912, -2.40532184, -1.77021456]], [[1.13510728, 1.45266104, 1.77021468], [0.770214558, 1.40532184, 2.04042912]]]> : tensor<2x2x3xf32>, tolerance = 1.0e-5 : f64} : (tensor<2x2x3xf32>) -> ()
  "check.expect_almost_eq_const"(%0#1) {value = dense<[4.0, 7.0]> : tensor<2xf32>, tolerance = 1.0e-5 : f64} : (tensor<2xf32>) -> ()
  "check.expect_almost_eq_const"(%0#2) {value = dense<[9.66666698, 9.66666794]> : tensor<2xf32>, tolerance = 1.0e-4 : f64} : (tensor<2xf32>) -> ()
  func.return
}
func.func @batch_norm_inference() {
  %v = stablehlo.iota dim = 0 : tensor<6xf32>
  %x = stablehlo.reshape %v : (tensor<6xf32>) -> tensor<3x2xf32>
  %s = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %o = stablehlo.constant dense<[0.5, -0.5]> : tensor<2xf32>
  %m = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %d = stablehlo.constant dense<[0.75, 3.75]> : tensor<2xf32>
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %d) {epsilon = 0.25 : f32, feature_index = 1 : i64} : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %0, dense<[[-0.5, -2.5], [1.5, -0.5], [3.5, 1.5]]> : tensor<3x2xf32>
  func.return
}
func.func @batch_norm_grad() {
  %v = stablehlo.iota dim = 0 : tensor<12xf32>
  %x = stablehlo.reshape %v : (tensor<12xf32>) -> tensor<2x2x3xf32>
  %w = stablehlo.multiply %v, %v : tensor<12xf32>
  %g = stablehlo.reshape %w : (tensor<12xf32>) -> tensor<2x2x3xf32>
  %s = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %m = stablehlo.constant dense<[4.0, 7.0]> : tensor<2xf32>
  %d = stablehlo.constant dense<[9.6, 9.7]> : tensor<2xf32>
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %d, %g) {epsilon = 0.25 : f32, feature_index = 1 : i64} : (tensor<2x2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2x3xf32>) -> (tensor<2x2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  "check.expect_almost_eq_const"(%0#0) {value = dense<[[[1.82819331, -0.354748398, -1.90043724], [3.00453377, -1.18099713, -4.09844255]], [[-1.71066284, -0.070086889, 2.20774198], [-3.0873735, 0.335606962, 5.02667236]]]> : tensor<2x2x3xf32>, tolerance = 1.0e-3 : f64} : (tensor<2x2x3xf32>) -> ()
  "check.expect_almost_eq_const"(%0#1) {value = dense<[147.842682, 257.421295]> : tensor<2xf32>, tolerance = 1.0e-3 : f64} : (tensor<2xf32>) -> ()
  "check.expect_almost_eq_const"(%0#2) {value = dense<[154.0, 352.0]> : tensor<2xf32>, tolerance = 1.0e-3 : f64} : (tensor<2xf32>) -> ()
  func.return
}
func.func @philox() {
  %s = stablehlo.constant dense<[5, 18446744073709551614, 9]> : tensor<3xui64>
  %n0, %b0 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<ui32>)
  check.expect_eq_const %n0, dense<[5, 18446744073709551615, 9]> : tensor<3xui64>
  check.expect_eq_const %b0, dense<2867128389> : tensor<ui32>
  %n1, %b1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui32>)
  check.expect_eq_const %n1, dense<[5, 0, 10]> : tensor<3xui64>
  check.expect_eq_const %b1, dense<[2867128389, 2519467108, 2047060745, 3324461155, 4017057404]> : tensor<5xui32>
  %n2, %b2 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x4xui32>)
  check.expect_eq_const %n2, dense<[5, 1, 10]> : tensor<3xui64>
  check.expect_eq_const %b2, dense<[[2867128389, 2519467108, 2047060745, 3324461155], [4017057404, 1634864995, 201065378, 3840247100], [1292614439, 4135220703, 1812188716, 995924183]]> : tensor<3x4xui32>
  %n3, %b3 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x5xui32>)
  check.expect_eq_const %n3, dense<[5, 2, 10]> : tensor<3xui64>
  check.expect_eq_const %b3, dense<[[2867128389, 2519467108, 2047060745, 3324461155, 4017057404], [1634864995, 201065378, 3840247100, 1292614439, 4135220703], [1812188716, 995924183, 3068060845, 570772486, 695098662]]> : tensor<3x5xui32>
  %n4, %b4 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui8>)
  check.expect_eq_const %n4, dense<[5, 0, 10]> : tensor<3xui64>
  check.expect_eq_const %b4, dense<[69, 100, 9, 99, 124]> : tensor<5xui8>
  %n5, %b5 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x3xui64>)
  check.expect_eq_const %n5, dense<[5, 1, 10]> : tensor<3xui64>
  check.expect_eq_const %b5, dense<[[10821028835074828357, 14278451939594447625, 7021691690917260924], [16493735703259906978, 17760637682419743527, 4277461797092707884]]> : tensor<2x3xui64>
  %n6, %b6 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3xi16>)
  check.expect_eq_const %n6, dense<[5, 18446744073709551615, 9]> : tensor<3xui64>
  check.expect_eq_const %b6, dense<[59461, 1124, 43785]> : tensor<3xi16>
  %n7, %b7 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<0xui32>)
  check.expect_eq_const %n7, dense<[5, 18446744073709551614, 9]> : tensor<3xui64>
  check.expect_eq_const %b7, dense<> : tensor<0xui32>
  func.return
}
func.func @philox_of_a_short_state() {
  %s = stablehlo.constant dense<[5, 7]> : tensor<2xui64>
  %n0, %b0 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
  check.expect_eq_const %n0, dense<[5, 8]> : tensor<2xui64>
  check.expect_eq_const %b0, dense<1957188081> : tensor<ui32>
  %n1, %b1 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  check.expect_eq_const %n1, dense<[5, 9]> : tensor<2xui64>
  check.expect_eq_const %b1, dense<[1957188081, 3299040168, 2189429415, 2942269241, 4036186172]> : tensor<5xui32>
  %n2, %b2 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  check.expect_eq_const %n2, dense<[5, 10]> : tensor<2xui64>
  check.expect_eq_const %b2, dense<[[1957188081, 3299040168, 2189429415, 2942269241], [4036186172, 3451158193, 2458696665, 1733589896], [209387248, 2186151673, 3180873510, 1854507780]]> : tensor<3x4xui32>
  %n3, %b3 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  check.expect_eq_const %n3, dense<[5, 11]> : tensor<2xui64>
  check.expect_eq_const %b3, dense<[[1957188081, 3299040168, 2189429415, 2942269241, 4036186172], [3451158193, 2458696665, 1733589896, 209387248, 2186151673], [3180873510, 1854507780, 2571302373, 3977262027, 3432275908]]> : tensor<3x5xui32>
  %n4, %b4 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
  check.expect_eq_const %n4, dense<[5, 9]> : tensor<2xui64>
  check.expect_eq_const %b4, dense<[241, 168, 167, 57, 60]> : tensor<5xui8>
  %n5, %b5 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui64>)
  check.expect_eq_const %n5, dense<[5, 10]> : tensor<2xui64>
  check.expect_eq_const %b5, dense<[[14169269631707533809, 12636950168311171751, 14822611576293642300], [7445711910454737881, 9389449939840073456, 7965050268458436390]]> : tensor<2x3xui64>
  %n6, %b6 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xi16>)
  check.expect_eq_const %n6, dense<[5, 8]> : tensor<2xui64>
  check.expect_eq_const %b6, dense<[20977, 23464, 2727]> : tensor<3xi16>
  %n7, %b7 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui32>)
  check.expect_eq_const %n7, dense<[5, 7]> : tensor<2xui64>
  check.expect_eq_const %b7, dense<> : tensor<0xui32>
  func.return
}
func.func @threefry() {
  %s = stablehlo.constant dense<[5, 18446744073709551614]> : tensor<2xui64>
  %n0, %b0 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
  check.expect_eq_const %n0, dense<[5, 18446744073709551615]> : tensor<2xui64>
  check.expect_eq_const %b0, dense<1142532943> : tensor<ui32>
  %n1, %b1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  check.expect_eq_const %n1, dense<[5, 1]> : tensor<2xui64>
  check.expect_eq_const %b1, dense<[1142532943, 242479857, 3818595097, 1327100559, 1396233059]> : tensor<5xui32>
  %n2, %b2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  check.expect_eq_const %n2, dense<[5, 4]> : tensor<2xui64>
  check.expect_eq_const %b2, dense<[[1142532943, 242479857, 3818595097, 1327100559], [1396233059, 315918555, 2544891230, 2061267011], [349696651, 457712840, 2907045216, 1505917370]]> : tensor<3x4xui32>
  %n3, %b3 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  check.expect_eq_const %n3, dense<[5, 7]> : tensor<2xui64>
  check.expect_eq_const %b3, dense<[[1142532943, 242479857, 3818595097, 1327100559, 1396233059], [2544891230, 2061267011, 349696651, 457712840, 2907045216], [3356996319, 2185398230, 635358152, 2693205249, 2857746084]]> : tensor<3x5xui32>
  %n4, %b4 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
  check.expect_eq_const %n4, dense<[5, 1]> : tensor<2xui64>
  check.expect_eq_const %b4, dense<[79, 241, 25, 143, 99]> : tensor<5xui8>
  %n5, %b5 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui64>)
  check.expect_eq_const %n5, dense<[5, 4]> : tensor<2xui64>
  check.expect_eq_const %b5, dense<[[1041443056896289615, 5699853503226913561, 1356859863320810339], [8853074403113563486, 1965861679108977291, 6467865857535376736]]> : tensor<2x3xui64>
  %n6, %b6 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xi16>)
  check.expect_eq_const %n6, dense<[5, 0]> : tensor<2xui64>
  check.expect_eq_const %b6, dense<[43855, 62193, 8985]> : tensor<3xi16>
  %n7, %b7 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0xui32>)
  check.expect_eq_const %n7, dense<[5, 18446744073709551614]> : tensor<2xui64>
  check.expect_eq_const %b7, dense<> : tensor<0xui32>
  func.return
}
