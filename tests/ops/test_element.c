/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar meaning of elementwise operations at the places where systems go wrong: integer extremes,
 * signs of zero, NaN, rounding in the node's dtype, total order, special functions. Nodes are made by
 * hand: only op, dtypes and attributes count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/ops.h"
#include <math.h>

#define INF ((double)INFINITY)
#define NOT_A_NUMBER ((double)NAN)
#define PI 3.14159265358979323846

/* One element computed as a node would: operands stored in and loaded from `from`, the result likewise in
 * `to`. */
static fxi_scalar compute(fx_op op, fx_dtype from, fx_dtype to, const fxi_scalar *v, uint32_t count,
                          const fxi_attr *attrs, uint32_t attr_count) {
    fx_node operands[4] = {{.id = 0}};
    fx_node *list[4] = {&operands[0], &operands[1], &operands[2], &operands[3]};
    fxi_scalar loaded[4] = {{0}};
    uint64_t room[2] = {0};
    for (uint32_t k = 0; k < count; k++) {
        operands[k].shape.dtype = op == FX_OP_SELECT && k == 0 ? FX_BOOL : from;
        fxi_element_store(operands[k].shape.dtype, room, 0, v[k]);
        loaded[k] = fxi_element_load(operands[k].shape.dtype, room, 0);
    }
    fx_node node = {
        .op = op, .operands = list, .operand_count = count, .attrs = attrs, .attr_count = attr_count};
    node.shape.dtype = to;
    fxi_element_store(to, room, 0, fxi_map_element(&node, loaded));
    return fxi_element_load(to, room, 0);
}

static int64_t ints(fx_op op, fx_dtype dtype, int64_t x, int64_t y) {
    const fxi_scalar v[2] = {{.i = x}, {.i = y}};
    return compute(op, dtype, dtype, v, (uint32_t)fxi_op_info_of(op)->operands, NULL, 0).i;
}

static double floats(fx_op op, fx_dtype dtype, double x, double y) {
    const fxi_scalar v[2] = {{.re = x}, {.re = y}};
    return compute(op, dtype, dtype, v, (uint32_t)fxi_op_info_of(op)->operands, NULL, 0).re;
}

static fxi_scalar complexes(fx_op op, fx_dtype dtype, fxi_scalar x, fxi_scalar y) {
    const fxi_scalar v[2] = {x, y};
    return compute(op, dtype, dtype, v, (uint32_t)fxi_op_info_of(op)->operands, NULL, 0);
}

static bool compares(fx_dtype dtype, fxi_scalar x, fxi_direction direction, fxi_scalar y, int total) {
    const fxi_scalar v[2] = {x, y};
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_DIRECTION, direction),
                              fxi_attr_int(FXI_ATTR_TOTAL_ORDER, total)};
    return compute(FX_OP_COMPARE, dtype, FX_BOOL, v, 2, attrs, 2).i != 0;
}

static void assert_minus_zero(double x) {
    assert_true(x == 0 && signbit(x));
}
static void assert_plus_zero(double x) {
    assert_true(x == 0 && !signbit(x));
}

static void assert_close(double x, double expected, double relative) {
    if (!(fabs(x - expected) <= relative * fabs(expected))) fail_msg("%.17g, expected %.17g", x, expected);
}

/* ---- integers ---- */

static const fx_dtype signed_types[] = {FX_S2, FX_S4, FX_S8, FX_S16, FX_S32, FX_S64};
static const fx_dtype unsigned_types[] = {FX_U2, FX_U4, FX_U8, FX_U16, FX_U32, FX_U64};

/* V09, V10 */
static void smallest_by_minus_one(void **state) {
    (void)state;
    for (int i = 0; i < 6; i++) {
        int64_t smallest = fxi_dtype_lowest(signed_types[i]).i;
        assert_true(ints(FX_OP_DIV, signed_types[i], smallest, -1) == smallest);
        assert_true(ints(FX_OP_REM, signed_types[i], smallest, -1) == 0);
        assert_true(ints(FX_OP_ABS, signed_types[i], smallest, 0) == smallest);
        assert_true(ints(FX_OP_NEG, signed_types[i], smallest, 0) == smallest);
    }
}

