// Programs that check themselves: some are right, some are not, some cannot be.
func.func @right() {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi8>
  %1 = stablehlo.add %0, %0 : tensor<3xi8>
  check.expect_eq_const %1, dense<[2, 4, 6]> : tensor<3xi8>
  func.return
}

// -----

func.func @wrong() {
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %1 = stablehlo.add %0, %0 : tensor<2x2xi8>
  check.expect_eq_const %1, dense<[[2, 4], [6, 9]]> : tensor<2x2xi8>
  func.return
}

func.func @far() {
  %0 = stablehlo.constant dense<[1.0, 2.0, 0x7FC00000, 0x7F800000]> : tensor<4xf32>
  check.expect_almost_eq_const %0, dense<[1.0, 2.5, 0x7FC00000, 0x7F800000]> : tensor<4xf32>
  func.return
}

func.func @far_complex() {
  %0 = stablehlo.constant dense<[(1.0, 0.0), (2.0, -1.0)]> : tensor<2xcomplex<f64>>
  check.expect_eq_const %0, dense<[(1.0, -0.0), (2.0, 1.0)]> : tensor<2xcomplex<f64>>
  func.return
}

// -----

func.func @takes(%arg0: tensor<i32>) {
  check.expect_eq_const %arg0, dense<1> : tensor<i32>
  func.return
}

func.func @quantized() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:0>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<2x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2xf32>
  check.expect_eq_const %2, dense<[1.0, 2.0]> : tensor<2xf32>
  func.return
}

// -----

func.func @nothing() -> tensor<i32> {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  func.return %0 : tensor<i32>
}

// -----

func.func @unread() {
  %0 = stablehlo.constant dense<[1, 2] : tensor<2xi32>
  func.return
}
