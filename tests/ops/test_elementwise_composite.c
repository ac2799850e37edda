/* SPDX-License-Identifier: Apache-2.0 */
/* What the elementwise composites mean, through the interpreter: signs of remainders, awkward values,
 * numbers as operands, shifts with counts of another dtype. */
#include "support/run_graph.h"
#include <fluxion/ops.h>
#include <float.h>
#include <math.h>

static fx_node *f64(fx_graph *g, const double *v, int64_t n) {
    return fx_constant_host(g, (fx_host){v, FX_F64, &n, 1});
}
static fx_node *s32(fx_graph *g, const int32_t *v, int64_t n) {
    return fx_constant_host(g, (fx_host){v, FX_S32, &n, 1});
}
static fx_node *s8(fx_graph *g, const int8_t *v, int64_t n) {
    return fx_constant_host(g, (fx_host){v, FX_S8, &n, 1});
}

#define INF ((double)INFINITY)

static void test_mod_of_integers(void **state) {
    (void)state;
    const int32_t x[] = {7, -7, 7, -7, 5, -5, INT32_MIN, 6, -6}, y[] = {3, 3, -3, -3, 0, 0, -1, 3, -3};
    fx_graph *g = new_graph();
    assert_value(g, fx_mod(s32(g, x, 9), s32(g, y, 9)), "[9]int32{1, 2, -2, -1, 5, -5, 0, 0, 0}");
    g = new_graph();
    assert_value(g, fx_floor_div(s32(g, x, 9), s32(g, y, 9)),
                 "[9]int32{2, -3, -3, 2, -1, -1, -2147483648, 2, 2}");
    g = new_graph();
    const int64_t n = 3;
    const uint8_t a[] = {200, 7, 9}, b[] = {7, 0, 3};
    assert_value(g,
                 fx_mod(fx_constant_host(g, (fx_host){a, FX_U8, &n, 1}),
                        fx_constant_host(g, (fx_host){b, FX_U8, &n, 1})),
                 "[3]uint8{4, 7, 0}");
}

static void test_mod_of_floats(void **state) {
    (void)state;
    const double x[] = {7, -7, 7, -7, -4, 4, -1, 1, 0.5, -0.0, 3},
                 y[] = {3, 3, -3, -3, 2, -2, INF, -INF, 0, 5, INF};
    fx_graph *g = new_graph();
    assert_value(g, fx_mod(f64(g, x, 11), f64(g, y, 11)),
                 "[11]float64{1, 2, -2, -1, 0, -0, Inf, -Inf, NaN, 0, 3}");
    g = new_graph();
    assert_value(g, fx_floor_div(f64(g, x, 11), f64(g, y, 11)),
                 "[11]float64{2, -3, -3, 2, -2, -2, -1, -1, Inf, 0, 0}");
    const double one = 1, tenth = 0.1; /* 0.1 is a little more than a tenth */
    g = new_graph();
    assert_value(g, fx_floor_div(f64(g, &one, 1), f64(g, &tenth, 1)), "[1]float64{9}");
    g = new_graph();
    fx_node *half = fx_convert(f64(g, x, 4), FX_F16), *three = fx_convert(f64(g, y, 4), FX_F16);
    assert_value(g, fx_floor_div(half, three), "[4]float16{2, -3, -3, 2}");
}

static void test_log_add_exp(void **state) {
    (void)state;
    const double x[] = {0, 1000, -INF, -INF, INF, INF, -INF, 3}, y[] = {0, 0, 1, -INF, 1, INF, INF, NAN};
    fx_graph *g = new_graph();
    assert_value(g, fx_log_add_exp(f64(g, x, 8), f64(g, y, 8)),
                 "[8]float64{0.6931471805599453, 1000, 1, -Inf, Inf, Inf, Inf, NaN}");
    const double z[] = {-INF, -1000, 0, 1000, INF};
    g = new_graph();
    assert_value(g, fx_softplus(f64(g, z, 5)), "[5]float64{0, 0, 0.6931471805599453, 1000, Inf}");
}