/* V11 */
static void division_by_zero(void **state) {
    (void)state;
    for (int i = 0; i < 6; i++) {
        const int64_t values[] = {0, 1, fxi_dtype_highest(signed_types[i]).i,
                                  fxi_dtype_lowest(signed_types[i]).i, -1};
        for (int k = 0; k < 5; k++) {
            assert_true(ints(FX_OP_DIV, signed_types[i], values[k], 0) == -1);
            assert_true(ints(FX_OP_REM, signed_types[i], values[k], 0) == values[k]);
        }
        int64_t highest = fxi_dtype_highest(unsigned_types[i]).i;
        assert_true(ints(FX_OP_DIV, unsigned_types[i], 1, 0) == highest);
        assert_true(ints(FX_OP_REM, unsigned_types[i], highest, 0) == highest);
        assert_true(ints(FX_OP_DIV, unsigned_types[i], highest, highest) == 1);
    }
    assert_int_equal(ints(FX_OP_DIV, FX_S32, -7, 2), -3);
    assert_int_equal(ints(FX_OP_REM, FX_S32, -7, 2), -1);
    assert_int_equal(ints(FX_OP_REM, FX_S32, 7, -2), 1);
}

static void arithmetic_wraps(void **state) {
    (void)state;
    assert_int_equal(ints(FX_OP_ADD, FX_S8, 127, 1), -128);
    assert_int_equal(ints(FX_OP_SUB, FX_U8, 0, 1), 255);
    assert_int_equal(ints(FX_OP_MUL, FX_S4, 7, 7), 1);
    assert_int_equal(ints(FX_OP_NEG, FX_U16, 1, 0), 65535);
    assert_true(ints(FX_OP_ADD, FX_S64, INT64_MAX, 1) == INT64_MIN);
    assert_true(ints(FX_OP_MUL, FX_S64, INT64_MIN, -1) == INT64_MIN);
}

static void integer_powers(void **state) {
    (void)state;
    assert_int_equal(ints(FX_OP_POW, FX_S32, 3, 4), 81);
    assert_int_equal(ints(FX_OP_POW, FX_S32, 0, 0), 1);
    assert_int_equal(ints(FX_OP_POW, FX_S32, 2, 32), 0);
    assert_int_equal(ints(FX_OP_POW, FX_S32, 2, -1), 0);
    assert_int_equal(ints(FX_OP_POW, FX_S32, 0, -1), 0);
    assert_int_equal(ints(FX_OP_POW, FX_S32, 1, -5), 1);
    assert_int_equal(ints(FX_OP_POW, FX_S32, -1, -5), -1);
    assert_int_equal(ints(FX_OP_POW, FX_S32, -1, -4), 1);
    assert_int_equal(ints(FX_OP_POW, FX_U8, 2, 255), 0);
}

static void shifts(void **state) {
    (void)state;
    for (int i = 0; i < 6; i++) {
        int bits = fx_dtype_bits(signed_types[i]);
        int64_t smallest = fxi_dtype_lowest(signed_types[i]).i;
        assert_true(ints(FX_OP_SHIFT_LEFT, signed_types[i], 1, bits - 1) == smallest);
        assert_true(ints(FX_OP_SHIFT_LEFT, signed_types[i], 1, bits) == 0);
        assert_true(ints(FX_OP_SHIFT_RIGHT_LOGICAL, signed_types[i], smallest, bits - 1) == 1);
        assert_true(ints(FX_OP_SHIFT_RIGHT_LOGICAL, signed_types[i], -1, bits) == 0);
        assert_true(ints(FX_OP_SHIFT_RIGHT_ARITHMETIC, signed_types[i], smallest, bits - 1) == -1);
        assert_true(ints(FX_OP_SHIFT_RIGHT_ARITHMETIC, signed_types[i], smallest, bits) == -1);
        assert_true(ints(FX_OP_SHIFT_RIGHT_ARITHMETIC, signed_types[i], 1, -1) == 0);
    }
    assert_int_equal(ints(FX_OP_SHIFT_RIGHT_LOGICAL, FX_S8, -2, 1), 127);
    assert_int_equal(ints(FX_OP_SHIFT_RIGHT_ARITHMETIC, FX_U8, 0x80, 1), 0xc0);
    assert_true(ints(FX_OP_SHIFT_RIGHT_ARITHMETIC, FX_S64, INT64_MIN, 63) == -1);
    assert_true(ints(FX_OP_SHIFT_RIGHT_ARITHMETIC, FX_S64, -5, 0) == -5);
}

