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

// What is expected of @narrow is ten steps off; in float64 nobody can tell. 10 steps of float16 are too many for a rounding.
func.func @narrow() {
  %0 = stablehlo.constant dense<[0.1, 0x3F800000]> : tensor<2xf32>
  %1 = stablehlo.constant dense<"0xCDCC4C3E0000803F"> : tensor<2xf32>
  %2 = stablehlo.add %0, %1 : tensor<2xf32>
  %3 = stablehlo.constant dense<[0x3E9999A4, 2.0]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_close(%2, %3) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  func.return
}

func.func @wide() {
  %0 = stablehlo.constant dense<1.0> : tensor<f64>
  %1 = stablehlo.constant dense<0x3FF000000000000A> : tensor<f64>
  stablehlo.custom_call @check.expect_close(%0, %1) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
  func.return
}

func.func @off() {
  %0 = stablehlo.constant dense<1.0> : tensor<f16>
  %1 = stablehlo.constant dense<0x3C0A> : tensor<f16>
  stablehlo.custom_call @check.expect_eq(%1, %0) {has_side_effect = true} : (tensor<f16>, tensor<f16>) -> ()
  func.return
}

// -----

func.func @unread() {
  %0 = stablehlo.constant dense<[1, 2] : tensor<2xi32>
  func.return
}