static void test_signs(void **state) {
    (void)state;
    const double x[] = {-2, -0.0, 0, 2, NAN};
    fx_graph *g = new_graph();
    assert_value(g, fx_sign_plus_or_minus(f64(g, x, 5)), "[5]float64{-1, 1, 1, 1, -1}");
    const int32_t i[] = {-3, 0, 3};
    g = new_graph();
    assert_value(g, fx_sign_plus_or_minus(s32(g, i, 3)), "[3]int32{-1, 1, 1}");
    g = new_graph();
    assert_value(g, fx_non_negative_indicator(f64(g, x, 5)), "[5]float64{0, 1, 1, 1, 0}");
    g = new_graph();
    assert_value(g, fx_negative_indicator(s32(g, i, 3)), "[3]int32{1, 0, 0}");
    g = new_graph();
    assert_value(g, fx_is_zero(f64(g, x, 5)), "[5]bool{false, true, true, false, false}");
    const double l[] = {-0.0, 1.718281828459045, -1.718281828459045};
    g = new_graph();
    assert_value(g, fx_mirrored_log1p(f64(g, l, 3)), "[3]float64{-0, 1, -1}");
}

static void test_classes(void **state) {
    (void)state;
    const double x[] = {1, INF, -INF, NAN};
    fx_graph *g = new_graph();
    assert_value(g, fx_is_inf(f64(g, x, 4)), "[4]bool{false, true, true, false}");
    g = new_graph();
    assert_value(g, fx_is_nan(f64(g, x, 4)), "[4]bool{false, false, false, true}");
    g = new_graph();
    assert_value(g, fx_is_inf(fx_complex(fx_zeros_like(f64(g, x, 4)), f64(g, x, 4))),
                 "[4]bool{false, true, true, false}");
    g = new_graph();
    assert_value(g, fx_nan_to_num(f64(g, x, 4), 7, 8, INF), "[4]float64{1, 8, 1.7976931348623157e+308, 7}");
    g = new_graph();
    assert_value(g, fx_nan_to_num(fx_convert(f64(g, x, 4), FX_F16), 0, INF, -INF),
                 "[4]float16{1, 65500, -65500, 0}" /* 65504 in its fewest digits */);
}

static void test_arithmetic_with_one(void **state) {
    (void)state;
    const int32_t x[] = {-2, 0, 3};
    fx_graph *g = new_graph();
    assert_value(g, fx_square(s32(g, x, 3)), "[3]int32{4, 0, 9}");
    g = new_graph();
    assert_value(g, fx_one_minus(s32(g, x, 3)), "[3]int32{3, 1, -2}");
    g = new_graph();
    assert_value(g, fx_minus_one(s32(g, x, 3)), "[3]int32{-3, -1, 2}");
    g = new_graph();
    assert_value(g, fx_one_plus(s32(g, x, 3)), "[3]int32{-1, 1, 4}");
    g = new_graph();
    assert_value(g, fx_reciprocal(s32(g, x, 3)), "[3]int32{0, -1, 0}");
}

static void test_numbers(void **state) {
    (void)state;
    const int32_t x[] = {-7, 7};
    struct {
        fx_node *(*of_double)(fx_node *, double);
        fx_node *(*of_int)(fx_node *, int64_t);
        const char *wanted;
    } rows[] = {
        {fx_add_scalar, fx_add_scalar_int, "[2]int32{-4, 10}"},
        {fx_sub_scalar, fx_sub_scalar_int, "[2]int32{-10, 4}"},
        {fx_mul_scalar, fx_mul_scalar_int, "[2]int32{-21, 21}"},
        {fx_div_scalar, fx_div_scalar_int, "[2]int32{-2, 2}"},
        {fx_pow_scalar, fx_pow_scalar_int, "[2]int32{-343, 343}"},
        {fx_max_scalar, fx_max_scalar_int, "[2]int32{3, 7}"},
        {fx_min_scalar, fx_min_scalar_int, "[2]int32{-7, 3}"},
        {fx_mod_scalar, fx_mod_scalar_int, "[2]int32{2, 1}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fx_graph *g = new_graph();
        assert_value(g, rows[i].of_double(s32(g, x, 2), 3), rows[i].wanted);
        g = new_graph();
        assert_value(g, rows[i].of_int(s32(g, x, 2), 3), rows[i].wanted);
        assert_null(rows[i].of_double(NULL, 3));
        assert_null(rows[i].of_int(NULL, 3));
    }
    struct {
        fx_node *(*of_double)(fx_node *, double);
        fx_node *(*of_int)(fx_node *, int64_t);
        const char *wanted; /* of {-7, 3, 7} against 3 */
    } comparisons[] = {
        {fx_equal_scalar, fx_equal_scalar_int, "[3]bool{false, true, false}"},
        {fx_not_equal_scalar, fx_not_equal_scalar_int, "[3]bool{true, false, true}"},
        {fx_less_scalar, fx_less_scalar_int, "[3]bool{true, false, false}"},
        {fx_less_or_equal_scalar, fx_less_or_equal_scalar_int, "[3]bool{true, true, false}"},
        {fx_greater_scalar, fx_greater_scalar_int, "[3]bool{false, false, true}"},
        {fx_greater_or_equal_scalar, fx_greater_or_equal_scalar_int, "[3]bool{false, true, true}"},
    };
    const int32_t y[] = {-7, 3, 7};
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++) {
        fx_graph *g = new_graph();
        assert_value(g, comparisons[i].of_double(s32(g, y, 3), 3), comparisons[i].wanted);
        g = new_graph();
        assert_value(g, comparisons[i].of_int(s32(g, y, 3), 3), comparisons[i].wanted);
        assert_null(comparisons[i].of_double(NULL, 3));
        assert_null(comparisons[i].of_int(NULL, 3));
    }
    fx_graph *g = new_graph();
    assert_value(g, fx_div_scalar_int(s32(g, x, 2), 0), "[2]int32{-1, -1}");
    g = new_graph();
    const int64_t big = INT64_C(9007199254740993); /* no double */
    assert_value(g, fx_add_scalar_int(fx_scalar_int(g, FX_S64, 0), big), "int64(9007199254740993)");
    g = new_graph();
    assert_value(g, fx_clip_scalar(s32(g, x, 2), -1, 2), "[2]int32{-1, 2}");
}