static void counting_bits(void **state) {
    (void)state;
    for (int i = 0; i < 6; i++) {
        int bits = fx_dtype_bits(signed_types[i]);
        assert_int_equal(ints(FX_OP_CLZ, unsigned_types[i], 1, 0), bits - 1);
        assert_int_equal(ints(FX_OP_CLZ, signed_types[i], -1, 0), 0);
        if (bits > 4) { /* the counts fit */
            assert_int_equal(ints(FX_OP_POPCOUNT, signed_types[i], -1, 0), bits);
            assert_int_equal(ints(FX_OP_CLZ, signed_types[i], 0, 0), bits);
        }
    }
}

static void bits_and_bools(void **state) {
    (void)state;
    assert_int_equal(ints(FX_OP_NOT, FX_U8, 0x0f, 0), 0xf0);
    assert_int_equal(ints(FX_OP_NOT, FX_BOOL, 1, 0), 0);
    assert_int_equal(ints(FX_OP_NOT, FX_BOOL, 0, 0), 1);
    assert_int_equal(ints(FX_OP_ADD, FX_BOOL, 1, 1), 1);
    assert_int_equal(ints(FX_OP_MUL, FX_BOOL, 1, 0), 0);
    assert_int_equal(ints(FX_OP_XOR, FX_BOOL, 1, 1), 0);
    assert_int_equal(ints(FX_OP_MAX, FX_BOOL, 0, 1), 1);
    assert_int_equal(ints(FX_OP_MAX, FX_U64, -1, 1), -1);
    assert_int_equal(ints(FX_OP_MIN, FX_S64, -1, 1), -1);
    assert_int_equal(ints(FX_OP_SIGN, FX_S8, -128, 0), -1);
    assert_int_equal(ints(FX_OP_SIGN, FX_U8, 200, 0), 1);
}

/* ---- floats ---- */

/* V04 */
static void expm1_keeps_small_arguments(void **state) {
    (void)state;
    const double x[] = {1e-8, 1e-7, 1e-3, -1e-8, 1e-42};
    const float expected[] = {9.99999999e-9f, 1.00000006e-7f, 0.0010005002f, -1e-8f, 1e-42f};
    for (int i = 0; i < 5; i++) assert_true(floats(FX_OP_EXPM1, FX_F32, x[i], 0) == (double)expected[i]);
    assert_minus_zero(floats(FX_OP_EXPM1, FX_F32, -0.0, 0));
}

/* C23 */
static void signs_of_zero(void **state) {
    (void)state;
    assert_minus_zero(floats(FX_OP_NEG, FX_F32, 0.0, 0));
    assert_plus_zero(floats(FX_OP_NEG, FX_F32, -0.0, 0));
    assert_close(floats(FX_OP_ATAN2, FX_F64, 0.0, -0.0), PI, 1e-16);
    assert_minus_zero(floats(FX_OP_ADD, FX_F64, -0.0, -0.0));
    assert_plus_zero(floats(FX_OP_SUB, FX_F64, 0.0, 0.0));
    assert_plus_zero(floats(FX_OP_ADD, FX_F64, -0.0, 0.0));
    assert_minus_zero(floats(FX_OP_SIGN, FX_F16, -0.0, 0));
    assert_plus_zero(floats(FX_OP_MAX, FX_F32, -0.0, 0.0));
    assert_plus_zero(floats(FX_OP_MAX, FX_F32, 0.0, -0.0));
    assert_minus_zero(floats(FX_OP_MIN, FX_F32, 0.0, -0.0));
    assert_minus_zero(floats(FX_OP_MIN, FX_F32, -0.0, 0.0));
    assert_minus_zero(floats(FX_OP_CEIL, FX_F32, -0.5, 0));
    assert_minus_zero(floats(FX_OP_TRUNC, FX_F16, -0.0, 0));
    assert_minus_zero(floats(FX_OP_TRUNC, FX_BF16, -0.75, 0));
    assert_minus_zero(floats(FX_OP_REM, FX_F32, -4.0, 2.0));
}

