// SPDX-License-Identifier: Apache-2.0
// Elementwise operations of StableHLO and what their meaning says at the edges. Each function checks itself.
func.func @cbrt_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = stablehlo.cbrt %0 : tensor<5xf32>
  %w = stablehlo.constant dense<[7.93700526e-01, -9.085602964e-01, 1.077217345e+00, 1.44224957e+00, -1.25992105e+00]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @cbrt_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = stablehlo.cbrt %0 : tensor<5xf64>
  %w = stablehlo.constant dense<[7.93700525984099792e-01, -9.08560296416069835e-01, 1.07721734501594191e+00, 1.4422495703074083e+00, -1.25992104989487319e+00]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @cosine_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = stablehlo.cosine %0 : tensor<5xf32>
  %w = stablehlo.constant dense<[8.775825619e-01, 7.316888689e-01, 3.153223624e-01, -9.899924966e-01, -4.161468365e-01]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @cosine_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = stablehlo.cosine %0 : tensor<5xf64>
  %w = stablehlo.constant dense<[8.77582561890372759e-01, 7.31688868873820897e-01, 3.15322362395268674e-01, -9.89992496600445415e-01, -4.16146836547142407e-01]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @sine_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = stablehlo.sine %0 : tensor<5xf32>
  %w = stablehlo.constant dense<[4.794255386e-01, -6.8163876e-01, 9.489846194e-01, 1.411200081e-01, -9.092974268e-01]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @sine_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = stablehlo.sine %0 : tensor<5xf64>
  %w = stablehlo.constant dense<[4.79425538604203005e-01, -6.81638760023334123e-01, 9.48984619355586201e-01, 1.41120008059867214e-01, -9.09297426825681709e-01]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @exponential_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = stablehlo.exponential %0 : tensor<5xf32>
  %w = stablehlo.constant dense<[1.648721271e+00, 4.723665527e-01, 3.490342957e+00, 2.008553692e+01, 1.353352832e-01]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @exponential_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = stablehlo.exponential %0 : tensor<5xf64>
  %w = stablehlo.constant dense<[1.64872127070012819e+00, 4.72366552741014689e-01, 3.49034295746184142e+00, 2.00855369231876679e+01, 1.35335283236612702e-01]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @exponential_minus_one_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = stablehlo.exponential_minus_one %0 : tensor<5xf32>
  %w = stablehlo.constant dense<[6.487212707e-01, -5.276334473e-01, 2.490342957e+00, 1.908553692e+01, -8.646647168e-01]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @exponential_minus_one_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = stablehlo.exponential_minus_one %0 : tensor<5xf64>
  %w = stablehlo.constant dense<[6.48721270700128194e-01, -5.27633447258985311e-01, 2.49034295746184142e+00, 1.90855369231876679e+01, -8.64664716763387298e-01]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @log_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, 7.5e-01, 1.25e+00, 3.0e+00, 2.0e+01]> : tensor<5xf32>
  %1 = stablehlo.log %0 : tensor<5xf32>
  %w = stablehlo.constant dense<[-6.931471806e-01, -2.876820725e-01, 2.231435513e-01, 1.098612289e+00, 2.995732274e+00]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @log_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, 7.5e-01, 1.25e+00, 3.0e+00, 2.0e+01]> : tensor<5xf64>
  %1 = stablehlo.log %0 : tensor<5xf64>
  %w = stablehlo.constant dense<[-6.93147180559945286e-01, -2.87682072451780901e-01, 2.23143551314209765e-01, 1.09861228866810978e+00, 2.99573227355399085e+00]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @log_plus_one_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, 7.5e-01, 1.25e+00, 3.0e+00, 2.0e+01]> : tensor<5xf32>
  %1 = stablehlo.log_plus_one %0 : tensor<5xf32>
  %w = stablehlo.constant dense<[4.054651081e-01, 5.596157879e-01, 8.109302162e-01, 1.386294361e+00, 3.044522438e+00]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @log_plus_one_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, 7.5e-01, 1.25e+00, 3.0e+00, 2.0e+01]> : tensor<5xf64>
  %1 = stablehlo.log_plus_one %0 : tensor<5xf64>
  %w = stablehlo.constant dense<[4.05465108108164385e-01, 5.59615787935422659e-01, 8.1093021621632877e-01, 1.38629436111989057e+00, 3.04452243772342301e+00]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @logistic_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = stablehlo.logistic %0 : tensor<5xf32>
  %w = stablehlo.constant dense<[6.224593312e-01, 3.208213008e-01, 7.772998612e-01, 9.525741268e-01, 1.19202922e-01]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @logistic_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = stablehlo.logistic %0 : tensor<5xf64>
  %w = stablehlo.constant dense<[6.22459331201854593e-01, 3.20821300824607025e-01, 7.77299861174691187e-01, 9.52574126822433254e-01, 1.19202922022117561e-01]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @sqrt_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, 7.5e-01, 1.25e+00, 3.0e+00, 2.0e+01]> : tensor<5xf32>
  %1 = stablehlo.sqrt %0 : tensor<5xf32>
  %w = stablehlo.constant dense<[7.071067812e-01, 8.660254038e-01, 1.118033989e+00, 1.732050808e+00, 4.472135955e+00]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @sqrt_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, 7.5e-01, 1.25e+00, 3.0e+00, 2.0e+01]> : tensor<5xf64>
  %1 = stablehlo.sqrt %0 : tensor<5xf64>
  %w = stablehlo.constant dense<[7.07106781186547573e-01, 8.66025403784438597e-01, 1.1180339887498949e+00, 1.73205080756887719e+00, 4.47213595499957961e+00]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @rsqrt_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, 7.5e-01, 1.25e+00, 3.0e+00, 2.0e+01]> : tensor<5xf32>
  %1 = stablehlo.rsqrt %0 : tensor<5xf32>
  %w = stablehlo.constant dense<[1.414213562e+00, 1.154700538e+00, 8.94427191e-01, 5.773502692e-01, 2.236067977e-01]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @rsqrt_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, 7.5e-01, 1.25e+00, 3.0e+00, 2.0e+01]> : tensor<5xf64>
  %1 = stablehlo.rsqrt %0 : tensor<5xf64>
  %w = stablehlo.constant dense<[1.41421356237309515e+00, 1.15470053837925146e+00, 8.94427190999915855e-01, 5.77350269189625731e-01, 2.23606797749978964e-01]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @tan_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = stablehlo.tan %0 : tensor<5xf32>
  %w = stablehlo.constant dense<[5.463024898e-01, -9.315964599e-01, 3.009569674e+00, -1.425465431e-01, 2.185039863e+00]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @tan_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = stablehlo.tan %0 : tensor<5xf64>
  %w = stablehlo.constant dense<[5.46302489843790484e-01, -9.31596459944072475e-01, 3.00956967386283125e+00, -1.42546543074277804e-01, 2.18503986326151889e+00]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @tanh_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = stablehlo.tanh %0 : tensor<5xf32>
  %w = stablehlo.constant dense<[4.621171573e-01, -6.351489524e-01, 8.4828364e-01, 9.950547537e-01, -9.640275801e-01]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @tanh_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = stablehlo.tanh %0 : tensor<5xf64>
  %w = stablehlo.constant dense<[4.62117157260009737e-01, -6.35148952387287302e-01, 8.48283639957512881e-01, 9.95054753686730464e-01, -9.64027580075816903e-01]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @abs_f32() {
  %0 = stablehlo.constant dense<[-2.5e+00, -5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, -0.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  %1 = stablehlo.abs %0 : tensor<9xf32>
  check.expect_eq_const %1, dense<[2.5e+00, 5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, 0.0e+00, 0x7F800000, 0x7F800000, 0x7FC00000]> : tensor<9xf32>
  func.return
}
func.func @negate_f32() {
  %0 = stablehlo.constant dense<[-2.5e+00, -5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, -0.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  %1 = stablehlo.negate %0 : tensor<9xf32>
  check.expect_eq_const %1, dense<[2.5e+00, 5.0e-01, -5.0e-01, -1.5e+00, -2.5e+00, 0.0e+00, 0xFF800000, 0x7F800000, 0x7FC00000]> : tensor<9xf32>
  func.return
}
func.func @sign_f32() {
  %0 = stablehlo.constant dense<[-2.5e+00, -5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, -0.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  %1 = stablehlo.sign %0 : tensor<9xf32>
  check.expect_eq_const %1, dense<[-1.0e+00, -1.0e+00, 1.0e+00, 1.0e+00, 1.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 0x7FC00000]> : tensor<9xf32>
  func.return
}
func.func @ceil_f32() {
  %0 = stablehlo.constant dense<[-2.5e+00, -5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, -0.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  %1 = stablehlo.ceil %0 : tensor<9xf32>
  check.expect_eq_const %1, dense<[-2.0e+00, 0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 0.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  func.return
}
func.func @floor_f32() {
  %0 = stablehlo.constant dense<[-2.5e+00, -5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, -0.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  %1 = stablehlo.floor %0 : tensor<9xf32>
  check.expect_eq_const %1, dense<[-3.0e+00, -1.0e+00, 0.0e+00, 1.0e+00, 2.0e+00, 0.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  func.return
}
func.func @round_nearest_even_f32() {
  %0 = stablehlo.constant dense<[-2.5e+00, -5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, -0.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  %1 = stablehlo.round_nearest_even %0 : tensor<9xf32>
  check.expect_eq_const %1, dense<[-2.0e+00, 0.0e+00, 0.0e+00, 2.0e+00, 2.0e+00, 0.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  func.return
}
func.func @round_nearest_afz_f32() {
  %0 = stablehlo.constant dense<[-2.5e+00, -5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, -0.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  %1 = stablehlo.round_nearest_afz %0 : tensor<9xf32>
  check.expect_eq_const %1, dense<[-3.0e+00, -1.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, -0.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  func.return
}
func.func @is_finite_f32() {
  %0 = stablehlo.constant dense<[-2.5e+00, -5.0e-01, 5.0e-01, 1.5e+00, 2.5e+00, -0.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  %1 = stablehlo.is_finite %0 : (tensor<9xf32>) -> tensor<9xi1>
  check.expect_eq_const %1, dense<[true, true, true, true, true, true, false, false, false]> : tensor<9xi1>
  func.return
}
func.func @abs_i8() {
  %0 = stablehlo.constant dense<[-128, -3, 0, 7]> : tensor<4xi8>
  %1 = stablehlo.abs %0 : tensor<4xi8>
  check.expect_eq_const %1, dense<[-128, 3, 0, 7]> : tensor<4xi8>
  func.return
}
func.func @negate_i8() {
  %0 = stablehlo.constant dense<[-128, -3, 0, 127]> : tensor<4xi8>
  %1 = stablehlo.negate %0 : tensor<4xi8>
  check.expect_eq_const %1, dense<[-128, 3, 0, -127]> : tensor<4xi8>
  func.return
}
func.func @sign_i16() {
  %0 = stablehlo.constant dense<[-128, 0, 7]> : tensor<3xi16>
  %1 = stablehlo.sign %0 : tensor<3xi16>
  check.expect_eq_const %1, dense<[-1, 0, 1]> : tensor<3xi16>
  func.return
}
func.func @negate_ui8() {
  %0 = stablehlo.constant dense<[0, 1, 200]> : tensor<3xui8>
  %1 = stablehlo.negate %0 : tensor<3xui8>
  check.expect_eq_const %1, dense<[0, 255, 56]> : tensor<3xui8>
  func.return
}
func.func @popcnt_i8() {
  %0 = stablehlo.constant dense<[-1, 0, 7, -128]> : tensor<4xi8>
  %1 = stablehlo.popcnt %0 : tensor<4xi8>
  check.expect_eq_const %1, dense<[8, 0, 3, 1]> : tensor<4xi8>
  func.return
}
func.func @popcnt_ui64() {
  %0 = stablehlo.constant dense<[18446744073709551615, 5]> : tensor<2xui64>
  %1 = stablehlo.popcnt %0 : tensor<2xui64>
  check.expect_eq_const %1, dense<[64, 2]> : tensor<2xui64>
  func.return
}
func.func @count_leading_zeros_i16() {
  %0 = stablehlo.constant dense<[-1, 0, 7, 1]> : tensor<4xi16>
  %1 = stablehlo.count_leading_zeros %0 : tensor<4xi16>
  check.expect_eq_const %1, dense<[0, 16, 13, 15]> : tensor<4xi16>
  func.return
}
func.func @not_i8() {
  %0 = stablehlo.constant dense<[-1, 0, 7]> : tensor<3xi8>
  %1 = stablehlo.not %0 : tensor<3xi8>
  check.expect_eq_const %1, dense<[0, -1, -8]> : tensor<3xi8>
  func.return
}
func.func @not_i1() {
  %0 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %1 = stablehlo.not %0 : tensor<2xi1>
  check.expect_eq_const %1, dense<[false, true]> : tensor<2xi1>
  func.return
}
func.func @add_i8() {
  %0 = stablehlo.constant dense<[-128, 127, 7, -7, 5]> : tensor<5xi8>
  %1 = stablehlo.constant dense<[-1, 1, 2, 2, 0]> : tensor<5xi8>
  %2 = stablehlo.add %0, %1 : tensor<5xi8>
  check.expect_eq_const %2, dense<[127, -128, 9, -5, 5]> : tensor<5xi8>
  func.return
}
func.func @subtract_i8() {
  %0 = stablehlo.constant dense<[-128, 127, 7, -7, 5]> : tensor<5xi8>
  %1 = stablehlo.constant dense<[-1, 1, 2, 2, 0]> : tensor<5xi8>
  %2 = stablehlo.subtract %0, %1 : tensor<5xi8>
  check.expect_eq_const %2, dense<[-127, 126, 5, -9, 5]> : tensor<5xi8>
  func.return
}
func.func @multiply_i8() {
  %0 = stablehlo.constant dense<[-128, 127, 7, -7, 5]> : tensor<5xi8>
  %1 = stablehlo.constant dense<[-1, 1, 2, 2, 0]> : tensor<5xi8>
  %2 = stablehlo.multiply %0, %1 : tensor<5xi8>
  check.expect_eq_const %2, dense<[-128, 127, 14, -14, 0]> : tensor<5xi8>
  func.return
}
func.func @divide_i8() {
  %0 = stablehlo.constant dense<[-128, 127, 7, -7, 5]> : tensor<5xi8>
  %1 = stablehlo.constant dense<[-1, 1, 2, 2, 0]> : tensor<5xi8>
  %2 = stablehlo.divide %0, %1 : tensor<5xi8>
  check.expect_eq_const %2, dense<[-128, 127, 3, -3, -1]> : tensor<5xi8>
  func.return
}
func.func @remainder_i8() {
  %0 = stablehlo.constant dense<[-128, 127, 7, -7, 5]> : tensor<5xi8>
  %1 = stablehlo.constant dense<[-1, 1, 2, 2, 0]> : tensor<5xi8>
  %2 = stablehlo.remainder %0, %1 : tensor<5xi8>
  check.expect_eq_const %2, dense<[0, 0, 1, -1, 5]> : tensor<5xi8>
  func.return
}
func.func @maximum_i8() {
  %0 = stablehlo.constant dense<[-128, 127, 7, -7, 5]> : tensor<5xi8>
  %1 = stablehlo.constant dense<[-1, 1, 2, 2, 0]> : tensor<5xi8>
  %2 = stablehlo.maximum %0, %1 : tensor<5xi8>
  check.expect_eq_const %2, dense<[-1, 127, 7, 2, 5]> : tensor<5xi8>
  func.return
}
func.func @minimum_i8() {
  %0 = stablehlo.constant dense<[-128, 127, 7, -7, 5]> : tensor<5xi8>
  %1 = stablehlo.constant dense<[-1, 1, 2, 2, 0]> : tensor<5xi8>
  %2 = stablehlo.minimum %0, %1 : tensor<5xi8>
  check.expect_eq_const %2, dense<[-128, 1, 2, -7, 0]> : tensor<5xi8>
  func.return
}
func.func @and_i8() {
  %0 = stablehlo.constant dense<[-128, 127, 7, -7, 5]> : tensor<5xi8>
  %1 = stablehlo.constant dense<[-1, 1, 2, 2, 0]> : tensor<5xi8>
  %2 = stablehlo.and %0, %1 : tensor<5xi8>
  check.expect_eq_const %2, dense<[-128, 1, 2, 0, 0]> : tensor<5xi8>
  func.return
}
func.func @or_i8() {
  %0 = stablehlo.constant dense<[-128, 127, 7, -7, 5]> : tensor<5xi8>
  %1 = stablehlo.constant dense<[-1, 1, 2, 2, 0]> : tensor<5xi8>
  %2 = stablehlo.or %0, %1 : tensor<5xi8>
  check.expect_eq_const %2, dense<[-1, 127, 7, -5, 5]> : tensor<5xi8>
  func.return
}
func.func @xor_i8() {
  %0 = stablehlo.constant dense<[-128, 127, 7, -7, 5]> : tensor<5xi8>
  %1 = stablehlo.constant dense<[-1, 1, 2, 2, 0]> : tensor<5xi8>
  %2 = stablehlo.xor %0, %1 : tensor<5xi8>
  check.expect_eq_const %2, dense<[127, 126, 5, -5, 5]> : tensor<5xi8>
  func.return
}
func.func @add_i1() {
  %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %2 = stablehlo.add %0, %1 : tensor<4xi1>
  check.expect_eq_const %2, dense<[false, true, true, true]> : tensor<4xi1>
  func.return
}
func.func @multiply_i1() {
  %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %2 = stablehlo.multiply %0, %1 : tensor<4xi1>
  check.expect_eq_const %2, dense<[false, false, false, true]> : tensor<4xi1>
  func.return
}
func.func @maximum_i1() {
  %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %2 = stablehlo.maximum %0, %1 : tensor<4xi1>
  check.expect_eq_const %2, dense<[false, true, true, true]> : tensor<4xi1>
  func.return
}
func.func @minimum_i1() {
  %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %2 = stablehlo.minimum %0, %1 : tensor<4xi1>
  check.expect_eq_const %2, dense<[false, false, false, true]> : tensor<4xi1>
  func.return
}
func.func @and_i1() {
  %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %2 = stablehlo.and %0, %1 : tensor<4xi1>
  check.expect_eq_const %2, dense<[false, false, false, true]> : tensor<4xi1>
  func.return
}
func.func @or_i1() {
  %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %2 = stablehlo.or %0, %1 : tensor<4xi1>
  check.expect_eq_const %2, dense<[false, true, true, true]> : tensor<4xi1>
  func.return
}
func.func @xor_i1() {
  %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %2 = stablehlo.xor %0, %1 : tensor<4xi1>
  check.expect_eq_const %2, dense<[false, true, true, false]> : tensor<4xi1>
  func.return
}
func.func @shift_left_i8() {
  %0 = stablehlo.constant dense<[-128, -128, 3, -7, -7, 1]> : tensor<6xi8>
  %1 = stablehlo.constant dense<[0, 7, 1, 8, 100, -1]> : tensor<6xi8>
  %2 = stablehlo.shift_left %0, %1 : tensor<6xi8>
  check.expect_eq_const %2, dense<[-128, 0, 6, 0, 0, 0]> : tensor<6xi8>
  func.return
}
func.func @shift_right_arithmetic_i8() {
  %0 = stablehlo.constant dense<[-128, -128, 3, -7, -7, 1]> : tensor<6xi8>
  %1 = stablehlo.constant dense<[0, 7, 1, 8, 100, -1]> : tensor<6xi8>
  %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<6xi8>
  check.expect_eq_const %2, dense<[-128, -1, 1, -1, -1, 0]> : tensor<6xi8>
  func.return
}
func.func @shift_right_logical_i8() {
  %0 = stablehlo.constant dense<[-128, -128, 3, -7, -7, 1]> : tensor<6xi8>
  %1 = stablehlo.constant dense<[0, 7, 1, 8, 100, -1]> : tensor<6xi8>
  %2 = stablehlo.shift_right_logical %0, %1 : tensor<6xi8>
  check.expect_eq_const %2, dense<[-128, 1, 1, 0, 0, 0]> : tensor<6xi8>
  func.return
}
func.func @shift_right_arithmetic_ui8() {
  %0 = stablehlo.constant dense<[200, 200]> : tensor<2xui8>
  %1 = stablehlo.constant dense<[1, 9]> : tensor<2xui8>
  %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<2xui8>
  check.expect_eq_const %2, dense<[228, 255]> : tensor<2xui8>
  func.return
}
func.func @power_i32() {
  %0 = stablehlo.constant dense<[2, -3, 0, 2, 1, -1, -1]> : tensor<7xi32>
  %1 = stablehlo.constant dense<[5, 3, 0, -1, -5, -3, -2]> : tensor<7xi32>
  %2 = stablehlo.power %0, %1 : tensor<7xi32>
  check.expect_eq_const %2, dense<[32, -27, 1, 0, 1, -1, 1]> : tensor<7xi32>
  func.return
}
func.func @maximum_f32() {
  %0 = stablehlo.constant dense<[1.0e+00, -0.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0xFF800000, 0x7F800000]> : tensor<7xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 0x7FC00000, 0x7F800000, 0x7F800000]> : tensor<7xf32>
  %2 = stablehlo.maximum %0, %1 : tensor<7xf32>
  check.expect_eq_const %2, dense<[2.0e+00, 0.0e+00, 0.0e+00, 0x7FC00000, 0x7FC00000, 0x7F800000, 0x7F800000]> : tensor<7xf32>
  func.return
}
func.func @minimum_f32() {
  %0 = stablehlo.constant dense<[1.0e+00, -0.0e+00, 0.0e+00, 0x7FC00000, 1.0e+00, 0xFF800000, 0x7F800000]> : tensor<7xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 0.0e+00, -0.0e+00, 1.0e+00, 0x7FC00000, 0x7F800000, 0x7F800000]> : tensor<7xf32>
  %2 = stablehlo.minimum %0, %1 : tensor<7xf32>
  check.expect_eq_const %2, dense<[1.0e+00, 0.0e+00, 0.0e+00, 0x7FC00000, 0x7FC00000, 0xFF800000, 0x7F800000]> : tensor<7xf32>
  func.return
}
func.func @divide_f32() {
  %0 = stablehlo.constant dense<[1.0e+00, -1.0e+00, 0.0e+00, 6.0e+00]> : tensor<4xf32>
  %1 = stablehlo.constant dense<[0.0e+00, 0.0e+00, 0.0e+00, 4.0e+00]> : tensor<4xf32>
  %2 = stablehlo.divide %0, %1 : tensor<4xf32>
  check.expect_eq_const %2, dense<[0x7F800000, 0xFF800000, 0x7FC00000, 1.5e+00]> : tensor<4xf32>
  func.return
}
func.func @remainder_f32() {
  %0 = stablehlo.constant dense<[5.5e+00, -5.5e+00, 1.0e+00, 1.0e+00]> : tensor<4xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 2.0e+00, 0.0e+00, 0x7F800000]> : tensor<4xf32>
  %2 = stablehlo.remainder %0, %1 : tensor<4xf32>
  check.expect_eq_const %2, dense<[1.5e+00, -1.5e+00, 0x7FC00000, 1.0e+00]> : tensor<4xf32>
  func.return
}
func.func @power_f64() {
  %0 = stablehlo.constant dense<[2.0e+00, 0.0e+00, 0x7FF8000000000000, -8.0e+00, 1.0e+00, -2.0e+00]> : tensor<6xf64>
  %1 = stablehlo.constant dense<[5.0e-01, 0.0e+00, 0.0e+00, 3.33333333333333315e-01, 0x7FF8000000000000, 3.0e+00]> : tensor<6xf64>
  %2 = stablehlo.power %0, %1 : tensor<6xf64>
  %w = stablehlo.constant dense<[1.41421356237309515e+00, 1.0e+00, 1.0e+00, 0x7FF8000000000000, 1.0e+00, -8.0e+00]> : tensor<6xf64>
  stablehlo.custom_call @check.expect_close(%2, %w) : (tensor<6xf64>, tensor<6xf64>) -> ()
  func.return
}
func.func @atan2_f64() {
  %0 = stablehlo.constant dense<[1.0e+00, -1.0e+00, 0.0e+00, 0.0e+00]> : tensor<4xf64>
  %1 = stablehlo.constant dense<[1.0e+00, -2.0e+00, -1.0e+00, 0.0e+00]> : tensor<4xf64>
  %2 = stablehlo.atan2 %0, %1 : tensor<4xf64>
  %w = stablehlo.constant dense<[7.85398163397448279e-01, -2.67794504458898697e+00, 3.14159265358979312e+00, 0.0e+00]> : tensor<4xf64>
  stablehlo.custom_call @check.expect_close(%2, %w) : (tensor<4xf64>, tensor<4xf64>) -> ()
  func.return
}
func.func @compare_EQ_f32_float() {
  %0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 0x7FC00000, -0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 1.0e+00, 1.0e+00, 0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %2, dense<[false, false, false, true, false]> : tensor<5xi1>
  func.return
}
func.func @compare_NE_f32_float() {
  %0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 0x7FC00000, -0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 1.0e+00, 1.0e+00, 0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %2 = stablehlo.compare NE, %0, %1, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %2, dense<[true, true, true, false, true]> : tensor<5xi1>
  func.return
}
func.func @compare_LT_f32_float() {
  %0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 0x7FC00000, -0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 1.0e+00, 1.0e+00, 0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %2, dense<[true, false, false, false, false]> : tensor<5xi1>
  func.return
}
func.func @compare_LE_f32_float() {
  %0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 0x7FC00000, -0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 1.0e+00, 1.0e+00, 0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %2 = stablehlo.compare LE, %0, %1, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %2, dense<[true, false, false, true, false]> : tensor<5xi1>
  func.return
}
func.func @compare_GT_f32_float() {
  %0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 0x7FC00000, -0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 1.0e+00, 1.0e+00, 0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %2 = stablehlo.compare GT, %0, %1, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %2, dense<[false, true, false, false, false]> : tensor<5xi1>
  func.return
}
func.func @compare_GE_f32_float() {
  %0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 0x7FC00000, -0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 1.0e+00, 1.0e+00, 0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %2 = stablehlo.compare GE, %0, %1, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %2, dense<[false, true, false, true, false]> : tensor<5xi1>
  func.return
}
func.func @compare_EQ_f32_total() {
  %0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 0x7FC00000, -0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 1.0e+00, 1.0e+00, 0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %2 = stablehlo.compare EQ, %0, %1, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %2, dense<[false, false, false, false, true]> : tensor<5xi1>
  func.return
}
func.func @compare_NE_f32_total() {
  %0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 0x7FC00000, -0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 1.0e+00, 1.0e+00, 0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %2 = stablehlo.compare NE, %0, %1, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %2, dense<[true, true, true, true, false]> : tensor<5xi1>
  func.return
}
func.func @compare_LT_f32_total() {
  %0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 0x7FC00000, -0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 1.0e+00, 1.0e+00, 0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %2 = stablehlo.compare LT, %0, %1, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %2, dense<[true, false, false, true, false]> : tensor<5xi1>
  func.return
}
func.func @compare_LE_f32_total() {
  %0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 0x7FC00000, -0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 1.0e+00, 1.0e+00, 0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %2 = stablehlo.compare LE, %0, %1, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %2, dense<[true, false, false, true, true]> : tensor<5xi1>
  func.return
}
func.func @compare_GT_f32_total() {
  %0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 0x7FC00000, -0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 1.0e+00, 1.0e+00, 0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %2 = stablehlo.compare GT, %0, %1, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %2, dense<[false, true, true, false, false]> : tensor<5xi1>
  func.return
}
func.func @compare_GE_f32_total() {
  %0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 0x7FC00000, -0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %1 = stablehlo.constant dense<[2.0e+00, 1.0e+00, 1.0e+00, 0.0e+00, 0x7FC00000]> : tensor<5xf32>
  %2 = stablehlo.compare GE, %0, %1, TOTALORDER : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  check.expect_eq_const %2, dense<[false, true, true, false, true]> : tensor<5xi1>
  func.return
}
func.func @compare_EQ_i8_signed() {
  %0 = stablehlo.constant dense<[-128, 3, 5]> : tensor<3xi8>
  %1 = stablehlo.constant dense<[127, 3, -5]> : tensor<3xi8>
  %2 = stablehlo.compare EQ, %0, %1, SIGNED : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<[false, true, false]> : tensor<3xi1>
  func.return
}
func.func @compare_NE_i8_signed() {
  %0 = stablehlo.constant dense<[-128, 3, 5]> : tensor<3xi8>
  %1 = stablehlo.constant dense<[127, 3, -5]> : tensor<3xi8>
  %2 = stablehlo.compare NE, %0, %1, SIGNED : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<[true, false, true]> : tensor<3xi1>
  func.return
}
func.func @compare_LT_i8_signed() {
  %0 = stablehlo.constant dense<[-128, 3, 5]> : tensor<3xi8>
  %1 = stablehlo.constant dense<[127, 3, -5]> : tensor<3xi8>
  %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<[true, false, false]> : tensor<3xi1>
  func.return
}
func.func @compare_LE_i8_signed() {
  %0 = stablehlo.constant dense<[-128, 3, 5]> : tensor<3xi8>
  %1 = stablehlo.constant dense<[127, 3, -5]> : tensor<3xi8>
  %2 = stablehlo.compare LE, %0, %1, SIGNED : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<[true, true, false]> : tensor<3xi1>
  func.return
}
func.func @compare_GT_i8_signed() {
  %0 = stablehlo.constant dense<[-128, 3, 5]> : tensor<3xi8>
  %1 = stablehlo.constant dense<[127, 3, -5]> : tensor<3xi8>
  %2 = stablehlo.compare GT, %0, %1, SIGNED : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<[false, false, true]> : tensor<3xi1>
  func.return
}
func.func @compare_GE_i8_signed() {
  %0 = stablehlo.constant dense<[-128, 3, 5]> : tensor<3xi8>
  %1 = stablehlo.constant dense<[127, 3, -5]> : tensor<3xi8>
  %2 = stablehlo.compare GE, %0, %1, SIGNED : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<[false, true, true]> : tensor<3xi1>
  func.return
}
func.func @compare_EQ_ui8_unsigned() {
  %0 = stablehlo.constant dense<[200, 3, 5]> : tensor<3xui8>
  %1 = stablehlo.constant dense<[127, 3, 5]> : tensor<3xui8>
  %2 = stablehlo.compare EQ, %0, %1, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<[false, true, true]> : tensor<3xi1>
  func.return
}
func.func @compare_NE_ui8_unsigned() {
  %0 = stablehlo.constant dense<[200, 3, 5]> : tensor<3xui8>
  %1 = stablehlo.constant dense<[127, 3, 5]> : tensor<3xui8>
  %2 = stablehlo.compare NE, %0, %1, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<[true, false, false]> : tensor<3xi1>
  func.return
}
func.func @compare_LT_ui8_unsigned() {
  %0 = stablehlo.constant dense<[200, 3, 5]> : tensor<3xui8>
  %1 = stablehlo.constant dense<[127, 3, 5]> : tensor<3xui8>
  %2 = stablehlo.compare LT, %0, %1, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<[false, false, false]> : tensor<3xi1>
  func.return
}
func.func @compare_LE_ui8_unsigned() {
  %0 = stablehlo.constant dense<[200, 3, 5]> : tensor<3xui8>
  %1 = stablehlo.constant dense<[127, 3, 5]> : tensor<3xui8>
  %2 = stablehlo.compare LE, %0, %1, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<[false, true, true]> : tensor<3xi1>
  func.return
}
func.func @compare_GT_ui8_unsigned() {
  %0 = stablehlo.constant dense<[200, 3, 5]> : tensor<3xui8>
  %1 = stablehlo.constant dense<[127, 3, 5]> : tensor<3xui8>
  %2 = stablehlo.compare GT, %0, %1, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<[true, false, false]> : tensor<3xi1>
  func.return
}
func.func @compare_GE_ui8_unsigned() {
  %0 = stablehlo.constant dense<[200, 3, 5]> : tensor<3xui8>
  %1 = stablehlo.constant dense<[127, 3, 5]> : tensor<3xui8>
  %2 = stablehlo.compare GE, %0, %1, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<[true, true, true]> : tensor<3xi1>
  func.return
}
func.func @compare_LT_ui8_untyped() {
  %0 = stablehlo.constant dense<[200, 3, 5]> : tensor<3xui8>
  %1 = stablehlo.constant dense<[127, 3, 5]> : tensor<3xui8>
  %2 = stablehlo.compare LT, %0, %1 : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<[false, false, false]> : tensor<3xi1>
  func.return
}
func.func @compare_EQ_i1_unsigned() {
  %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %2 = stablehlo.compare EQ, %0, %1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %2, dense<[true, false, false, true]> : tensor<4xi1>
  func.return
}
func.func @compare_NE_i1_unsigned() {
  %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %2 = stablehlo.compare NE, %0, %1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %2, dense<[false, true, true, false]> : tensor<4xi1>
  func.return
}
func.func @compare_LT_i1_unsigned() {
  %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %2 = stablehlo.compare LT, %0, %1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %2, dense<[false, true, false, false]> : tensor<4xi1>
  func.return
}
func.func @compare_LE_i1_unsigned() {
  %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %2 = stablehlo.compare LE, %0, %1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %2, dense<[true, true, false, true]> : tensor<4xi1>
  func.return
}
func.func @compare_GT_i1_unsigned() {
  %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %2 = stablehlo.compare GT, %0, %1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %2, dense<[false, false, true, false]> : tensor<4xi1>
  func.return
}
func.func @compare_GE_i1_unsigned() {
  %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %2 = stablehlo.compare GE, %0, %1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  check.expect_eq_const %2, dense<[true, false, true, true]> : tensor<4xi1>
  func.return
}
func.func @convert_f32_i8() {
  %0 = stablehlo.constant dense<[-2.7e+00, 2.7e+00, 3.0e+02, -3.0e+02, 0x7FC00000, 0x7F800000]> : tensor<6xf32>
  %1 = stablehlo.convert %0 : (tensor<6xf32>) -> tensor<6xi8>
  check.expect_eq_const %1, dense<[-2, 2, 127, -128, 0, 127]> : tensor<6xi8>
  func.return
}
func.func @convert_f32_ui8() {
  %0 = stablehlo.constant dense<[-2.7e+00, 2.7e+00, 3.0e+02, 0x7FC00000]> : tensor<4xf32>
  %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xui8>
  check.expect_eq_const %1, dense<[0, 2, 255, 0]> : tensor<4xui8>
  func.return
}
func.func @convert_f64_i64() {
  %0 = stablehlo.constant dense<[1.00000000000000002e+30, -1.00000000000000002e+30]> : tensor<2xf64>
  %1 = stablehlo.convert %0 : (tensor<2xf64>) -> tensor<2xi64>
  check.expect_eq_const %1, dense<[9223372036854775807, -9223372036854775808]> : tensor<2xi64>
  func.return
}
func.func @convert_i32_ui8() {
  %0 = stablehlo.constant dense<[-1, 300, 255]> : tensor<3xi32>
  %1 = stablehlo.convert %0 : (tensor<3xi32>) -> tensor<3xui8>
  check.expect_eq_const %1, dense<[255, 44, 255]> : tensor<3xui8>
  func.return
}
func.func @convert_i32_i1() {
  %0 = stablehlo.constant dense<[0, 5, -1]> : tensor<3xi32>
  %1 = stablehlo.convert %0 : (tensor<3xi32>) -> tensor<3xi1>
  check.expect_eq_const %1, dense<[false, true, true]> : tensor<3xi1>
  func.return
}
func.func @convert_f32_i1() {
  %0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 5.0e-01, 0x7FC00000]> : tensor<4xf32>
  %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xi1>
  check.expect_eq_const %1, dense<[false, false, true, true]> : tensor<4xi1>
  func.return
}
func.func @convert_i1_f32() {
  %0 = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %1 = stablehlo.convert %0 : (tensor<2xi1>) -> tensor<2xf32>
  check.expect_eq_const %1, dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  func.return
}
func.func @convert_ui64_f32() {
  %0 = stablehlo.constant dense<[18446744073709551615]> : tensor<1xui64>
  %1 = stablehlo.convert %0 : (tensor<1xui64>) -> tensor<1xf32>
  check.expect_eq_const %1, dense<[1.844674407e+19]> : tensor<1xf32>
  func.return
}
func.func @convert_f64_f32() {
  %0 = stablehlo.constant dense<[1.00000000000000005e+300, -1.00000000000000003e-300, 1.10000000000000009e+00]> : tensor<3xf64>
  %1 = stablehlo.convert %0 : (tensor<3xf64>) -> tensor<3xf32>
  check.expect_eq_const %1, dense<[0x7F800000, -0.0e+00, 1.100000024e+00]> : tensor<3xf32>
  func.return
}
func.func @convert_f32_bf16() {
  %0 = stablehlo.constant dense<[1.00390625e+00, 1.01171875e+00]> : tensor<2xf32>
  %1 = stablehlo.convert %0 : (tensor<2xf32>) -> tensor<2xbf16>
  check.expect_eq_const %1, dense<[1.0e+00, 1.015625e+00]> : tensor<2xbf16>
  func.return
}
func.func @clamp_by_scalars() {
  %lo = stablehlo.constant dense<-1.0> : tensor<f32>
  %x = stablehlo.constant dense<[-5.0, 0.5, 7.0, 0x7FC00000]> : tensor<4xf32>
  %hi = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.clamp %lo, %x, %hi : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  check.expect_eq_const %0, dense<[-1.0, 0.5, 2.0, 0x7FC00000]> : tensor<4xf32>
  func.return
}
func.func @clamp_by_arrays() {
  %lo = stablehlo.constant dense<[0, 5, 9]> : tensor<3xi64>
  %x = stablehlo.constant dense<[-1, 7, 3]> : tensor<3xi64>
  %hi = stablehlo.constant dense<[4, 6, 2]> : tensor<3xi64>
  %0 = stablehlo.clamp %lo, %x, %hi : tensor<3xi64>
  check.expect_eq_const %0, dense<[0, 6, 2]> : tensor<3xi64>
  func.return
}
func.func @select_by_scalar() {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0 = stablehlo.select %p, %x, %y : tensor<i1>, tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 2]> : tensor<2xi32>
  func.return
}
func.func @select_by_array() {
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0 = stablehlo.select %p, %x, %y : tensor<2xi1>, tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 4]> : tensor<2xi32>
  func.return
}
func.func @reduce_precision() {
  %x = stablehlo.constant dense<[1.0009765625, 70000.0, 6.0e-8, -0.0]> : tensor<4xf32>
  %0 = stablehlo.reduce_precision %x, format = e5m10 : tensor<4xf32>
  check.expect_eq_const %0, dense<[1.0009765625, 0x7F800000, 0.0, -0.0]> : tensor<4xf32>
  %1 = stablehlo.reduce_precision %x, format = e8m2 : tensor<4xf32>
  check.expect_eq_const %1, dense<[1.0, 65536.0, 5.9604645e-8, -0.0]> : tensor<4xf32>
  func.return
}
func.func @complex_parts() {
  %a = stablehlo.constant dense<[1.0, -3.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %z = stablehlo.complex %a, %b : tensor<2xcomplex<f32>>
  %re = stablehlo.real %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %im = stablehlo.imag %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %abs = stablehlo.abs %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq_const %re, dense<[1.0, -3.0]> : tensor<2xf32>
  check.expect_eq_const %im, dense<[2.0, 4.0]> : tensor<2xf32>
  %wanted = stablehlo.constant dense<[2.236067977, 5.0]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_close(%abs, %wanted) : (tensor<2xf32>, tensor<2xf32>) -> ()
  %same = stablehlo.compare EQ, %z, %z, FLOAT : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  check.expect_eq_const %same, dense<true> : tensor<2xi1>
  func.return
}
func.func @complex_cbrt() {
  %z = stablehlo.constant dense<[(-8.0, 0.0), (0.0, 27.0), (0.0, 0.0)]> : tensor<3xcomplex<f64>>
  %0 = stablehlo.cbrt %z : tensor<3xcomplex<f64>>
  %re = stablehlo.real %0 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %im = stablehlo.imag %0 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  "check.expect_almost_eq_const"(%re) {value = dense<[1.0, 2.598076211353316, 0.0]> : tensor<3xf64>, tolerance = 1.0e-14 : f64} : (tensor<3xf64>) -> ()
  "check.expect_almost_eq_const"(%im) {value = dense<[1.7320508075688772, 1.5, 0.0]> : tensor<3xf64>, tolerance = 1.0e-14 : f64} : (tensor<3xf64>) -> ()
  func.return
}
func.func @complex_extremes() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (1.0, 5.0), (-1.0, 9.0)]> : tensor<3xcomplex<f32>>
  %y = stablehlo.constant dense<[(1.0, 3.0), (1.0, 5.0), (0.0, 0.0)]> : tensor<3xcomplex<f32>>
  %max = stablehlo.maximum %x, %y : tensor<3xcomplex<f32>>
  %min = stablehlo.minimum %x, %y : tensor<3xcomplex<f32>>
  %a = stablehlo.imag %max : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %b = stablehlo.imag %min : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  check.expect_eq_const %a, dense<[3.0, 5.0, 0.0]> : tensor<3xf32>
  check.expect_eq_const %b, dense<[2.0, 5.0, 9.0]> : tensor<3xf32>
  func.return
}
func.func @bitcast_of_equal_width() {
  %x = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[0x3F800000, 0xC0000000]> : tensor<2xi32>
  func.return
}
func.func @bitcast_to_narrower_and_back() {
  %x = stablehlo.constant dense<[0x01020304, 0x7F000080]> : tensor<2xui32>
  %0 = stablehlo.bitcast_convert %x : (tensor<2xui32>) -> tensor<2x4xui8>
  check.expect_eq_const %0, dense<[[4, 3, 2, 1], [128, 0, 0, 127]]> : tensor<2x4xui8>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x4xui8>) -> tensor<2xui32>
  check.expect_eq %1, %x : tensor<2xui32>
  func.return
}
func.func @bitcast_of_bits() {
  %x = stablehlo.constant dense<[[true, false, true, false, false, false, false, true]]> : tensor<1x8xi1>
  %0 = stablehlo.bitcast_convert %x : (tensor<1x8xi1>) -> tensor<1xi8>
  check.expect_eq_const %0, dense<[-123]> : tensor<1xi8>
  %1 = stablehlo.bitcast_convert %0 : (tensor<1xi8>) -> tensor<1x8xi1>
  check.expect_eq %1, %x : tensor<1x8xi1>
  func.return
}
func.func @map_of_a_region() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = stablehlo.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %0 = "stablehlo.map"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %s = stablehlo.multiply %a, %b : tensor<f32>
    %t = stablehlo.add %s, %one : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[6.0, 13.0], [22.0, 33.0]]> : tensor<2x2xf32>
  func.return
}
func.func @mhlo_is_an_alias() {
  %x = mhlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "mhlo.add"(%x, %x) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[2, 4]> : tensor<2xi32>
  func.return
}
