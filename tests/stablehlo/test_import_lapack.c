/* SPDX-License-Identifier: Apache-2.0 */
/* LAPACK by custom calls: values, and what has no algorithm. */
#include "self_check.h"

static void check_values(void **state) {
    check_file(state, "lapack", 19);
}

static const refusal refusals[] = {
    {"  %x = stablehlo.constant dense<1.0> : tensor<2x2xf32>\n"
     "  %0:6 = stablehlo.custom_call @lapack_sgees_ffi(%x) {mhlo.backend_config = {mode = 86 : ui8, sort = "
     "78 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, "
     "tensor<i32>, tensor<i32>)\n",
     "gees of real matrices", FX_ERROR_UNSUPPORTED},
    {"  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
     "  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {mhlo.backend_config = {uplo = 76 : ui8}} : "
     "(tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>)\n",
     "is no square matrix", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<1.0> : tensor<2x2xf32>\n"
     "  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {mhlo.backend_config = {uplo = 77 : ui8}} : "
     "(tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)\n",
     "uplo is none of the letters LU", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
     "  %0 = stablehlo.custom_call @lapack_sorgqr_ffi(%x, %x) {mhlo.backend_config = {}} : (tensor<2x3xf32>, "
     "tensor<2x3xf32>) -> tensor<2x3xf32>\n",
     "operand 1 has rank 2", FX_ERROR_FILE},
};

static void check_refused(void **state) {
    check_refusals(state, refusals, COUNT_OF(refusals));
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(check_values), BOTH(check_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
