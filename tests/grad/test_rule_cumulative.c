/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of running sums, products, extremes and logsumexps, in both directions and at their traps. */
#include "support/gradients.h"
#include <fluxion/window.h>
#include <math.h>

GRAPH_FN(sum, fx_cum_sum(fx_mul(x, x), 1))
GRAPH_FN(sum_back, fx_cum_sum_reverse(x, 0))
GRAPH_FN(prod, fx_cum_prod(x, -1))
GRAPH_FN(prod_first, fx_cum_prod(x, 0))
GRAPH_FN(prod_back, fx_cum_prod_reverse(x, -1))
GRAPH_FN(prod_squared, fx_mul(fx_cum_prod(x, 0), fx_cum_prod(x, 0)))
GRAPH_FN(max, fx_cum_max(x, -1))
GRAPH_FN(min_back, fx_cum_min_reverse(x, 0))
GRAPH_FN(lse, fx_cum_logsumexp(x, -1))
GRAPH_FN(lse_back, fx_cum_logsumexp_reverse(x, 0))
GRAPH_FN(weighted_sum, fx_mul(y, fx_cum_sum(x, 0)))
GRAPH_FN(weighted_prod, fx_mul(y, fx_cum_prod(x, 0)))
GRAPH_FN(weighted_max, fx_mul(y, fx_cum_max(x, 0)))
GRAPH_FN(weighted_min, fx_mul(y, fx_cum_min_reverse(x, 0)))
GRAPH_FN(weighted_lse, fx_mul(y, fx_cum_logsumexp(x, 0)))

static void test_smooth(void **state) {
    (void)state;
    CHECK_ROWS(ROW(sum, RANDOM_F64(1, -1, 1, 2, 4)), ROW(sum, RANDOM_C128(1, -1, 1, 2, 3)),
               ROW(sum, RANDOM_F64(1, -1, 1, 2, 0)), ROW(sum_back, RANDOM_F64(1, -1, 1, 3, 2)),
               ROW(prod, RANDOM_F64(1, -2, 2, 2, 5)), ROW(prod, RANDOM_C128(1, -2, 2, 2, 3)),
               ROW(prod, RANDOM_F64(1, -2, 2, 2, 0)), ROW(prod, RANDOM_F64(1, -2, 2, 2, 1)),
               ROW(prod_first, RANDOM_F64(1, -2, 2, 7, 2)), ROW(prod_back, RANDOM_F64(1, -2, 2, 2, 6)),
               ROW(lse, RANDOM_F64(1, -2, 2, 2, 6)), ROW(lse, RANDOM_F64(1, -2, 2, 2, 1)),
               ROW(lse, RANDOM_F64(1, -2, 2, 0, 3)), ROW(lse_back, RANDOM_F64(1, -2, 2, 5, 2)));
}

static void test_zeros(void **state) {
    (void)state;
    CHECK_ROWS(ROW(prod, FLOATS(FX_SHAPE(FX_F64, 4), 2, 0, 3, 4)),
               ROW(prod, FLOATS(FX_SHAPE(FX_F64, 4), 2, 0, 0, 4)),
               ROW(prod_back, FLOATS(FX_SHAPE(FX_F64, 4), 0, 2, 0, 4)));
    GRADIENTS(prod_squared, "[2]float64{2, 0}", FLOATS(FX_SHAPE(FX_F64, 2), 1, 0));
    GRADIENTS(prod_squared, "[2]float64{10, 4}", FLOATS(FX_SHAPE(FX_F64, 2), 1, 2));
    GRADIENTS(prod_first, "[4]float64{1, 32, 0, 0}", FLOATS(FX_SHAPE(FX_F64, 4), 2, 0, 3, 4));
    /* an infinite factor after what nobody asks for */
    GRADIENTS(weighted_prod, "[2]float64{1, 0}; [2]float64{2, Inf}", FLOATS(FX_SHAPE(FX_F64, 2), 2, INFINITY),
              FLOATS(FX_SHAPE(FX_F64, 2), 1, 0));
}

static void test_sums(void **state) {
    (void)state;
    GRADIENTS(weighted_sum, "[4]float64{10, 9, 7, 4}; [4]float64{1, 2, 3, 4}",
              FLOATS(FX_SHAPE(FX_F64, 4), 1, 1, 1, 1), FLOATS(FX_SHAPE(FX_F64, 4), 1, 2, 3, 4));
    check_vjp_in(FX_BF16, &(derivative_case)ROW(prod, RANDOM_F64(1, 0.8, 1.2, 2, 30)), 0x1p-7);
    check_vjp_in(FX_BF16, &(derivative_case)ROW(lse, RANDOM_F64(1, 90, 100, 2, 30)), 0x1p-7);
    check_vjp_in(FX_F32, &(derivative_case)ROW(lse, RANDOM_F64(1, -20, 20, 2, 100)), 0x1p-18);
}

static void test_extremes(void **state) {
    (void)state;
    CHECK_ROWS(ROW(max, RANDOM_F64(1, -1, 1, 2, 9)), ROW(max, RANDOM_F64(1, -1, 1, 2, 0)),
               ROW(max, RANDOM_F64(1, -1, 1, 2, 1)), ROW(min_back, RANDOM_F64(2, -1, 1, 7, 2)));
    GRADIENTS(weighted_max, "[5]float64{5, 1, 0, 7, 5}; [5]float64{2, 2, 2, 3, 3}",
              FLOATS(FX_SHAPE(FX_F64, 5), 2, 2, 1, 3, 3), FLOATS(FX_SHAPE(FX_F64, 5), 4, 0, 2, 2, 10));
    GRADIENTS(weighted_max, "[4]float64{1, 4, 0, 2}; [4]float64{1, NaN, NaN, NaN}",
              FLOATS(FX_SHAPE(FX_F64, 4), 1, NAN, 7, NAN), FLOATS(FX_SHAPE(FX_F64, 4), 1, 1, 1, 4));
    GRADIENTS(weighted_min, "[3]float64{0, 3, 7}; [3]float64{1, 1, 1}", FLOATS(FX_SHAPE(FX_F64, 3), 5, 1, 1),
              FLOATS(FX_SHAPE(FX_F64, 3), 4, 2, 4));
}

static void test_infinite(void **state) {
    (void)state;
    GRADIENTS(lse, "[2]float64{0, 0}", FLOATS(FX_SHAPE(FX_F64, 2), -INFINITY, -INFINITY));
    GRADIENTS(lse, "[3]float64{0, 2, 0}", FLOATS(FX_SHAPE(FX_F64, 3), -INFINITY, 1, -INFINITY));
    GRADIENTS(weighted_lse, "[2]float64{1, 0}; [2]float64{1, Inf}", FLOATS(FX_SHAPE(FX_F64, 2), 1, INFINITY),
              FLOATS(FX_SHAPE(FX_F64, 2), 1, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smooth), cmocka_unit_test(test_zeros),
                                       cmocka_unit_test(test_sums), cmocka_unit_test(test_extremes),
                                       cmocka_unit_test(test_infinite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
