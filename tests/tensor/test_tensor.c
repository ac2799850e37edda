/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: copies, strided copies, wrapping, reference counts, equality, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tensor/tensor.h"
#include <math.h>

#define SHAPE(dtype, ...) \
    fx_shape_make((dtype), (const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void new_is_zeroed_and_aligned(void **state) {
    (void)state;
    fx_shape shape = SHAPE(FX_F32, 3, 5);
    fx_tensor *t = fx_tensor_new(&shape, NULL);
    assert_non_null(t);
    assert_int_equal((uintptr_t)fx_tensor_data(t) % 64, 0);
    for (int64_t i = 0; i < 15; i++) assert_true(fx_tensor_get(t, i) == 0);
    assert_int_equal(fx_tensor_size(t), 15);
    assert_int_equal(fx_tensor_rank(t), 2);
    assert_int_equal(fx_tensor_dtype(t), FX_F32);
    memset(fx_tensor_mutable_data(t), 1, 64); /* the capacity is a whole block */
    fx_tensor_free(t);
}

/* T01: later writes by the host are not seen. */
static void from_copies(void **state) {
    (void)state;
    int32_t values[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const int64_t dims[] = {2, 3};
    fx_tensor *t = fx_tensor_from((fx_host){values, FX_S32, dims, 2}, NULL);
    values[0][0] = -1;
    for (int i = 0; i < 6; i++) assert_int_equal(fx_tensor_get_int(t, i), i + 1);
    fx_tensor_free(t);
}

static void empty_tensors(void **state) {
    (void)state;
    const int64_t dims[] = {0, 3};
    fx_tensor *t = fx_tensor_from((fx_host){NULL, FX_F64, dims, 2}, NULL);
    assert_non_null(t);
    assert_int_equal(fx_tensor_size(t), 0);
    assert_true(isnan(fx_tensor_get(t, 0)));
    fx_tensor *u = fx_tensor_ref(t);
    assert_ptr_equal(u, t);
    assert_true(fx_tensor_equal(t, u));
    fx_tensor_free(t);
    fx_tensor_free(u);
}

/* T12, T13: byte strides of a transposed, reversed, repeated and sliced source. */
static void strided_copies(void **state) {
    (void)state;
    static float data[2048];
    for (int i = 0; i < 2048; i++) data[i] = (float)i;
    fx_shape shape = SHAPE(FX_F32, 32, 64);
    fx_tensor *t = fx_tensor_copy_strided(&shape, data, (const int64_t[]){4, 128}, NULL);
    for (int64_t i = 0; i < 32; i++)
        for (int64_t j = 0; j < 64; j++) assert_true(fx_tensor_get(t, i * 64 + j) == (double)(j * 32 + i));
    fx_tensor_free(t);

    shape = SHAPE(FX_F32, 8);
    t = fx_tensor_copy_strided(&shape, data + 7, (const int64_t[]){-4}, NULL);
    for (int64_t i = 0; i < 8; i++) assert_true(fx_tensor_get(t, i) == (double)(7 - i));
    fx_tensor_free(t);

    shape = SHAPE(FX_F32, 2, 3);
    t = fx_tensor_copy_strided(&shape, data + 5, (const int64_t[]){0, 8}, NULL);
    for (int64_t i = 0; i < 6; i++) assert_true(fx_tensor_get(t, i) == (double)(5 + 2 * (i % 3)));
    fx_tensor_free(t);
}

/* S15: the stride of an axis of size 1 means nothing. */
static void strides_of_unit_axes_are_ignored(void **state) {
    (void)state;
    const int16_t data[] = {1, 2, 3, 4};
    fx_shape shape = SHAPE(FX_S16, 1, 2, 1, 2, 1);
    const int64_t strides[] = {INT64_MAX, 4, INT64_MIN, 2, 12345};
    fx_tensor *t = fx_tensor_copy_strided(&shape, data, strides, NULL);
    for (int i = 0; i < 4; i++) assert_int_equal(fx_tensor_get_int(t, i), i + 1);
    fx_tensor_free(t);
    shape = SHAPE(FX_S16, 1);
    t = fx_tensor_copy_strided(&shape, data + 3, (const int64_t[]){INT64_MAX}, NULL);
    assert_int_equal(fx_tensor_get_int(t, 0), 4);
    fx_tensor_free(t);
}

static void strided_copies_of_every_width(void **state) {
    (void)state;
    const fx_dtype dtypes[] = {FX_U8, FX_BF16, FX_S32, FX_C64, FX_C128};
    unsigned char bytes[256];
    for (int i = 0; i < 256; i++) bytes[i] = (unsigned char)i;
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        size_t size = (size_t)fx_dtype_bits(dtypes[d]) / 8;
        fx_shape shape = SHAPE(dtypes[d], 5);
        fx_tensor *t = fx_tensor_copy_strided(&shape, bytes, (const int64_t[]){3 * (int64_t)size}, NULL);
        for (size_t i = 0; i < 5; i++)
            assert_memory_equal((const char *)fx_tensor_data(t) + i * size, bytes + 3 * i * size, size);
        fx_tensor_free(t);
    }
}

static void count_release(void *data, void *user) {
    (void)data;
    ++*(int *)user;
}

static void wrapping_shares_and_releases_once(void **state) {
    (void)state;
    double values[2] = {1, 2};
    int released = 0;
    fx_shape shape = SHAPE(FX_F64, 2);
    fx_tensor *t = fx_tensor_wrap(&shape, values, count_release, &released, NULL);
    assert_ptr_equal(fx_tensor_data(t), values);
    values[1] = 5;
    assert_true(fx_tensor_get(t, 1) == 5);
    fx_tensor *u = fx_tensor_ref(t);
    fx_tensor_free(t);
    assert_int_equal(released, 0);
    fx_tensor_free(u);
    assert_int_equal(released, 1);
}

static void donated_tensors_have_no_elements(void **state) {
    (void)state;
    double value = 1;
    int released = 0;
    fx_shape shape = fx_shape_make(FX_F64, NULL, 0);
    fx_tensor *t = fx_tensor_wrap(&shape, &value, count_release, &released, NULL);
    atomic_store(&t->donated, true);
    assert_false(fx_tensor_is_valid(t));
    assert_null(fx_tensor_data(t));
    assert_null(fx_tensor_mutable_data(t));
    assert_true(isnan(fx_tensor_get(t, 0)));
    assert_false(fx_tensor_equal(t, t));
    fx_tensor_free(t);
    assert_int_equal(released, 0); /* whoever took the memory gives it back */
}

static void read_only_memory_is_not_writable(void **state) {
    (void)state;
    fx_tensor *t = fx_tensor_scalar(FX_F32, 1, NULL);
    assert_non_null(fx_tensor_mutable_data(t));
    t->read_only = true;
    assert_null(fx_tensor_mutable_data(t));
    assert_non_null(fx_tensor_data(t));
    fx_tensor_free(t);
}

static void scalars_round_and_wrap(void **state) {
    (void)state;
    const struct {
        fx_dtype dtype;
        double value, stored;
    } cases[] = {{FX_F32, 0.1, (double)0.1f},
                 {FX_S8, 300, 127},
                 {FX_U8, -3, 0},
                 {FX_S4, 2.9, 2},
                 {FX_BOOL, 0.5, 1},
                 {FX_C64, 2.5, 2.5},
                 {FX_F16, 65520, (double)INFINITY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fx_tensor *t = fx_tensor_scalar(cases[i].dtype, cases[i].value, NULL);
        assert_true(fx_tensor_get(t, 0) == cases[i].stored);
        fx_tensor_free(t);
    }
    fx_tensor *t = fx_tensor_scalar_int(FX_S8, 300, NULL);
    assert_int_equal(fx_tensor_get_int(t, 0), 44);
    fx_tensor_free(t);
    t = fx_tensor_scalar_int(FX_S64, INT64_MAX, NULL);
    assert_true(fx_tensor_get_int(t, 0) == INT64_MAX);
    fx_tensor_free(t);
}

static void equality_ignores_padding_bits(void **state) {
    (void)state;
    fx_shape shape = SHAPE(FX_U4, 3);
    fx_tensor *a = fx_tensor_copy_from(&shape, "\x21\x03", NULL),
              *b = fx_tensor_copy_from(&shape, "\x21\xf3", NULL);
    fx_tensor *c = fx_tensor_copy_from(&shape, "\x21\x04", NULL);
    assert_true(fx_tensor_equal(a, b));
    assert_false(fx_tensor_equal(a, c));
    fx_tensor_free(a);
    fx_tensor_free(b);
    fx_tensor_free(c);
    fx_tensor *zero = fx_tensor_scalar(FX_F32, 0.0, NULL), *minus = fx_tensor_scalar(FX_F32, -0.0, NULL);
    assert_false(fx_tensor_equal(zero, minus)); /* bits, not values */
    fx_tensor_free(zero);
    fx_tensor_free(minus);
}

static void refusals_name_the_code(void **state) {
    (void)state;
    fx_error err = {0};
    fx_shape good = SHAPE(FX_F32, 2), packed = SHAPE(FX_S4, 2), huge = SHAPE(FX_F64, INT64_C(1) << 62);
    assert_null(fx_tensor_new(&huge, &err));
    assert_int_equal(err.code, FX_ERROR_MEMORY);
    assert_null(fx_tensor_new(NULL, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fx_tensor_copy_from(&good, NULL, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fx_tensor_from((fx_host){&good, (fx_dtype)18, NULL, 0}, &err));
    assert_null(fx_tensor_copy_strided(&packed, &good, (const int64_t[]){1}, &err));
    assert_int_equal(err.code, FX_ERROR_DTYPE);
    assert_null(fx_tensor_copy_strided(&good, &good, NULL, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fx_tensor_wrap(&good, NULL, NULL, NULL, &err));
    assert_null(fx_tensor_wrap(&good, (char *)&good + 1, NULL, NULL, &err));
    assert_int_equal(err.code, FX_ERROR_ARGUMENT);
    assert_null(fx_tensor_scalar(FX_INVALID_DTYPE, 1, &err));
    assert_int_equal(err.code, FX_ERROR_DTYPE);
    fx_shape memory = SHAPE(FX_U8, INT64_MAX - 1);
    assert_null(fx_tensor_new(&memory, &err));
    assert_int_equal(err.code, FX_ERROR_MEMORY);
    assert_null(fx_tensor_new(&memory, NULL));
}

static void null_is_harmless(void **state) {
    (void)state;
    fx_tensor_free(NULL);
    assert_null(fx_tensor_ref(NULL));
    assert_null(fx_tensor_data(NULL));
    assert_null(fx_tensor_mutable_data(NULL));
    assert_false(fx_tensor_is_valid(NULL));
    assert_false(fx_shape_is_valid(fx_tensor_shape(NULL)));
    assert_int_equal(fx_tensor_size(NULL), -1);
    assert_int_equal(fx_tensor_get_int(NULL, 0), 0);
    assert_true(isnan(fx_tensor_get(NULL, 0)));
    assert_false(fx_tensor_equal(NULL, NULL));
    fx_tensor *t = fx_tensor_scalar(FX_F32, 1, NULL);
    assert_true(isnan(fx_tensor_get(t, 1)) && isnan(fx_tensor_get(t, -1)));
    fx_tensor_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_is_zeroed_and_aligned),
        cmocka_unit_test(from_copies),
        cmocka_unit_test(empty_tensors),
        cmocka_unit_test(strided_copies),
        cmocka_unit_test(strides_of_unit_axes_are_ignored),
        cmocka_unit_test(strided_copies_of_every_width),
        cmocka_unit_test(wrapping_shares_and_releases_once),
        cmocka_unit_test(donated_tensors_have_no_elements),
        cmocka_unit_test(read_only_memory_is_not_writable),
        cmocka_unit_test(scalars_round_and_wrap),
        cmocka_unit_test(equality_ignores_padding_bits),
        cmocka_unit_test(refusals_name_the_code),
        cmocka_unit_test(null_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