static void nan_wins(void **state) {
    (void)state;
    assert_true(isnan(floats(FX_OP_MAX, FX_F32, NOT_A_NUMBER, INF)));
    assert_true(isnan(floats(FX_OP_MIN, FX_BF16, 1, NOT_A_NUMBER)));
    assert_true(isnan(floats(FX_OP_SIGN, FX_F64, NOT_A_NUMBER, 0)));
    assert_true(isnan(floats(FX_OP_TRUNC, FX_F16, NOT_A_NUMBER, 0)));
    fxi_scalar v[3] = {{.re = 0}, {.re = NOT_A_NUMBER}, {.re = 1}};
    assert_true(isnan(compute(FX_OP_CLAMP, FX_F32, FX_F32, v, 3, NULL, 0).re));
    v[1].re = 5;
    assert_true(compute(FX_OP_CLAMP, FX_F32, FX_F32, v, 3, NULL, 0).re == 1);
    v[2].re = NOT_A_NUMBER;
    assert_true(isnan(compute(FX_OP_CLAMP, FX_F32, FX_F32, v, 3, NULL, 0).re));
    assert_true(floats(FX_OP_POW, FX_F32, 1, NOT_A_NUMBER) == 1);
    assert_true(floats(FX_OP_POW, FX_F64, NOT_A_NUMBER, 0) == 1);
}

static void rounding(void **state) {
    (void)state;
    const double x[] = {0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 1e300};
    const double even[] = {0, 2, 2, 0, -2, 2, 1e300}, away[] = {1, 2, 3, -1, -2, 2, 1e300};
    const double toward_zero[] = {0, 1, 2, 0, -1, 2, 1e300};
    for (int i = 0; i < 7; i++) {
        assert_true(floats(FX_OP_ROUND, FX_F64, x[i], 0) == even[i]);
        assert_true(floats(FX_OP_ROUND_AWAY, FX_F64, x[i], 0) == away[i]);
        assert_true(floats(FX_OP_TRUNC, FX_F64, x[i], 0) == toward_zero[i]);
    }
    assert_true(floats(FX_OP_ROUND_AWAY, FX_F64, 0.49999999999999994, 0) == 0);
    /* One rounding at the store: 2049 lies between two float16 values. */
    assert_true(floats(FX_OP_ADD, FX_F16, 2048, 1) == 2048);
    assert_true(floats(FX_OP_ADD, FX_BF16, 1, 0x1p-9) == 1);
    assert_true(floats(FX_OP_DIV, FX_F32, 1, 3) == (double)(1.0f / 3.0f));
}

/* C01: no algebra on the way. */
static void overflow_is_not_simplified_away(void **state) {
    (void)state;
    assert_true(isinf(floats(FX_OP_EXP, FX_F32, 89, 0)));
    assert_plus_zero(floats(FX_OP_EXP, FX_F32, -110, 0));
    assert_true(isinf(floats(FX_OP_MUL, FX_F32, 2e19, 2e19)));
    assert_true(floats(FX_OP_HYPOT, FX_F64, 3e300, 4e300) == 5e300);
    assert_plus_zero(floats(FX_OP_LOGISTIC, FX_F64, -1000, 0));
    assert_true(floats(FX_OP_LOGISTIC, FX_F64, 1000, 0) == 1);
    assert_close(floats(FX_OP_LOGISTIC, FX_F64, -745, 0), exp(-745), 0);
}

/* V01, V02, V03 */
static void known_values(void **state) {
    (void)state;
    assert_true(floats(FX_OP_LOG1P, FX_F64, -0.4141892, 0) == -0x1.11cbdaa6f412fp-1);
    assert_true(floats(FX_OP_TANH, FX_F32, 7, 0) == 0x1.ffffc8p-1);
    assert_true(floats(FX_OP_TANH, FX_F32, 9, 0) == 0x1.fffffep-1);
    assert_true(floats(FX_OP_ERF, FX_F32, 3.9004288, 0) == 0x1.fffffep-1);
    assert_close(floats(FX_OP_ERFC, FX_F64, 9, 0), 4.137031746513810238e-37, 2e-16);
}

