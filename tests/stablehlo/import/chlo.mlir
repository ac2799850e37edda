// SPDX-License-Identifier: Apache-2.0
// The CHLO dialect. Each function checks itself; values are those of multiple precision, rounded.
func.func @acos_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e-01, 9.0e-01, -3.0e-01]> : tensor<5xf32>
  %1 = chlo.acos %0 : tensor<5xf32> -> tensor<5xf32>
  %w = stablehlo.constant dense<[1.047197551e+00, 2.418858406e+00, 1.445468496e+00, 4.510268118e-01, 1.875488981e+00]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @acos_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e-01, 9.00000000000000022e-01, -2.99999999999999989e-01]> : tensor<5xf64>
  %1 = chlo.acos %0 : tensor<5xf64> -> tensor<5xf64>
  %w = stablehlo.constant dense<[1.04719755119659785e+00, 2.41885840577637756e+00, 1.44546849562683133e+00, 4.51026811796262361e-01, 1.87548898081029414e+00]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @acosh_f32() {
  %0 = stablehlo.constant dense<[1.25e+00, 3.0e+00, 2.0e+01]> : tensor<3xf32>
  %1 = chlo.acosh %0 : tensor<3xf32> -> tensor<3xf32>
  %w = stablehlo.constant dense<[6.931471806e-01, 1.762747174e+00, 3.688253867e+00]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<3xf32>, tensor<3xf32>) -> ()
  func.return
}
func.func @acosh_f64() {
  %0 = stablehlo.constant dense<[1.25e+00, 3.0e+00, 2.0e+01]> : tensor<3xf64>
  %1 = chlo.acosh %0 : tensor<3xf64> -> tensor<3xf64>
  %w = stablehlo.constant dense<[6.93147180559945286e-01, 1.7627471740390861e+00, 3.68825386736129657e+00]> : tensor<3xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<3xf64>, tensor<3xf64>) -> ()
  func.return
}
func.func @asin_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e-01, 9.0e-01, -3.0e-01]> : tensor<5xf32>
  %1 = chlo.asin %0 : tensor<5xf32> -> tensor<5xf32>
  %w = stablehlo.constant dense<[5.235987756e-01, -8.48062079e-01, 1.253278312e-01, 1.119769515e+00, -3.04692654e-01]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @asin_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e-01, 9.00000000000000022e-01, -2.99999999999999989e-01]> : tensor<5xf64>
  %1 = chlo.asin %0 : tensor<5xf64> -> tensor<5xf64>
  %w = stablehlo.constant dense<[5.23598775598298927e-01, -8.48062078981481005e-01, 1.25327831168065396e-01, 1.1197695149986342e+00, -3.04692654015397524e-01]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @asinh_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = chlo.asinh %0 : tensor<5xf32> -> tensor<5xf32>
  %w = stablehlo.constant dense<[4.812118251e-01, -6.931471806e-01, 1.047593013e+00, 1.818446459e+00, -1.443635475e+00]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @asinh_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = chlo.asinh %0 : tensor<5xf64> -> tensor<5xf64>
  %w = stablehlo.constant dense<[4.81211825059603471e-01, -6.93147180559945286e-01, 1.04759301264925875e+00, 1.81844645923206683e+00, -1.4436354751788103e+00]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @atan_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = chlo.atan %0 : tensor<5xf32> -> tensor<5xf32>
  %w = stablehlo.constant dense<[4.63647609e-01, -6.435011088e-01, 8.960553846e-01, 1.249045772e+00, -1.107148718e+00]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @atan_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = chlo.atan %0 : tensor<5xf64> -> tensor<5xf64>
  %w = stablehlo.constant dense<[4.63647609000806094e-01, -6.43501108793284371e-01, 8.96055384571343927e-01, 1.24904577239825443e+00, -1.10714871779409041e+00]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @atanh_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e-01, 9.0e-01, -3.0e-01]> : tensor<5xf32>
  %1 = chlo.atanh %0 : tensor<5xf32> -> tensor<5xf32>
  %w = stablehlo.constant dense<[5.493061443e-01, -9.729550745e-01, 1.256572141e-01, 1.47221949e+00, -3.095196042e-01]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @atanh_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e-01, 9.00000000000000022e-01, -2.99999999999999989e-01]> : tensor<5xf64>
  %1 = chlo.atanh %0 : tensor<5xf64> -> tensor<5xf64>
  %w = stablehlo.constant dense<[5.49306144334054891e-01, -9.72955074527656616e-01, 1.25657214140453027e-01, 1.47221948958322035e+00, -3.09519604203111698e-01]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @bessel_i1e_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 3.0e+00, 2.0e+01]> : tensor<4xf32>
  %1 = chlo.bessel_i1e %0 : tensor<4xf32> -> tensor<4xf32>
  %w = stablehlo.constant dense<[1.564208032e-01, -1.898877933e-01, 1.968267133e-01, 8.750622218e-02]> : tensor<4xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<4xf32>, tensor<4xf32>) -> ()
  func.return
}
func.func @bessel_i1e_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 3.0e+00, 2.0e+01]> : tensor<4xf64>
  %1 = chlo.bessel_i1e %0 : tensor<4xf64> -> tensor<4xf64>
  %w = stablehlo.constant dense<[1.56420803184871698e-01, -1.89887793304855029e-01, 1.96826713297300865e-01, 8.75062221832886705e-02]> : tensor<4xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<4xf64>, tensor<4xf64>) -> ()
  func.return
}
func.func @cosh_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = chlo.cosh %0 : tensor<5xf32> -> tensor<5xf32>
  %w = stablehlo.constant dense<[1.127625965e+00, 1.294683285e+00, 1.888423877e+00, 1.0067662e+01, 3.762195691e+00]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @cosh_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = chlo.cosh %0 : tensor<5xf64> -> tensor<5xf64>
  %w = stablehlo.constant dense<[1.1276259652063807e+00, 1.29468328467684479e+00, 1.88842387716101578e+00, 1.00676619957777653e+01, 3.76219569108363139e+00]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @digamma_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, 1.25e+00, 3.0e+00, 2.0e+01]> : tensor<4xf32>
  %1 = chlo.digamma %0 : tensor<4xf32> -> tensor<4xf32>
  %w = stablehlo.constant dense<[-1.963510026e+00, -2.274535334e-01, 9.227843351e-01, 2.970523992e+00]> : tensor<4xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<4xf32>, tensor<4xf32>) -> ()
  func.return
}
func.func @digamma_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, 1.25e+00, 3.0e+00, 2.0e+01]> : tensor<4xf64>
  %1 = chlo.digamma %0 : tensor<4xf64> -> tensor<4xf64>
  %w = stablehlo.constant dense<[-1.96351002602142355e+00, -2.27453533376265421e-01, 9.22784335098467134e-01, 2.97052399224214891e+00]> : tensor<4xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<4xf64>, tensor<4xf64>) -> ()
  func.return
}
func.func @erf_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = chlo.erf %0 : tensor<5xf32> -> tensor<5xf32>
  %w = stablehlo.constant dense<[5.204998778e-01, -7.111556337e-01, 9.229001283e-01, 9.999779095e-01, -9.95322265e-01]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @erf_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = chlo.erf %0 : tensor<5xf64> -> tensor<5xf64>
  %w = stablehlo.constant dense<[5.20499877813046519e-01, -7.11155633653515085e-01, 9.22900128256458285e-01, 9.99977909503001361e-01, -9.95322265018952712e-01]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @erfc_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00]> : tensor<4xf32>
  %1 = chlo.erfc %0 : tensor<4xf32> -> tensor<4xf32>
  %w = stablehlo.constant dense<[4.795001222e-01, 1.711155634e+00, 7.709987174e-02, 2.2090497e-05]> : tensor<4xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<4xf32>, tensor<4xf32>) -> ()
  func.return
}
func.func @erfc_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00]> : tensor<4xf64>
  %1 = chlo.erfc %0 : tensor<4xf64> -> tensor<4xf64>
  %w = stablehlo.constant dense<[4.79500122186953481e-01, 1.7111556336535152e+00, 7.70998717435417702e-02, 2.20904969985854412e-05]> : tensor<4xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<4xf64>, tensor<4xf64>) -> ()
  func.return
}
func.func @erf_inv_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e-01, 9.0e-01, -3.0e-01]> : tensor<5xf32>
  %1 = chlo.erf_inv %0 : tensor<5xf32> -> tensor<5xf32>
  %w = stablehlo.constant dense<[4.769362762e-01, -8.134198476e-01, 1.112354518e-01, 1.163087154e+00, -2.724627147e-01]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @erf_inv_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e-01, 9.00000000000000022e-01, -2.99999999999999989e-01]> : tensor<5xf64>
  %1 = chlo.erf_inv %0 : tensor<5xf64> -> tensor<5xf64>
  %w = stablehlo.constant dense<[4.76936276204469878e-01, -8.13419847597618539e-01, 1.11235451840949962e-01, 1.16308715367667426e+00, -2.72462714726754318e-01]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @lgamma_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, 1.25e+00, 3.0e+00, 2.0e+01]> : tensor<4xf32>
  %1 = chlo.lgamma %0 : tensor<4xf32> -> tensor<4xf32>
  %w = stablehlo.constant dense<[5.723649429e-01, -9.827183642e-02, 6.931471806e-01, 3.933988419e+01]> : tensor<4xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<4xf32>, tensor<4xf32>) -> ()
  func.return
}
func.func @lgamma_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, 1.25e+00, 3.0e+00, 2.0e+01]> : tensor<4xf64>
  %1 = chlo.lgamma %0 : tensor<4xf64> -> tensor<4xf64>
  %w = stablehlo.constant dense<[5.72364942924700082e-01, -9.82718364218131551e-02, 6.93147180559945286e-01, 3.93398841871994946e+01]> : tensor<4xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<4xf64>, tensor<4xf64>) -> ()
  func.return
}
func.func @sinh_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = chlo.sinh %0 : tensor<5xf32> -> tensor<5xf32>
  %w = stablehlo.constant dense<[5.210953055e-01, -8.223167319e-01, 1.60191908e+00, 1.001787493e+01, -3.626860408e+00]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @sinh_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = chlo.sinh %0 : tensor<5xf64> -> tensor<5xf64>
  %w = stablehlo.constant dense<[5.21095305493747385e-01, -8.22316731935829992e-01, 1.60191908030082564e+00, 1.00178749274099026e+01, -3.62686040784701857e+00]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @tan_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = chlo.tan %0 : tensor<5xf32> -> tensor<5xf32>
  %w = stablehlo.constant dense<[5.463024898e-01, -9.315964599e-01, 3.009569674e+00, -1.425465431e-01, 2.185039863e+00]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @tan_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = chlo.tan %0 : tensor<5xf64> -> tensor<5xf64>
  %w = stablehlo.constant dense<[5.46302489843790484e-01, -9.31596459944072475e-01, 3.00956967386283125e+00, -1.42546543074277804e-01, 2.18503986326151889e+00]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @square_f32() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf32>
  %1 = chlo.square %0 : tensor<5xf32> -> tensor<5xf32>
  %w = stablehlo.constant dense<[2.5e-01, 5.625e-01, 1.5625e+00, 9.0e+00, 4.0e+00]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @square_f64() {
  %0 = stablehlo.constant dense<[5.0e-01, -7.5e-01, 1.25e+00, 3.0e+00, -2.0e+00]> : tensor<5xf64>
  %1 = chlo.square %0 : tensor<5xf64> -> tensor<5xf64>
  %w = stablehlo.constant dense<[2.5e-01, 5.625e-01, 1.5625e+00, 9.0e+00, 4.0e+00]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%1, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @is_inf() {
  %0 = stablehlo.constant dense<[1.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %1 = chlo.is_inf %0 : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %1, dense<[false, true, true, false]> : tensor<4xi1>
  func.return
}
func.func @is_pos_inf() {
  %0 = stablehlo.constant dense<[1.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %1 = chlo.is_pos_inf %0 : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %1, dense<[false, true, false, false]> : tensor<4xi1>
  func.return
}
func.func @is_neg_inf() {
  %0 = stablehlo.constant dense<[1.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %1 = chlo.is_neg_inf %0 : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %1, dense<[false, false, true, false]> : tensor<4xi1>
  func.return
}
func.func @next_after_f32() {
  %0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, -1.0e+00, 0x7FC00000]> : tensor<4xf32>
  %1 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 0.0e+00, 0.0e+00]> : tensor<4xf32>
  %2 = chlo.next_after %0, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  check.expect_eq_const %2, dense<[1.401298464e-45, 1.000000119e+00, -9.999999404e-01, 0x7FC00000]> : tensor<4xf32>
  func.return
}
func.func @zeta_f32() {
  %0 = stablehlo.constant dense<[2.0e+00, 1.5e+00, 1.0e+01, 1.100000024e+00, 3.0e+00]> : tensor<5xf32>
  %1 = stablehlo.constant dense<[1.0e+00, 5.0e-01, 2.0e+01, 7.0e+00, 2.5e+00]> : tensor<5xf32>
  %2 = chlo.zeta %0, %1 : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
  %w = stablehlo.constant dense<[1.644934067e+00, 4.776537948e+00, 2.698888836e-13, 8.29204471e+00, 1.181020258e-01]> : tensor<5xf32>
  stablehlo.custom_call @check.expect_close(%2, %w) : (tensor<5xf32>, tensor<5xf32>) -> ()
  func.return
}
func.func @zeta_f64() {
  %0 = stablehlo.constant dense<[2.0e+00, 1.5e+00, 1.0e+01, 1.10000000000000009e+00, 3.0e+00]> : tensor<5xf64>
  %1 = stablehlo.constant dense<[1.0e+00, 5.0e-01, 2.0e+01, 7.0e+00, 2.5e+00]> : tensor<5xf64>
  %2 = chlo.zeta %0, %1 : tensor<5xf64>, tensor<5xf64> -> tensor<5xf64>
  %w = stablehlo.constant dense<[1.64493406684822641e+00, 4.77653794755483307e+00, 2.69888883625402291e-13, 8.29204705689429922e+00, 1.18102025820863696e-01]> : tensor<5xf64>
  stablehlo.custom_call @check.expect_close(%2, %w) : (tensor<5xf64>, tensor<5xf64>) -> ()
  func.return
}
func.func @zeta_at_the_edges() {
  %0 = stablehlo.constant dense<[1.0e+00, 5.0e-01, 2.0e+00, 3.0e+00, 2.5e+00, 2.0e+00]> : tensor<6xf64>
  %1 = stablehlo.constant dense<[2.0e+00, 2.0e+00, 0.0e+00, -1.0e+00, -5.0e-01, -5.0e-01]> : tensor<6xf64>
  %2 = chlo.zeta %0, %1 : tensor<6xf64>, tensor<6xf64> -> tensor<6xf64>
  %w = stablehlo.constant dense<[0x7FF0000000000000, 0x7FF8000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000, 8.934802200544679e+00]> : tensor<6xf64>
  stablehlo.custom_call @check.expect_close(%2, %w) : (tensor<6xf64>, tensor<6xf64>) -> ()
  func.return
}
func.func @polygamma_f64() {
  %0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00, 5.0e+00, 1.0e+00, 1.5e+00, -1.0e+00]> : tensor<7xf64>
  %1 = stablehlo.constant dense<[2.5e+00, 5.0e-01, 3.0e+00, 1.25e+00, 1.0e+02, 1.0e+00, 1.0e+00]> : tensor<7xf64>
  %2 = chlo.polygamma %0, %1 : tensor<7xf64>, tensor<7xf64> -> tensor<7xf64>
  %w = stablehlo.constant dense<[7.03156640645243192e-01, 4.934802200544679e+00, -1.54113806319188584e-01, 3.25137676812920446e+01, 1.00501666633335714e-02, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<7xf64>
  stablehlo.custom_call @check.expect_close(%2, %w) : (tensor<7xf64>, tensor<7xf64>) -> ()
  func.return
}
func.func @conj() {
  %x = stablehlo.constant dense<[(1.0, 2.0), (-3.0, -4.0)]> : tensor<2xcomplex<f32>>
  %0 = chlo.conj %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %1 = stablehlo.imag %0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq_const %1, dense<[-2.0, 4.0]> : tensor<2xf32>
  func.return
}
func.func @top_k() {
  %x = stablehlo.constant dense<[[1.0, 5.0, 3.0, 5.0], [0x7FC00000, -1.0, 0.0, 2.0]]> : tensor<2x4xf32>
  %0, %1 = chlo.top_k(%x, k = 2) : tensor<2x4xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %0, dense<[[5.0, 5.0], [0x7FC00000, 2.0]]> : tensor<2x2xf32>
  check.expect_eq_const %1, dense<[[1, 3], [0, 3]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[-0.0, 0.0, 1.0, 1.0, 0.0, -0.0, 0x7E00, 0xFE00, -2.0]> : tensor<9xf16>
  %2, %3 = chlo.top_k(%y, k = 9) : tensor<9xf16> -> (tensor<9xf16>, tensor<9xi32>)
  %4 = stablehlo.bitcast_convert %2 : (tensor<9xf16>) -> tensor<9xui16>
  check.expect_eq_const %4, dense<[0x7E00, 0x3C00, 0x3C00, 0, 0, 0x8000, 0x8000, 0xC000, 0xFE00]> : tensor<9xui16>
  check.expect_eq_const %3, dense<[6, 2, 3, 1, 4, 0, 5, 8, 7]> : tensor<9xi32>
  func.return
}
func.func @constants() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = "chlo.constant_like"(%x) {value = 3.5 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %0, dense<3.5> : tensor<2xf32>
  %1 = "chlo.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
  check.expect_eq_const %1, dense<7> : tensor<i32>
  func.return
}
func.func @mulhi() {
  %x = stablehlo.constant dense<[2147483647, -2147483648, 3]> : tensor<3xi32>
  %0 = "chlo.mulhi"(%x, %x) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[1073741823, 1073741824, 0]> : tensor<3xi32>
  %z = stablehlo.constant dense<[9223372036854775807, -9223372036854775808, -3, 5]> : tensor<4xi64>
  %w = stablehlo.constant dense<[-2, -9223372036854775808, 7, 1]> : tensor<4xi64>
  %2 = "chlo.mulhi"(%z, %w) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  check.expect_eq_const %2, dense<[-1, 4611686018427387904, -1, 0]> : tensor<4xi64>
  %u = stablehlo.constant dense<[18446744073709551615, 12297829382473034411]> : tensor<2xui64>
  %3 = "chlo.mulhi"(%u, %u) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
  check.expect_eq_const %3, dense<[18446744073709551614, 8198552921648689607]> : tensor<2xui64>
  %y = stablehlo.constant dense<[4294967295, 65536]> : tensor<2xui32>
  %1 = "chlo.mulhi"(%y, %y) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
  check.expect_eq_const %1, dense<[4294967294, 1]> : tensor<2xui32>
  func.return
}
func.func @implicit_broadcasting() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %c = stablehlo.constant dense<[[100], [200]]> : tensor<2x1xi32>
  %z = stablehlo.constant dense<4> : tensor<i32>
  %0 = "chlo.broadcast_add"(%x, %y) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[11, 22, 33], [14, 25, 36]]> : tensor<2x3xi32>
  %1 = "chlo.broadcast_multiply"(%y, %c) : (tensor<3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %1, dense<[[1000, 2000, 3000], [2000, 4000, 6000]]> : tensor<2x3xi32>
  %r = stablehlo.constant dense<[100, 200]> : tensor<2xi32>
  %2 = "chlo.broadcast_subtract"(%r, %x) {broadcast_dimensions = array<i64: 0>} : (tensor<2xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %2, dense<[[99, 98, 97], [196, 195, 194]]> : tensor<2x3xi32>
  %3 = "chlo.broadcast_compare"(%x, %z) {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi1>
  check.expect_eq_const %3, dense<[[true, true, true], [false, false, false]]> : tensor<2x3xi1>
  %4 = "chlo.broadcast_select"(%3, %y, %z) : (tensor<2x3xi1>, tensor<3xi32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %4, dense<[[10, 20, 30], [4, 4, 4]]> : tensor<2x3xi32>
  %f = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %g = stablehlo.constant dense<2.0> : tensor<f64>
  %5 = "chlo.broadcast_polygamma"(%f, %g) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  %w = stablehlo.constant dense<[0.64493406684822643647, -0.40411380631918857]> : tensor<2xf64>
  stablehlo.custom_call @check.expect_close(%5, %w) : (tensor<2xf64>, tensor<2xf64>) -> ()
  func.return
}
