/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of Fourier transforms: all kinds, even and odd lengths, several axes, padding and cutting. */
#include "support/gradients.h"
#include <fluxion/fft.h>

GRAPH_FN(forward, fx_fft(x, FX_DIMS()))
GRAPH_FN(inverse, fx_ifft(x, FX_DIMS()))
GRAPH_FN(forward_two, fx_fftn(x, FX_AXES(), FX_DIMS()))
GRAPH_FN(inverse_first, fx_ifftn(x, FX_AXES(0), FX_DIMS()))
GRAPH_FN(real, fx_rfft(x, FX_DIMS()))
GRAPH_FN(real_all, fx_rfftn(x, FX_AXES(), FX_DIMS()))
GRAPH_FN(back_even, fx_irfft(x, FX_DIMS()))
GRAPH_FN(back_5, fx_irfft(x, FX_DIMS(5)))
GRAPH_FN(back_1, fx_irfft(x, FX_DIMS(1)))
GRAPH_FN(back_3_4, fx_irfftn(x, FX_AXES(), FX_DIMS(3, 4)))
GRAPH_FN(back_3_5, fx_irfftn(x, FX_AXES(), FX_DIMS(3, 5)))
GRAPH_FN(padded, fx_fft(x, FX_DIMS(6)))
GRAPH_FN(cut, fx_rfft(x, FX_DIMS(3)))
GRAPH_FN(convolved, fx_irfft(fx_mul(fx_rfft(x, FX_DIMS(8)), fx_rfft(y, FX_DIMS(8))), FX_DIMS(8)))
GRAPH_FN(shifted, fx_fftshift(fx_fft(x, FX_DIMS()), FX_AXES()))

static void test_complex(void **state) {
    (void)state;
    CHECK_ROWS(ROW(forward, RANDOM_C128(1, -1, 1, 2, 4)), ROW(forward, RANDOM_C128(1, -1, 1, 5)),
               ROW(forward, RANDOM_C128(1, -1, 1, 2, 1)), ROW(forward, RANDOM_C128(1, -1, 1, 2, 0)),
               ROW(inverse, RANDOM_C128(1, -1, 1, 2, 4)), ROW(inverse, RANDOM_C128(1, -1, 1, 3)),
               ROW(forward_two, RANDOM_C128(1, -1, 1, 2, 3)), ROW(inverse_first, RANDOM_C128(1, -1, 1, 4, 2)),
               ROW(padded, RANDOM_C128(1, -1, 1, 4)), ROW(shifted, RANDOM_C128(1, -1, 1, 5)));
}

static void test_real(void **state) {
    (void)state;
    CHECK_ROWS(ROW(real, RANDOM_F64(1, -1, 1, 2, 6)), ROW(real, RANDOM_F64(1, -1, 1, 2, 5)),
               ROW(real, RANDOM_F64(1, -1, 1, 1)), ROW(real, RANDOM_F64(1, -1, 1, 2)),
               ROW(real, RANDOM_F64(1, -1, 1, 2, 0)), ROW(real_all, RANDOM_F64(1, -1, 1, 2, 3, 4)),
               ROW(real_all, RANDOM_F64(1, -1, 1, 3, 5)), ROW(cut, RANDOM_F64(1, -1, 1, 2, 5)),
               ROW(convolved, RANDOM_F64(1, -1, 1, 5), RANDOM_F64(2, -1, 1, 4)));
}

static void test_inverse_real(void **state) {
    (void)state;
    CHECK_ROWS(ROW(back_even, RANDOM_C128(1, -1, 1, 2, 4)), ROW(back_even, RANDOM_C128(1, -1, 1, 2)),
               ROW(back_5, RANDOM_C128(1, -1, 1, 2, 3)), ROW(back_5, RANDOM_C128(1, -1, 1, 2)),
               ROW(back_1, RANDOM_C128(1, -1, 1, 2, 1)), ROW(back_3_4, RANDOM_C128(1, -1, 1, 3, 3)),
               ROW(back_3_5, RANDOM_C128(1, -1, 1, 2, 3, 3)));
}

static void test_single(void **state) {
    (void)state;
    check_vjp_in(FX_F32, &(derivative_case)ROW(convolved, RANDOM_F64(1, -1, 1, 5), RANDOM_F64(2, -1, 1, 4)),
                 0x1p-20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_complex), cmocka_unit_test(test_real),
                                       cmocka_unit_test(test_inverse_real), cmocka_unit_test(test_single)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