static void strong_zeros(void **state) {
    (void)state;
    assert_true(floats(FX_OP_STRONG_MUL, FX_F32, 0, INF) == 0);
    assert_true(floats(FX_OP_STRONG_MUL, FX_F32, -0.0, NOT_A_NUMBER) == 0);
    assert_true(floats(FX_OP_STRONG_DIV, FX_F32, 0, 0) == 0);
    assert_true(isnan(floats(FX_OP_STRONG_MUL, FX_F32, INF, 0)));
    assert_true(floats(FX_OP_STRONG_MUL, FX_F32, 3, 2) == 6);
    assert_true(complexes(FX_OP_STRONG_MUL, FX_C64, (fxi_scalar){0}, (fxi_scalar){.re = INF}).re == 0);
    assert_true(complexes(FX_OP_STRONG_DIV, FX_C128, (fxi_scalar){0}, (fxi_scalar){0}).im == 0);
}

static void nextafter_in_the_dtype(void **state) {
    (void)state;
    assert_true(floats(FX_OP_NEXTAFTER, FX_F32, 1, 2) == 1 + 0x1p-23);
    assert_true(floats(FX_OP_NEXTAFTER, FX_F16, 1, 0) == 1 - 0x1p-11);
    assert_true(floats(FX_OP_NEXTAFTER, FX_BF16, -1, -2) == -1 - 0x1p-7);
    assert_true(floats(FX_OP_NEXTAFTER, FX_F64, 0, -1) == -0x1p-1074);
    assert_true(floats(FX_OP_NEXTAFTER, FX_F16, -0.0, 1) == 0x1p-24);
    assert_true(isinf(floats(FX_OP_NEXTAFTER, FX_F16, 65504, INF)));
    assert_true(floats(FX_OP_NEXTAFTER, FX_F32, INF, 0) == 0x1.fffffep127);
    assert_minus_zero(floats(FX_OP_NEXTAFTER, FX_F32, 0.0, -0.0));
    assert_true(isnan(floats(FX_OP_NEXTAFTER, FX_F32, NOT_A_NUMBER, 0)));
}

/* C's lgamma leaves the sign of gamma in a variable of the whole process, a race where threads compute. */
static void no_shared_state(void **state) {
    (void)state;
    signgam = 7;
    assert_true(fabs(floats(FX_OP_LGAMMA, FX_F64, -0.5, 0) - 1.2655121234846454) < 1e-15);
    assert_true(fabs(floats(FX_OP_LGAMMA, FX_F32, 10, 0) - 12.801827480081469) < 1e-6);
    assert_int_equal(signgam, 7);
}

static double reduced(fx_dtype dtype, double x, int exponent, int mantissa) {
    const fxi_attr attrs[] = {fxi_attr_int(FXI_ATTR_EXPONENT, exponent),
                              fxi_attr_int(FXI_ATTR_MANTISSA, mantissa)};
    const fxi_scalar v = {.re = x};
    return compute(FX_OP_REDUCE_PRECISION, dtype, dtype, &v, 1, attrs, 2).re;
}

static void precision_is_reduced(void **state) {
    (void)state;
    assert_true(reduced(FX_F32, 1.001, 8, 7) == 1);
    assert_true(reduced(FX_F32, 1 + 0x1p-8, 8, 7) == 1); /* tie to even */
    assert_true(reduced(FX_F32, 1 + 3 * 0x1p-8, 8, 7) == 1 + 0x1p-6);
    assert_true(isinf(reduced(FX_F32, 65520, 5, 10)));
    assert_true(reduced(FX_F32, 65519, 5, 10) == 65504);
    assert_minus_zero(reduced(FX_F32, -0x1p-15, 5, 10)); /* below the smallest normal of 5 exponent bits */
    assert_true(reduced(FX_F32, 0x1p-14, 5, 10) == 0x1p-14);
    assert_true(reduced(FX_F32, 0x1p-140, 8, 7) == 0); /* no bit of that weight is left */
    assert_true(reduced(FX_F64, 1.0 / 3, 11, 52) == 1.0 / 3);
    assert_true(isnan(reduced(FX_F32, NOT_A_NUMBER, 5, 2)));
    assert_true(isinf(reduced(FX_BF16, INF, 5, 2)));
}

