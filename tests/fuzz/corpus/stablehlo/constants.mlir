func.func @constants() {
  %0 = stablehlo.constant dense<[[1, -2], [0x7F, 255]]> : tensor<2x2xi8>
  %1 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %2 = stablehlo.constant dense<"0x0000803F000000C0"> : tensor<2xf32>
  %3 = stablehlo.constant dense<[(1.0, 0x7FC00000), (-1.5e-3, 2.)]> : tensor<2xcomplex<f32>>
  %4 = stablehlo.constant dense<0xFF80> : tensor<100000x100000xbf16>
  %5 = stablehlo.constant dense<> : tensor<0x2xf64>
  %6 = stablehlo.constant dense<[1, -1, 7]> : tensor<3xi4>
  %7 = stablehlo.constant dense<"0x05"> : tensor<3xi1>
  %8 = stablehlo.constant dense<[0.1, 1.0e22, 123456789012345678901234567890.0]> : tensor<3xf64>
  %9 = stablehlo.constant dense<1.0> : tensor<2xf8E3M4>
  %10 = stablehlo.constant() <{value = dense<1> : tensor<2xi8>}> {x = [1, 2]} : () -> tensor<2xui8>
  %11 = stablehlo.constant dense<1> : tensor<0xui2>
  check.expect_eq_const %10, dense<1> : tensor<2xui8>
  check.expect_close %2, %2, max_ulp_difference = 3, min_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  return
}
