/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes: validity, sizes at the edge of 63 bits, zero-sized axes, text. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tensor/tensor.h"

#define SHAPE(dtype, ...) \
    fx_shape_make((dtype), (const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void scalars_have_one_element(void **state) {
    (void)state;
    fx_shape scalar = fx_shape_make(FX_F64, NULL, 0);
    assert_true(fx_shape_is_valid(&scalar));
    assert_int_equal(fx_shape_size(&scalar), 1);
    assert_int_equal(fx_shape_bytes(&scalar), 8);
    assert_string_equal(fx_shape_to_text(&scalar).s, "(float64)");
}

static void sizes_and_dims(void **state) {
    (void)state;
    fx_shape shape = SHAPE(FX_F32, 2, 3);
    assert_int_equal(fx_shape_size(&shape), 6);
    assert_int_equal(fx_shape_bytes(&shape), 24);
    assert_int_equal(fx_shape_dim(&shape, -1), 3);
    assert_int_equal(fx_shape_dim(&shape, 0), 2);
    assert_int_equal(fx_shape_dim(&shape, 2), -1);
    assert_int_equal(fx_shape_dim(&shape, -3), -1);
    assert_string_equal(fx_shape_to_text(&shape).s, "(float32)[2, 3]");
    int64_t strides[FX_MAX_RANK];
    fxi_shape_strides(&shape, strides);
    assert_int_equal(strides[0], 3);
    assert_int_equal(strides[1], 1);
}

static void packed_bytes_round_up(void **state) {
    (void)state;
    for (int64_t n = 0; n < 20; n++) {
        fx_shape two = fx_shape_make(FX_U2, &n, 1), four = fx_shape_make(FX_S4, &n, 1);
        assert_int_equal(fx_shape_bytes(&two), (2 * n + 7) / 8);
        assert_int_equal(fx_shape_bytes(&four), (4 * n + 7) / 8);
    }
}

static void zero_wins_over_overflow(void **state) {
    (void)state;
    fx_shape empty = SHAPE(FX_F64, INT64_MAX, INT64_MAX, 0);
    assert_int_equal(fx_shape_size(&empty), 0);
    assert_int_equal(fx_shape_bytes(&empty), 0);
    assert_true(fx_shape_is_valid(&empty));
    int64_t strides[FX_MAX_RANK];
    fxi_shape_strides(&empty, strides); /* must not trap under a sanitizer */
}

static void overflow_is_invalid(void **state) {
    (void)state;
    fx_shape big = SHAPE(FX_F64, INT64_C(1) << 60);
    assert_int_equal(fx_shape_size(&big), INT64_C(1) << 60);
    assert_int_equal(fx_shape_bytes(&big), -1);
    assert_false(fx_shape_is_valid(&big));
    fx_shape bytes = SHAPE(FX_U8, INT64_MAX);
    assert_int_equal(fx_shape_bytes(&bytes), INT64_MAX);
    fx_shape bits = SHAPE(FX_S2, INT64_MAX); /* the size in bits does not fit, the bytes do */
    assert_int_equal(fx_shape_bytes(&bits), INT64_MAX / 4 + 1);
    fx_shape square = SHAPE(FX_U8, INT64_C(1) << 32, INT64_C(1) << 31);
    assert_int_equal(fx_shape_size(&square), -1);
    fx_shape s05 = SHAPE(FX_S32, 201996, 201996); /* wraps in 32 bits */
    assert_true(fx_shape_size(&s05) == INT64_C(40802384016));
}

static void bad_arguments(void **state) {
    (void)state;
    int64_t dims[FX_MAX_RANK + 1] = {1};
    assert_int_equal(fx_shape_make(FX_F32, dims, FX_MAX_RANK + 1).dtype, FX_INVALID_DTYPE);
    assert_int_equal(fx_shape_make(FX_F32, NULL, 1).dtype, FX_INVALID_DTYPE);
    assert_int_equal(fx_shape_make((fx_dtype)18, dims, 1).dtype, FX_INVALID_DTYPE);
    dims[0] = -1;
    assert_int_equal(fx_shape_make(FX_F32, dims, 1).dtype, FX_INVALID_DTYPE);
    assert_false(fx_shape_is_valid(NULL));
    assert_int_equal(fx_shape_size(NULL), -1);
    assert_int_equal(fx_shape_bytes(NULL), -1);
    assert_int_equal(fx_shape_dim(NULL, 0), -1);
    assert_false(fx_shape_equal(NULL, NULL));
    assert_string_equal(fx_shape_to_text(NULL).s, "(invalid)");
    fx_shape kept = SHAPE(FX_F32, 2, -3), beyond = fx_shape_make(FX_F32, dims, SIZE_MAX);
    assert_string_equal(fx_shape_to_text(&kept).s, "(invalid)[2, -3]"); /* tells a reader what was asked */
    assert_int_equal(fx_shape_size(&kept), -1);
    assert_int_equal(beyond.rank, -INT_MAX);
    assert_string_equal(fx_shape_to_text(&beyond).s, "(invalid)");
    assert_int_equal(fx_shape_size(&beyond), -1);
    fx_shape broken = {.dtype = FX_F32, .rank = 99};
    assert_false(fx_shape_is_valid(&broken));
    assert_int_equal(fx_shape_size(&broken), -1);
}

static void longest_text_fits(void **state) {
    (void)state;
    int64_t dims[FX_MAX_RANK];
    for (int i = 0; i < FX_MAX_RANK; i++) dims[i] = INT64_MAX;
    fx_shape shape = fx_shape_make(FX_F8E4M3FN, dims, FX_MAX_RANK);
    fx_shape_text text = fx_shape_to_text(&shape);
    size_t length = 0;
    while (text.s[length]) length++;
    assert_int_equal(text.s[length - 1], ']');
}

static void equality(void **state) {
    (void)state;
    fx_shape a = SHAPE(FX_F32, 2, 3), b = SHAPE(FX_F32, 2, 3), c = SHAPE(FX_F64, 2, 3),
             d = SHAPE(FX_F32, 3, 2);
    assert_true(fx_shape_equal(&a, &b));
    assert_false(fx_shape_equal(&a, &c));
    assert_true(fx_shape_equal_dims(&a, &c));
    assert_false(fx_shape_equal_dims(&a, &d));
}

static void axes(void **state) {
    (void)state;
    assert_int_equal(fxi_axis_normalize(-1, 3), 2);
    assert_int_equal(fxi_axis_normalize(0, 3), 0);
    assert_int_equal(fxi_axis_normalize(3, 3), -1);
    assert_int_equal(fxi_axis_normalize(-4, 3), -1);
    assert_int_equal(fxi_axis_normalize(INT64_MIN, 3), -1);
    assert_int_equal(fxi_axis_normalize(0, 0), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_have_one_element),
        cmocka_unit_test(sizes_and_dims),
        cmocka_unit_test(packed_bytes_round_up),
        cmocka_unit_test(zero_wins_over_overflow),
        cmocka_unit_test(overflow_is_invalid),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(longest_text_fits),
        cmocka_unit_test(equality),
        cmocka_unit_test(axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
