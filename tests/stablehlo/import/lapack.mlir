// SPDX-License-Identifier: Apache-2.0
// Custom calls of LAPACK, as JAX makes them. Each function checks itself, by values or by multiplying back.
func.func @potrf() {
  %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 10.0]]> : tensor<2x2xf32>
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<[[2.0, 2.0], [1.0, 3.0]]> : tensor<2x2xf32>
  check.expect_eq_const %0#1, dense<0> : tensor<i32>
  %b = stablehlo.constant dense<[[[1.0, 2.0], [2.0, 5.0]], [[1.0, 2.0], [2.0, 3.0]]]> : tensor<2x2x2xf64>
  %1:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%b) {mhlo.backend_config = {uplo = 85 : ui8}} : (tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2xi32>)
  %first = stablehlo.slice %1#0 [0:1, 0:2, 0:2] : (tensor<2x2x2xf64>) -> tensor<1x2x2xf64>
  check.expect_eq_const %first, dense<[[[1.0, 2.0], [2.0, 1.0]]]> : tensor<1x2x2xf64>
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %bad = stablehlo.compare GT, %1#1, %zero, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  check.expect_eq_const %bad, dense<[false, true]> : tensor<2xi1>
  func.return
}
func.func @getrf() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [4.0, 4.0], [2.0, 6.0]]> : tensor<3x2xf32>
  %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xi32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<[[4.0, 4.0], [0.5, 4.0], [0.25, 0.25]]> : tensor<3x2xf32>
  check.expect_eq_const %0#1, dense<[2, 3]> : tensor<2xi32>
  check.expect_eq_const %0#2, dense<0> : tensor<i32>
  %b = stablehlo.constant dense<[[1.0, 2.0], [2.0, 4.0]]> : tensor<2x2xf32>
  %1:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%b) {mhlo.backend_config = {}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi32>, tensor<i32>)
  check.expect_eq_const %1#2, dense<2> : tensor<i32>
  %i = stablehlo.subtract %0#1, %0#1 : tensor<2xi32>
  %2 = stablehlo.custom_call @cu_lu_pivots_to_permutation(%i) : (tensor<2xi32>) -> tensor<3xi32>
  check.expect_eq_const %2, dense<[1, 0, 2]> : tensor<3xi32>
  func.return
}
func.func @trsm() {
  %a = stablehlo.constant dense<[[2.0, 7.0], [1.0, 4.0]]> : tensor<2x2xf64>
  %b = stablehlo.constant dense<[[2.0, 4.0], [9.0, 6.0]]> : tensor<2x2xf64>
  %0 = stablehlo.custom_call @lapack_dtrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  check.expect_eq_const %0, dense<[[1.0, 2.0], [2.0, 1.0]]> : tensor<2x2xf64>
  %1 = stablehlo.custom_call @lapack_dtrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  check.expect_eq_const %1, dense<[[-26.0, 4.0], [-33.0, 6.0]]> : tensor<2x2xf64>
  func.return
}
func.func @qr_s() {
  %v = stablehlo.iota dim = 0 : tensor<24xf32>
  %w = stablehlo.sine %v : tensor<24xf32>
  %a = stablehlo.reshape %w : (tensor<24xf32>) -> tensor<2x4x3xf32>
  %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xf32>)
  %h = stablehlo.slice %0#0 [0:2, 0:4, 0:3] : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %q = stablehlo.custom_call @lapack_sorgqr_ffi(%h, %0#1) {mhlo.backend_config = {}} : (tensor<2x4x3xf32>, tensor<2x3xf32>) -> tensor<2x4x3xf32>
  %u = stablehlo.slice %0#0 [0:2, 0:3, 0:3] : (tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
  %i = stablehlo.iota dim = 1 : tensor<2x3x3xi32>
  %j = stablehlo.iota dim = 2 : tensor<2x3x3xi32>
  %p = stablehlo.compare LE, %i, %j, SIGNED : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> tensor<2x3x3xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<2x3x3xf32>
  %r = stablehlo.select %p, %u, %zero : tensor<2x3x3xi1>, tensor<2x3x3xf32>
  %b = stablehlo.dot_general %q, %r, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x3xf32>, tensor<2x3x3xf32>) -> tensor<2x4x3xf32>
  %d = stablehlo.subtract %b, %a : tensor<2x4x3xf32>
  %e = stablehlo.abs %d : tensor<2x4x3xf32>
  "check.expect_almost_eq_const"(%e) {value = dense<0.0> : tensor<2x4x3xf32>, tolerance = 1.0e-5 : f64} : (tensor<2x4x3xf32>) -> ()
  func.return
}
func.func @qr_d() {
  %v = stablehlo.iota dim = 0 : tensor<24xf64>
  %w = stablehlo.sine %v : tensor<24xf64>
  %a = stablehlo.reshape %w : (tensor<24xf64>) -> tensor<2x3x4xf64>
  %0:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xf64>)
  %h = stablehlo.slice %0#0 [0:2, 0:3, 0:3] : (tensor<2x3x4xf64>) -> tensor<2x3x3xf64>
  %q = stablehlo.custom_call @lapack_dorgqr_ffi(%h, %0#1) {mhlo.backend_config = {}} : (tensor<2x3x3xf64>, tensor<2x3xf64>) -> tensor<2x3x3xf64>
  %u = stablehlo.slice %0#0 [0:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  %i = stablehlo.iota dim = 1 : tensor<2x3x4xi32>
  %j = stablehlo.iota dim = 2 : tensor<2x3x4xi32>
  %p = stablehlo.compare LE, %i, %j, SIGNED : (tensor<2x3x4xi32>, tensor<2x3x4xi32>) -> tensor<2x3x4xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<2x3x4xf64>
  %r = stablehlo.select %p, %u, %zero : tensor<2x3x4xi1>, tensor<2x3x4xf64>
  %b = stablehlo.dot_general %q, %r, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x3xf64>, tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  %d = stablehlo.subtract %b, %a : tensor<2x3x4xf64>
  %e = stablehlo.abs %d : tensor<2x3x4xf64>
  "check.expect_almost_eq_const"(%e) {value = dense<0.0> : tensor<2x3x4xf64>, tolerance = 1.0e-13 : f64} : (tensor<2x3x4xf64>) -> ()
  func.return
}
func.func @qr_z() {
  %v = stablehlo.iota dim = 0 : tensor<24xf64>
  %w = stablehlo.sine %v : tensor<24xf64>
  %y = stablehlo.cosine %v : tensor<24xf64>
  %z = stablehlo.complex %w, %y : tensor<24xcomplex<f64>>
  %a = stablehlo.reshape %z : (tensor<24xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
  %0:2 = stablehlo.custom_call @lapack_zgeqrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<2x4x3xcomplex<f64>>) -> (tensor<2x4x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>)
  %h = stablehlo.slice %0#0 [0:2, 0:4, 0:3] : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
  %q = stablehlo.custom_call @lapack_zungqr_ffi(%h, %0#1) {mhlo.backend_config = {}} : (tensor<2x4x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
  %u = stablehlo.slice %0#0 [0:2, 0:3, 0:3] : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x3x3xcomplex<f64>>
  %i = stablehlo.iota dim = 1 : tensor<2x3x3xi32>
  %j = stablehlo.iota dim = 2 : tensor<2x3x3xi32>
  %p = stablehlo.compare LE, %i, %j, SIGNED : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> tensor<2x3x3xi1>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<2x3x3xcomplex<f64>>
  %r = stablehlo.select %p, %u, %zero : tensor<2x3x3xi1>, tensor<2x3x3xcomplex<f64>>
  %b = stablehlo.dot_general %q, %r, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x3xcomplex<f64>>, tensor<2x3x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
  %d = stablehlo.subtract %b, %a : tensor<2x4x3xcomplex<f64>>
  %e = stablehlo.abs %d : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xf64>
  "check.expect_almost_eq_const"(%e) {value = dense<0.0> : tensor<2x4x3xf64>, tolerance = 1.0e-13 : f64} : (tensor<2x4x3xf64>) -> ()
  func.return
}
func.func @qr_c() {
  %v = stablehlo.iota dim = 0 : tensor<18xf32>
  %w = stablehlo.sine %v : tensor<18xf32>
  %y = stablehlo.cosine %v : tensor<18xf32>
  %z = stablehlo.complex %w, %y : tensor<18xcomplex<f32>>
  %a = stablehlo.reshape %z : (tensor<18xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
  %0:2 = stablehlo.custom_call @lapack_cgeqrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>)
  %h = stablehlo.slice %0#0 [0:2, 0:3, 0:3] : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
  %q = stablehlo.custom_call @lapack_cungqr_ffi(%h, %0#1) {mhlo.backend_config = {}} : (tensor<2x3x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
  %u = stablehlo.slice %0#0 [0:2, 0:3, 0:3] : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
  %i = stablehlo.iota dim = 1 : tensor<2x3x3xi32>
  %j = stablehlo.iota dim = 2 : tensor<2x3x3xi32>
  %p = stablehlo.compare LE, %i, %j, SIGNED : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> tensor<2x3x3xi1>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<2x3x3xcomplex<f32>>
  %r = stablehlo.select %p, %u, %zero : tensor<2x3x3xi1>, tensor<2x3x3xcomplex<f32>>
  %b = stablehlo.dot_general %q, %r, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
  %d = stablehlo.subtract %b, %a : tensor<2x3x3xcomplex<f32>>
  %e = stablehlo.abs %d : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
  "check.expect_almost_eq_const"(%e) {value = dense<0.0> : tensor<2x3x3xf32>, tolerance = 1.0e-5 : f64} : (tensor<2x3x3xf32>) -> ()
  func.return
}
func.func @orgqr_of_many_columns() {
  %a = stablehlo.constant dense<[[5.0, 1.0, 2.0], [0.5, 7.0, 3.0], [0.0, 0.25, 9.0]]> : tensor<3x3xf64>
  %t = stablehlo.constant dense<[1.6, 1.8823529411764706]> : tensor<2xf64>
  %q = stablehlo.custom_call @lapack_dorgqr_ffi(%a, %t) {mhlo.backend_config = {}} : (tensor<3x3xf64>, tensor<2xf64>) -> tensor<3x3xf64>
  %g = stablehlo.dot_general %q, %q, contracting_dims = [0] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  "check.expect_almost_eq_const"(%g) {value = dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>, tolerance = 1.0e-14 : f64} : (tensor<3x3xf64>) -> ()
  %c = stablehlo.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf64>
  %qc = stablehlo.dot_general %q, %c, contracting_dims = [1] x [0] : (tensor<3x3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  %0 = stablehlo.custom_call @lapack_dormqr_ffi(%a, %t, %c) {mhlo.backend_config = {left = true, transpose = false}} : (tensor<3x3xf64>, tensor<2xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  "check.expect_almost_eq"(%0, %qc) {tolerance = 1.0e-14 : f64} : (tensor<3x1xf64>, tensor<3x1xf64>) -> ()
  %back = stablehlo.custom_call @lapack_dormqr_ffi(%a, %t, %0) {mhlo.backend_config = {left = true, transpose = true}} : (tensor<3x3xf64>, tensor<2xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  "check.expect_almost_eq"(%back, %c) {tolerance = 1.0e-14 : f64} : (tensor<3x1xf64>, tensor<3x1xf64>) -> ()
  %r = stablehlo.reshape %c : (tensor<3x1xf64>) -> tensor<1x3xf64>
  %1 = stablehlo.custom_call @lapack_dormqr_ffi(%a, %t, %r) {mhlo.backend_config = {left = false, transpose = true}} : (tensor<3x3xf64>, tensor<2xf64>, tensor<1x3xf64>) -> tensor<1x3xf64>
  %2 = stablehlo.reshape %1 : (tensor<1x3xf64>) -> tensor<3x1xf64>
  "check.expect_almost_eq"(%2, %qc) {tolerance = 1.0e-14 : f64} : (tensor<3x1xf64>, tensor<3x1xf64>) -> ()
  func.return
}
func.func @syevd() {
  %a = stablehlo.constant dense<[[[2.0, 9.0], [1.0, 2.0]], [[5.0, 9.0], [0.0, -1.0]]]> : tensor<2x2x2xf64>
  %0:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2x2xf64>, tensor<2xi32>)
  "check.expect_almost_eq_const"(%0#1) {value = dense<[[1.0, 3.0], [-1.0, 5.0]]> : tensor<2x2xf64>, tolerance = 1.0e-14 : f64} : (tensor<2x2xf64>) -> ()
  check.expect_eq_const %0#2, dense<0> : tensor<2xi32>
  %v = stablehlo.abs %0#0 : tensor<2x2x2xf64>
  "check.expect_almost_eq_const"(%v) {value = dense<[[[0.70710678118654757, 0.70710678118654757], [0.70710678118654757, 0.70710678118654757]], [[0.0, 1.0], [1.0, 0.0]]]> : tensor<2x2x2xf64>, tolerance = 1.0e-14 : f64} : (tensor<2x2x2xf64>) -> ()
  func.return
}
func.func @gesdd() {
  %a = stablehlo.constant dense<[[3.0, 0.0], [0.0, -4.0], [0.0, 0.0]]> : tensor<3x2xf64>
  %0:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<3x2xf64>, tensor<2x2xf64>, tensor<i32>)
  "check.expect_almost_eq_const"(%0#1) {value = dense<[4.0, 3.0]> : tensor<2xf64>, tolerance = 1.0e-14 : f64} : (tensor<2xf64>) -> ()
  check.expect_eq_const %0#4, dense<0> : tensor<i32>
  %s = stablehlo.broadcast_in_dim %0#1, dims = [1] : (tensor<2xf64>) -> tensor<3x2xf64>
  %us = stablehlo.multiply %0#2, %s : tensor<3x2xf64>
  %b = stablehlo.dot_general %us, %0#3, contracting_dims = [1] x [0] : (tensor<3x2xf64>, tensor<2x2xf64>) -> tensor<3x2xf64>
  "check.expect_almost_eq"(%b, %a) {tolerance = 1.0e-14 : f64} : (tensor<3x2xf64>, tensor<3x2xf64>) -> ()
  %1:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {mhlo.backend_config = {mode = 65 : ui8}} : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<3x3xf64>, tensor<2x2xf64>, tensor<i32>)
  %g = stablehlo.dot_general %1#2, %1#2, contracting_dims = [0] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  "check.expect_almost_eq_const"(%g) {value = dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>, tolerance = 1.0e-14 : f64} : (tensor<3x3xf64>) -> ()
  %2:5 = stablehlo.custom_call @lapack_dgesvd_ffi(%a) {mhlo.backend_config = {mode = 78 : ui8}} : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<3x3xf64>, tensor<2x2xf64>, tensor<i32>)
  check.expect_eq %2#1, %1#1 : tensor<2xf64>
  func.return
}
func.func @gehrd() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [3.0, 4.0, 5.0], [4.0, 7.0, 8.0]]> : tensor<3x3xf64>
  %0:3 = stablehlo.custom_call @lapack_dgehrd_ffi(%a) {mhlo.backend_config = {high = 3 : i32, low = 1 : i32}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<2xf64>, tensor<i32>)
  "check.expect_almost_eq_const"(%0#0) {value = dense<[[1.0, -3.6, 0.2], [-5.0, 12.32, 0.76], [0.5, -1.24, -0.32]]> : tensor<3x3xf64>, tolerance = 1.0e-13 : f64} : (tensor<3x3xf64>) -> ()
  "check.expect_almost_eq_const"(%0#1) {value = dense<[1.6, 0.0]> : tensor<2xf64>, tolerance = 1.0e-14 : f64} : (tensor<2xf64>) -> ()
  check.expect_eq_const %0#2, dense<0> : tensor<i32>
  func.return
}
func.func @sytrd() {
  %a = stablehlo.constant dense<[[1.0, 77.0, 77.0], [3.0, 2.0, 77.0], [4.0, 1.0, 5.0]]> : tensor<3x3xf64>
  %0:5 = stablehlo.custom_call @lapack_dsytrd_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>, tensor<i32>)
  "check.expect_almost_eq_const"(%0#1) {value = dense<[1.0, 4.88, 2.12]> : tensor<3xf64>, tolerance = 1.0e-13 : f64} : (tensor<3xf64>) -> ()
  "check.expect_almost_eq_const"(%0#2) {value = dense<[-5.0, -1.16]> : tensor<2xf64>, tolerance = 1.0e-13 : f64} : (tensor<2xf64>) -> ()
  "check.expect_almost_eq_const"(%0#3) {value = dense<[1.6, 0.0]> : tensor<2xf64>, tolerance = 1.0e-14 : f64} : (tensor<2xf64>) -> ()
  func.return
}
func.func @sytrd_of_the_upper_triangle() {
  %a = stablehlo.constant dense<[[5.0, 1.0, 4.0], [77.0, 2.0, 3.0], [77.0, 77.0, 1.0]]> : tensor<3x3xf64>
  %0:5 = stablehlo.custom_call @lapack_dsytrd_ffi(%a) {mhlo.backend_config = {uplo = 85 : ui8}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>, tensor<i32>)
  "check.expect_almost_eq_const"(%0#0) {value = dense<[[2.12, -1.16, 0.5], [77.0, 4.88, -5.0], [77.0, 77.0, 1.0]]> : tensor<3x3xf64>, tolerance = 1.0e-13 : f64} : (tensor<3x3xf64>) -> ()
  "check.expect_almost_eq_const"(%0#1) {value = dense<[2.12, 4.88, 1.0]> : tensor<3xf64>, tolerance = 1.0e-13 : f64} : (tensor<3xf64>) -> ()
  "check.expect_almost_eq_const"(%0#2) {value = dense<[-1.16, -5.0]> : tensor<2xf64>, tolerance = 1.0e-13 : f64} : (tensor<2xf64>) -> ()
  "check.expect_almost_eq_const"(%0#3) {value = dense<[0.0, 1.6]> : tensor<2xf64>, tolerance = 1.0e-14 : f64} : (tensor<2xf64>) -> ()
  func.return
}
func.func @names_on_other_devices() {
  %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 10.0]]> : tensor<2x2xf32>
  %0:2 = stablehlo.custom_call @cusolver_potrf_ffi(%a) {mhlo.backend_config = {lower = true}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<[[2.0, 2.0], [1.0, 3.0]]> : tensor<2x2xf32>
  %1:2 = stablehlo.custom_call @hipsolver_potrf_ffi(%a) {mhlo.backend_config = {lower = false}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  check.expect_eq_const %1#0, dense<[[2.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>
  func.return
}
func.func @geqp3() {
  %a = stablehlo.constant dense<[[1.0, 0.0, 3.0], [2.0, 0.0, 4.0]]> : tensor<2x3xf64>
  %z = stablehlo.constant dense<0> : tensor<3xi32>
  %0:3 = stablehlo.custom_call @lapack_dgeqp3_ffi(%a, %z) {mhlo.backend_config = {}} : (tensor<2x3xf64>, tensor<3xi32>) -> (tensor<2x3xf64>, tensor<3xi32>, tensor<2xf64>)
  check.expect_eq_const %0#1, dense<[3, 1, 2]> : tensor<3xi32>
  "check.expect_almost_eq_const"(%0#0) {value = dense<[[-5.0, -2.2, 0.0], [0.5, 0.4, 0.0]]> : tensor<2x3xf64>, tolerance = 1.0e-14 : f64} : (tensor<2x3xf64>) -> ()
  "check.expect_almost_eq_const"(%0#2) {value = dense<[1.6, 0.0]> : tensor<2xf64>, tolerance = 1.0e-14 : f64} : (tensor<2xf64>) -> ()
  func.return
}
func.func @geev_of_a_rotation() {
  %a = stablehlo.constant dense<[[0.0, -2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 5.0]]> : tensor<3x3xf64>
  %0:5 = stablehlo.custom_call @lapack_dgeev_ffi(%a) {mhlo.backend_config = {compute_left = 86 : ui8, compute_right = 86 : ui8}} : (tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>, tensor<i32>)
  check.expect_eq_const %0#4, dense<0> : tensor<i32>
  %re = "stablehlo.sort"(%0#0) ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %p = stablehlo.compare LT, %x, %y : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<3xf64>) -> tensor<3xf64>
  "check.expect_almost_eq_const"(%re) {value = dense<[0.0, 0.0, 5.0]> : tensor<3xf64>, tolerance = 1.0e-14 : f64} : (tensor<3xf64>) -> ()
  %im = "stablehlo.sort"(%0#1) ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %p = stablehlo.compare LT, %x, %y : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<3xf64>) -> tensor<3xf64>
  "check.expect_almost_eq_const"(%im) {value = dense<[-2.0, 0.0, 2.0]> : tensor<3xf64>, tolerance = 1.0e-14 : f64} : (tensor<3xf64>) -> ()
  %z = stablehlo.constant dense<0.0> : tensor<3x3xf64>
  %c = stablehlo.complex %a, %z : tensor<3x3xcomplex<f64>>
  %w = stablehlo.complex %0#0, %0#1 : tensor<3xcomplex<f64>>
  %wide = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %av = stablehlo.dot_general %c, %0#3, contracting_dims = [1] x [0] : (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %vw = stablehlo.multiply %0#3, %wide : tensor<3x3xcomplex<f64>>
  %d = stablehlo.subtract %av, %vw : tensor<3x3xcomplex<f64>>
  %e = stablehlo.abs %d : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xf64>
  "check.expect_almost_eq_const"(%e) {value = dense<0.0> : tensor<3x3xf64>, tolerance = 1.0e-13 : f64} : (tensor<3x3xf64>) -> ()
  %l = chlo.conj %0#2 : tensor<3x3xcomplex<f64>> -> tensor<3x3xcomplex<f64>>
  %la = stablehlo.dot_general %l, %c, contracting_dims = [0] x [0] : (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %lt = stablehlo.transpose %l, dims = [1, 0] : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %high = stablehlo.broadcast_in_dim %w, dims = [0] : (tensor<3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  %wl = stablehlo.multiply %lt, %high : tensor<3x3xcomplex<f64>>
  %f = stablehlo.subtract %la, %wl : tensor<3x3xcomplex<f64>>
  %g = stablehlo.abs %f : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xf64>
  "check.expect_almost_eq_const"(%g) {value = dense<0.0> : tensor<3x3xf64>, tolerance = 1.0e-13 : f64} : (tensor<3x3xf64>) -> ()
  func.return
}
func.func @gees_of_a_batch() {
  %v = stablehlo.iota dim = 0 : tensor<162xf64>
  %s = stablehlo.sine %v : tensor<162xf64>
  %q = stablehlo.multiply %v, %v : tensor<162xf64>
  %r = stablehlo.cosine %q : tensor<162xf64>
  %y = stablehlo.complex %s, %r : tensor<162xcomplex<f64>>
  %a = stablehlo.reshape %y : (tensor<162xcomplex<f64>>) -> tensor<2x9x9xcomplex<f64>>
  %0:5 = stablehlo.custom_call @lapack_zgees_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}} : (tensor<2x9x9xcomplex<f64>>) -> (tensor<2x9x9xcomplex<f64>>, tensor<2x9x9xcomplex<f64>>, tensor<2x9xcomplex<f64>>, tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#4, dense<0> : tensor<2xi32>
  %b = stablehlo.dot_general %0#1, %0#0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x9x9xcomplex<f64>>, tensor<2x9x9xcomplex<f64>>) -> tensor<2x9x9xcomplex<f64>>
  %h = chlo.conj %0#1 : tensor<2x9x9xcomplex<f64>> -> tensor<2x9x9xcomplex<f64>>
  %c = stablehlo.dot_general %b, %h, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x9x9xcomplex<f64>>, tensor<2x9x9xcomplex<f64>>) -> tensor<2x9x9xcomplex<f64>>
  %d = stablehlo.subtract %c, %a : tensor<2x9x9xcomplex<f64>>
  %e = stablehlo.abs %d : (tensor<2x9x9xcomplex<f64>>) -> tensor<2x9x9xf64>
  "check.expect_almost_eq_const"(%e) {value = dense<0.0> : tensor<2x9x9xf64>, tolerance = 1.0e-12 : f64} : (tensor<2x9x9xf64>) -> ()
  %i = stablehlo.iota dim = 1 : tensor<2x9x9xi32>
  %j = stablehlo.iota dim = 2 : tensor<2x9x9xi32>
  %p = stablehlo.compare GT, %i, %j, SIGNED : (tensor<2x9x9xi32>, tensor<2x9x9xi32>) -> tensor<2x9x9xi1>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<2x9x9xcomplex<f64>>
  %below = stablehlo.select %p, %0#0, %zero : tensor<2x9x9xi1>, tensor<2x9x9xcomplex<f64>>
  %k = stablehlo.abs %below : (tensor<2x9x9xcomplex<f64>>) -> tensor<2x9x9xf64>
  check.expect_eq_const %k, dense<0.0> : tensor<2x9x9xf64>
  func.return
}
func.func @gtsv() {
  %l = stablehlo.constant dense<[9.0, 2.0, 3.0]> : tensor<3xf64>
  %d = stablehlo.constant dense<[0.0, 1.0, 4.0]> : tensor<3xf64>
  %u = stablehlo.constant dense<[1.0, 5.0, 9.0]> : tensor<3xf64>
  %b = stablehlo.constant dense<[[2.0], [19.0], [18.0]]> : tensor<3x1xf64>
  %0:5 = stablehlo.custom_call @lapack_dgtsv_ffi(%l, %d, %u, %b) {mhlo.backend_config = {}} : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>, tensor<i32>)
  "check.expect_almost_eq_const"(%0#3) {value = dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf64>, tolerance = 1.0e-14 : f64} : (tensor<3x1xf64>) -> ()
  check.expect_eq_const %0#4, dense<0> : tensor<i32>
  func.return
}
func.func @other_names() {
  %a = stablehlo.constant dense<[[3.0], [4.0]]> : tensor<2x1xf64>
  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<2x1xf64>) -> (tensor<2x1xf64>, tensor<1xf64>)
  "check.expect_almost_eq_const"(%0#0) {value = dense<[[-5.0], [0.5]]> : tensor<2x1xf64>, tolerance = 1.0e-14 : f64} : (tensor<2x1xf64>) -> ()
  %1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%0#0, %0#1) : (tensor<2x1xf64>, tensor<1xf64>) -> tensor<2x1xf64>
  "check.expect_almost_eq_const"(%1) {value = dense<[[-0.6], [-0.8]]> : tensor<2x1xf64>, tolerance = 1.0e-14 : f64} : (tensor<2x1xf64>) -> ()
  %b = stablehlo.constant dense<[[1.0, 2.0], [4.0, 4.0]]> : tensor<2x2xf32>
  %2:3 = stablehlo.custom_call @LuDecomposition(%b) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %2#2, dense<[1, 0]> : tensor<2xi32>
  func.return
}
func.func @factors_of_nothing() {
  %a = stablehlo.constant dense<> : tensor<2x0x3xf32>
  %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<2x0x3xf32>) -> (tensor<2x0x3xf32>, tensor<2x0xf32>)
  check.expect_eq_const %0#1, dense<> : tensor<2x0xf32>
  %b = stablehlo.constant dense<> : tensor<3x0xf64>
  %1:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%b) {mhlo.backend_config = {}} : (tensor<3x0xf64>) -> (tensor<3x0xf64>, tensor<0xf64>)
  check.expect_eq_const %1#0, dense<> : tensor<3x0xf64>
  %c = stablehlo.constant dense<> : tensor<0x3xf64>
  %z = stablehlo.constant dense<0> : tensor<3xi32>
  %2:3 = stablehlo.custom_call @lapack_dgeqp3_ffi(%c, %z) {mhlo.backend_config = {}} : (tensor<0x3xf64>, tensor<3xi32>) -> (tensor<0x3xf64>, tensor<3xi32>, tensor<0xf64>)
  check.expect_eq_const %2#1, dense<[1, 2, 3]> : tensor<3xi32>
  check.expect_eq_const %2#2, dense<> : tensor<0xf64>
  func.return
}
