/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of reductions: ties, NaN, any number of zeros, nothing to reduce. */
#include "support/gradients.h"
#include <math.h>

GRAPH_FN(sum_last, fx_reduce_sum(x, FX_AXES(-1)))
GRAPH_FN(sum_two, fx_reduce_sum(x, FX_AXES(2, 0)))
GRAPH_FN(sum_all, fx_reduce_all_sum(fx_mul(x, x)))
GRAPH_FN(mean_all, fx_reduce_all_mean(fx_mul(x, x)))

static void test_sum(void **state) {
    (void)state;
    CHECK_ROWS(ROW(sum_last, RANDOM_F64(1, -1, 1, 2, 3)), ROW(sum_last, RANDOM_C128(1, -1, 1, 2, 3)),
               ROW(sum_last, RANDOM_F64(1, -1, 1, 2, 0)), ROW(sum_last, RANDOM_F64(1, -1, 1, 0, 2)),
               ROW(sum_two, RANDOM_F64(1, -1, 1, 2, 3, 4)), ROW(sum_two, RANDOM_F64(1, -1, 1, 1, 3, 1)),
               ROW(sum_all, RANDOM_F64(1, -1, 1, 2, 3)), ROW(mean_all, RANDOM_F64(1, -1, 1, 2, 3)),
               ROW(sum_all, random_values(FX_F64, (fx_dims){NULL, 0}, -1, 1, 1)));
    check_vjp_in(FX_F16, &(derivative_case)ROW(sum_two, RANDOM_F64(1, -1, 1, 2, 3, 4)), 0x1p-10);
}

/* ---- product ---- */

GRAPH_FN(product_last, fx_reduce_product(x, FX_AXES(-1)))
GRAPH_FN(product_outer, fx_reduce_product(x, FX_AXES(0, 2)))
GRAPH_FN(product_all, fx_reduce_all_product(x))

static void test_product(void **state) {
    (void)state;
    CHECK_ROWS(ROW(product_last, RANDOM_F64(1, -2, 2, 2, 4)), ROW(product_last, RANDOM_C128(1, -1, 1, 2, 3)),
               ROW(product_last, RANDOM_F64(1, -1, 1, 3, 1)), ROW(product_last, RANDOM_F64(1, -1, 1, 3, 0)),
               ROW(product_last, RANDOM_F64(1, -1, 1, 0, 3)),
               ROW(product_outer, RANDOM_F64(1, -2, 2, 2, 3, 2)),
               ROW(product_all, RANDOM_F64(1, -2, 2, 2, 3)));
    /* polynomials: the derivatives at zeros have values of their own, to second order too */
    CHECK_ROWS(ROW(product_last, FLOATS(FX_SHAPE(FX_F64, 4), 2, 0, 3, 4)),
               ROW(product_last, FLOATS(FX_SHAPE(FX_F64, 4), 2, 0, 0, 4)),
               ROW(product_last, FLOATS(FX_SHAPE(FX_F64, 4), 0, 0, 0, 4)),
               ROW(product_outer, FLOATS(FX_SHAPE(FX_F64, 2, 1, 2), 0, 2, 3, 0)));
    GRADIENTS(product_all, "[4]float64{0, 24, 0, 0}", FLOATS(FX_SHAPE(FX_F64, 4), 2, 0, 3, 4));
    GRADIENTS(product_all, "[4]float64{0, 0, 0, 0}", FLOATS(FX_SHAPE(FX_F64, 4), 2, 0, 0, 4));
    GRADIENTS(product_last, "[2][2]float64{{0, 1}, {3, 2}}", FLOATS(FX_SHAPE(FX_F64, 2, 2), 1, 0, 2, 3));
    GRADIENTS(product_all, "[2]float64{0, Inf}", FLOATS(FX_SHAPE(FX_F64, 2), INFINITY, 0));
    GRADIENTS(product_all, "[2]float16{300, 200}", FLOATS(FX_SHAPE(FX_F16, 2), 200, 300));
    check_vjp_in(FX_BF16, &(derivative_case)ROW(product_outer, RANDOM_F64(1, 1, 2, 2, 3, 2)), 0x1p-7);
}

/* ---- max and min ---- */

GRAPH_FN(max_last, fx_reduce_max(x, FX_AXES(-1)))
GRAPH_FN(min_outer, fx_reduce_min(x, FX_AXES(0, 2)))
GRAPH_FN(max_all, fx_reduce_all_max(x))
GRAPH_FN(min_all, fx_reduce_all_min(x))

static void test_extremes(void **state) {
    (void)state;
    CHECK_ROWS(ROW(max_last, RANDOM_F64(1, -1, 1, 2, 4)), ROW(max_last, RANDOM_F64(1, -1, 1, 0, 2)),
               ROW(max_last, RANDOM_F64(1, -1, 1, 3, 1)), ROW(min_outer, RANDOM_F64(1, -1, 1, 2, 3, 2)),
               ROW(max_all, RANDOM_F64(1, -1, 1, 2, 3)));
    GRADIENTS(min_all, "[0]float64{}", RANDOM_F64(1, -1, 1, 0));
    GRADIENTS(max_last, "[2][0]float64{{}, {}}", RANDOM_F64(1, -1, 1, 2, 0));
    GRADIENTS(max_all, "[3]float64{0.5, 0.5, 0}", FLOATS(FX_SHAPE(FX_F64, 3), 0.6, 0.6, 0.3));
    GRADIENTS(min_all, "[2][2]float64{{0, 0.5}, {0.5, 0}}", FLOATS(FX_SHAPE(FX_F64, 2, 2), 1, 0, 0, 2));
    GRADIENTS(max_all, "[3]float64{0, 0, 1}", FLOATS(FX_SHAPE(FX_F64, 3), 1, 2, NAN));
    GRADIENTS(min_all, "[4]float64{0.5, 0, 0.5, 0}", FLOATS(FX_SHAPE(FX_F64, 4), NAN, 2, NAN, -INFINITY));
    GRADIENTS(max_all, "[2]float64{0.5, 0.5}", FLOATS(FX_SHAPE(FX_F64, 2), -0.0, 0.0));
    GRADIENTS(max_all, "[2]float64{0.5, 0.5}", FLOATS(FX_SHAPE(FX_F64, 2), -INFINITY, -INFINITY));
    check_vjp_in(FX_BF16, &(derivative_case)ROW(min_outer, RANDOM_F64(1, 1, 2, 2, 3, 2)), 0x1p-7);
}

/* 70000 equal halves: their number is none of float16. */
GRAPH_FN(max_of_many,
         fx_mul(fx_reduce_all_max(fx_broadcast_to_dims(x, FX_DIMS(70000))), fx_scalar(body, FX_F16, 4096)))

static void test_many(void **state) {
    (void)state;
    GRADIENTS(max_of_many, "float16(4096)", FLOATS(FX_SHAPE(FX_F16), 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sum), cmocka_unit_test(test_product),
                                       cmocka_unit_test(test_extremes), cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