static void comparisons(void **state) {
    (void)state;
    const fxi_scalar nan = {.re = NOT_A_NUMBER}, one = {.re = 1}, zero = {.re = 0.0},
                     minus_zero = {.re = -0.0};
    for (int d = 0; d < FXI_DIRECTIONS; d++)
        assert_true(compares(FX_F32, nan, (fxi_direction)d, nan, 0) == (d == FXI_NE));
    assert_true(compares(FX_F32, zero, FXI_EQ, minus_zero, 0));
    assert_false(compares(FX_F32, zero, FXI_EQ, minus_zero, 1));
    assert_true(compares(FX_F32, minus_zero, FXI_LT, zero, 1));
    assert_true(compares(FX_F32, one, FXI_GE, zero, 0));
    assert_true(compares(FX_U64, (fxi_scalar){.i = -1}, FXI_GT, (fxi_scalar){.i = 1}, 0));
    assert_true(compares(FX_S64, (fxi_scalar){.i = -1}, FXI_LT, (fxi_scalar){.i = 1}, 0));
    assert_true(compares(FX_BOOL, (fxi_scalar){.i = 0}, FXI_LT, (fxi_scalar){.i = 1}, 0));
    assert_true(compares(FX_C64, (fxi_scalar){.re = 1, .im = 2}, FXI_NE, (fxi_scalar){.re = 1}, 0));
}

static void total_order(void **state) {
    (void)state;
    const double order[] = {-NOT_A_NUMBER, -INF, -1, -0x1p-14, -0.0, 0.0, 0x1p-14, 1, INF, NOT_A_NUMBER};
    const fx_dtype dtypes[] = {FX_F16, FX_BF16, FX_F32, FX_F64};
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < 10; i++)
            for (int j = 0; j < 10; j++) {
                fxi_scalar x = {.re = copysign(order[i], i < 5 ? -1 : 1)},
                           y = {.re = copysign(order[j], j < 5 ? -1 : 1)};
                assert_true(compares(dtypes[d], x, FXI_LT, y, 1) == (i < j));
                assert_true(compares(dtypes[d], x, FXI_EQ, y, 1) == (i == j));
            }
}

/* ---- special functions, against values computed with 60 digits ---- */

static void special_functions(void **state) {
    (void)state;
    const struct {
        fx_op op;
        double x, value;
    } cases[] = {
        {FX_OP_ERF_INV, 0.5, 0.47693627620446987338},       {FX_OP_ERF_INV, -0.999, -2.3267537655135245846},
        {FX_OP_ERF_INV, 1e-300, 8.8622692545275798e-301},   {FX_OP_DIGAMMA, 1, -0.57721566490153286061},
        {FX_OP_DIGAMMA, 0.5, -1.9635100260214234794},       {FX_OP_DIGAMMA, 100, 4.6001618527380874002},
        {FX_OP_DIGAMMA, -0.5, 0.036489973978576520559},     {FX_OP_LGAMMA, 0.5, 0.57236494292470008707},
        {FX_OP_LGAMMA, 100, 359.13420536957539878},         {FX_OP_BESSEL_I0E, 1, 0.46575960759364043650},
        {FX_OP_BESSEL_I0E, 100, 0.03994437929909668264756}, {FX_OP_BESSEL_I1E, 1, 0.20791041534970844887},
        {FX_OP_BESSEL_I1E, -2, -0.21526928924893765916},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_close(floats(cases[i].op, FX_F64, cases[i].x, 0), cases[i].value, 4e-16);
        double x = (double)(float)cases[i].x, expected = (double)(float)cases[i].value;
        if (x == cases[i].x) assert_close(floats(cases[i].op, FX_F32, x, 0), expected, 0);
    }
    assert_true(isinf(floats(FX_OP_ERF_INV, FX_F64, 1, 0)));
    assert_true(isnan(floats(FX_OP_ERF_INV, FX_F64, 1.5, 0)));
    assert_true(isnan(floats(FX_OP_DIGAMMA, FX_F64, -3, 0)));
    assert_minus_zero(floats(FX_OP_BESSEL_I1E, FX_F64, -0.0, 0));
    assert_true(floats(FX_OP_BESSEL_I0E, FX_F64, INF, 0) == 0);
}

