/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms, matrices, batch normalisation, random bits: values, and what is refused. */
#include "self_check.h"

static void check_values(void **state) {
    check_file(state, "special", 9);
}

static const refusal refusals[] = {
    {"  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
     "  %0 = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>\n",
     "axis 1 has 3 elements", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
     "  %0 = \"stablehlo.fft\"(%x) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 1, 2, 3>} "
     ": (tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>\n",
     "3 lengths for 2 axes", FX_ERROR_FILE},
    {"  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
     "  %0 = stablehlo.cholesky %x, lower = true : tensor<2x3xf32>\n",
     "fx_cholesky", FX_ERROR_SHAPE},
    {"  %a = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "  %s = stablehlo.constant dense<[2]> : tensor<1xi64>\n"
     "  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> "
     "tensor<2xf32>\n",
     "hidden state", FX_ERROR_UNSUPPORTED},
    {"  %s = stablehlo.constant dense<1> : tensor<3xui64>\n"
     "  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<3xui64>) -> "
     "(tensor<3xui64>, tensor<2xui32>)\n",
     "a ThreeFry state is", FX_ERROR_FILE},
};

static void check_refused(void **state) {
    check_refusals(state, refusals, COUNT_OF(refusals));
}

int main(void) {
    const struct CMUnitTest tests[] = {BOTH(check_values), BOTH(check_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