static void test_shifts(void **state) {
    (void)state;
    const int8_t x[] = {1, -128, 64, -1}, n[] = {1, 7, 8, -1};
    fx_graph *g = new_graph();
    assert_value(g, fx_bitwise_shift_left(s8(g, x, 4), s8(g, n, 4)), "[4]int8{2, 0, 0, 0}");
    g = new_graph();
    assert_value(g, fx_bitwise_shift_right_arithmetic(s8(g, x, 4), s8(g, n, 4)), "[4]int8{0, -1, 0, -1}");
    g = new_graph();
    assert_value(g, fx_bitwise_shift_right_logical(s8(g, x, 4), s8(g, n, 4)), "[4]int8{0, 1, 0, 0}");
    /* A count of another dtype counts by its own value: 256 is not 0. */
    const int32_t wide[] = {1, 7, 256, INT32_MIN};
    g = new_graph();
    assert_value(g, fx_bitwise_shift_left(s8(g, x, 4), s32(g, wide, 4)), "[4]int8{2, 0, 0, 0}");
    g = new_graph();
    assert_value(g, fx_bitwise_shift_right_arithmetic(s8(g, x, 4), s32(g, wide, 4)), "[4]int8{0, -1, 0, -1}");
    g = new_graph();
    assert_value(g, fx_bitwise_shift_right_logical(s8(g, x, 4), s32(g, wide, 4)), "[4]int8{0, 1, 0, 0}");
    g = new_graph();
    assert_value(g, fx_bitwise_shift_left(s32(g, wide, 4), s8(g, n, 4)), "[4]int32{2, 896, 65536, 0}");
    g = new_graph();
    assert_value(g, fx_bitwise_shift_right_logical_scalar(s8(g, x, 4), 2), "[4]int8{0, 32, 16, 63}");
    g = new_graph();
    assert_value(g, fx_bitwise_shift_right_arithmetic_scalar(s8(g, x, 4), 1000), "[4]int8{0, -1, 0, -1}");
    g = new_graph();
    assert_value(g, fx_bitwise_shift_left_scalar(s8(g, x, 4), -1), "[4]int8{0, 0, 0, 0}");
    g = new_graph();
    fx_node *nibbles = fx_convert(s8(g, x, 1), FX_S4);
    assert_value(g, fx_bitwise_shift_left_scalar(nibbles, 3), "[1]int4{-8}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mod_of_integers), cmocka_unit_test(test_mod_of_floats),
        cmocka_unit_test(test_log_add_exp),     cmocka_unit_test(test_signs),
        cmocka_unit_test(test_classes),         cmocka_unit_test(test_arithmetic_with_one),
        cmocka_unit_test(test_numbers),         cmocka_unit_test(test_shifts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