/* ---- complex ---- */

static void complex_values(void **state) {
    (void)state;
    const fxi_scalar infinite = {.re = INF}, none = {0}, z = {.re = 3, .im = -4}, i = {.im = 1};
    fxi_scalar r = complexes(FX_OP_POW, FX_C128, infinite, none); /* V23 */
    assert_true(r.re == 1 && r.im == 0);
    r = complexes(FX_OP_POW, FX_C64, none, (fxi_scalar){.re = 2});
    assert_true(r.re == 0 && r.im == 0);
    const fxi_scalar *abs_operand = &z;
    assert_true(compute(FX_OP_ABS, FX_C64, FX_F32, abs_operand, 1, NULL, 0).re == 5);
    r = complexes(FX_OP_SIGN, FX_C64, z, none);
    assert_true(r.re == (double)0.6f && r.im == (double)-0.8f);
    r = complexes(FX_OP_SIGN, FX_C64, none, none);
    assert_true(r.re == 0 && r.im == 0);
    r = complexes(FX_OP_MUL, FX_C64, z, i);
    assert_true(r.re == 4 && r.im == 3);
    r = complexes(FX_OP_DIV, FX_C128, (fxi_scalar){.re = 1e300, .im = 1e300},
                  (fxi_scalar){.re = 1e300, .im = 1e300});
    assert_true(r.re == 1 && r.im == 0); /* the squares do not fit a double */
    r = complexes(FX_OP_LOGISTIC, FX_C128, (fxi_scalar){.re = -800}, none);
    assert_true(r.re == 0 && r.im == 0);
    r = complexes(FX_OP_EXPM1, FX_C128, (fxi_scalar){.re = 1e-20, .im = 1e-20}, none);
    assert_true(r.re == 1e-20 && r.im == 1e-20);
    r = complexes(FX_OP_LOG1P, FX_C64, (fxi_scalar){.re = -2}, none);
    assert_close(r.im, (double)(float)PI, 0);
    r = complexes(FX_OP_SQRT, FX_C64, (fxi_scalar){.re = -4}, none);
    assert_true(r.re == 0 && r.im == 2);
    r = complexes(FX_OP_CONJ, FX_C64, z, none);
    assert_true(r.re == 3 && r.im == 4);
    assert_true(compute(FX_OP_IMAG, FX_C64, FX_F32, &z, 1, NULL, 0).re == -4);
    assert_true(compute(FX_OP_IMAG, FX_F32, FX_F32, &z, 1, NULL, 0).re == 0);
}

/* ---- reductions ---- */

static void neutral_elements(void **state) {
    (void)state;
    const fx_dtype dtypes[] = {FX_BOOL, FX_S4, FX_U8, FX_S64, FX_U64, FX_F16, FX_F64};
    for (int k = 0; k < FXI_REDUCE_KINDS; k++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            bool is_float = fx_dtype_is_float(dtypes[d]);
            if (is_float && k >= FXI_AND) continue;
            fxi_scalar x = {.i = dtypes[d] == FX_BOOL ? 1 : 5, .re = -2.5};
            fxi_scalar neutral = fxi_reduce_neutral((fxi_reduce_kind)k, dtypes[d]);
            fxi_scalar r = fxi_reduce_combine((fxi_reduce_kind)k, dtypes[d], neutral, x);
            if (is_float) assert_true(r.re == x.re);
            if (!is_float) assert_true(r.i == x.i);
        }
}

static void select_and_strict_types(void **state) {
    (void)state;
    fxi_scalar v[3] = {{.i = 1}, {.re = 2}, {.re = 3}};
    assert_true(compute(FX_OP_SELECT, FX_F32, FX_F32, v, 3, NULL, 0).re == 2);
    v[0].i = 0;
    assert_true(compute(FX_OP_SELECT, FX_F32, FX_F32, v, 3, NULL, 0).re == 3);
    fxi_scalar x = {.re = -1};
    assert_int_equal(compute(FX_OP_CONVERT, FX_F32, FX_U16, &x, 1, NULL, 0).i, 0);
    assert_int_equal(compute(FX_OP_IS_FINITE, FX_F32, FX_BOOL, &x, 1, NULL, 0).i, 1);
    x.re = INF;
    assert_int_equal(compute(FX_OP_IS_FINITE, FX_F32, FX_BOOL, &x, 1, NULL, 0).i, 0);
}

/* ---- completeness ---- */

static fx_dtype result_dtype(fx_op op, fx_dtype from, const fxi_attr *attrs, size_t attr_count) {
    const fx_shape scalar = {.dtype = from}, *operands[4] = {&scalar, &scalar, &scalar, &scalar};
    const fxi_shape_args args = {.op = op,
                                 .operands = operands,
                                 .operand_count = (size_t)fxi_op_info_of(op)->operands,
                                 .attrs = attrs,
                                 .attr_count = attr_count};
    fx_shape result;
    fx_error err = {0};
    if (!fxi_shape_infer(&args, &result, &err)) fail_msg("%s", err.message);
    return result.dtype;
}

/* Whether a rule is there at all: without one, integers and complex numbers come out as 0, floats as NaN. */
static bool has_meaning(fx_op op, fx_dtype from) {
    static const fxi_scalar values[] = {{1, 0.25, 0.5}, {2, 0.75, -1.5}, {3, 2.5, 1}, {0, -1, 0.125}};
    size_t attr_count;
    const fxi_attr_id *ids = fxi_op_attrs(op, &attr_count);
    fxi_attr attrs[4];
    for (size_t i = 0; i < attr_count; i++)
        attrs[i] = fxi_attr_kind_of(ids[i]) == FXI_KIND_OF_DTYPE ? fxi_attr_dtype(from)
                                                                 : fxi_attr_int(ids[i], i == 0);
    fx_dtype to = result_dtype(op, from, attrs, attr_count);
    for (int i = 0; i < 4 * 4 * 4; i++) {
        const fxi_scalar v[4] = {values[i & 3], values[i >> 2 & 3], values[i >> 4], values[0]};
        fxi_scalar r =
            compute(op, from, to, v, (uint32_t)fxi_op_info_of(op)->operands, attrs, (uint32_t)attr_count);
        bool real = fx_dtype_is_float(to) && !fx_dtype_is_complex(from);
        if (real ? !isnan(r.re) : r.i != 0 || fabs(r.re) + fabs(r.im) > 0) return true;
    }
    return false;
}

static void every_row_has_a_meaning(void **state) {
    (void)state;
    for (int op = 1; op < FX_OP_COUNT; op++) {
        const fxi_op_info *info = fxi_op_info_of((fx_op)op);
        for (int d = 1; d < FX_DTYPE_LIMIT && info->op_class == FXI_CLASS_MAP; d++) {
            if (!(info->dtypes >> d & 1) || (op == FX_OP_COMPLEX && fx_dtype_is_half((fx_dtype)d))) continue;
            if (op == FX_OP_PHILOX && d != FX_U64) continue; /* its shape rule refuses others */
            if (!has_meaning((fx_op)op, (fx_dtype)d))
                fail_msg("%s of %s has no row in src/ops/element*.c", info->text, fx_dtype_name((fx_dtype)d));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_by_minus_one),
        cmocka_unit_test(division_by_zero),
        cmocka_unit_test(arithmetic_wraps),
        cmocka_unit_test(integer_powers),
        cmocka_unit_test(shifts),
        cmocka_unit_test(counting_bits),
        cmocka_unit_test(bits_and_bools),
        cmocka_unit_test(expm1_keeps_small_arguments),
        cmocka_unit_test(signs_of_zero),
        cmocka_unit_test(nan_wins),
        cmocka_unit_test(rounding),
        cmocka_unit_test(overflow_is_not_simplified_away),
        cmocka_unit_test(known_values),
        cmocka_unit_test(strong_zeros),
        cmocka_unit_test(nextafter_in_the_dtype),
        cmocka_unit_test(precision_is_reduced),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(total_order),
        cmocka_unit_test(special_functions),
        cmocka_unit_test(no_shared_state),
        cmocka_unit_test(complex_values),
        cmocka_unit_test(neutral_elements),
        cmocka_unit_test(select_and_strict_types),
        cmocka_unit_test(every_row_has_a_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
