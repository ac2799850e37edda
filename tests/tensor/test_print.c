/* SPDX-License-Identifier: Apache-2.0 */
/* Text of tensors: layout, shortest digits per dtype, cutting and options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tensor/tensor.h"
#include <math.h>
#include <stdlib.h>

#define SHAPE(dtype, ...) \
    fx_shape_make((dtype), (const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void expect_scalar(fx_dtype dtype, double value, const char *text) {
    fx_tensor *t = fx_tensor_scalar(dtype, value, NULL);
    assert_string_equal(fx_tensor_text(t).s, text);
    fx_tensor_free(t);
}

static void scalars(void **state) {
    (void)state;
    expect_scalar(FX_F64, 5, "float64(5)");
    expect_scalar(FX_F32, 0.1, "float32(0.1)");
    expect_scalar(FX_F64, (double)0.1f, "float64(0.10000000149011612)");
    expect_scalar(FX_F16, 1.0 / 3, "float16(0.3333)");
    expect_scalar(FX_BF16, 1.0 / 3, "bfloat16(0.334)");
    expect_scalar(FX_F16, 65504, "float16(65500)");
    expect_scalar(FX_F8E4M3FN, 448, "float8_e4m3fn(450)");
    expect_scalar(FX_F64, -0.0, "float64(-0)");
    expect_scalar(FX_F64, (double)NAN, "float64(NaN)");
    expect_scalar(FX_F32, (double)INFINITY, "float32(Inf)");
    expect_scalar(FX_F32, -(double)INFINITY, "float32(-Inf)");
    expect_scalar(FX_BOOL, 1, "bool(true)");
    expect_scalar(FX_S4, -8, "int4(-8)");
    expect_scalar(FX_C64, 1, "complex64((1+0i))");
}

static void notation(void **state) {
    (void)state;
    expect_scalar(FX_F64, 100000, "float64(100000)");
    expect_scalar(FX_F64, 1e15, "float64(1000000000000000)");
    expect_scalar(FX_F64, 1e16, "float64(1e+16)");
    expect_scalar(FX_F64, 1.5e20, "float64(1.5e+20)");
    expect_scalar(FX_F64, 0.00001, "float64(0.00001)");
    expect_scalar(FX_F64, 0.0000125, "float64(0.0000125)");
    expect_scalar(FX_F64, 0.000001, "float64(1e-06)");
    expect_scalar(FX_F64, 123.456, "float64(123.456)");
    expect_scalar(FX_F64, 5e-324, "float64(5e-324)");
    expect_scalar(FX_F64, 1.7976931348623157e308, "float64(1.7976931348623157e+308)");
    expect_scalar(FX_F32, 16777216, "float32(16777216)");
    expect_scalar(FX_F32, 0x1p-149, "float32(1e-45)");
}

/* Every value reads back, with a few bit patterns of each exponent. */
static void digits_read_back(void **state) {
    (void)state;
    uint32_t pattern = 1;
    for (int i = 0; i < 20000; i++) {
        pattern = pattern * 1664525u + 1013904223u;
        fx_shape shape = fx_shape_make(FX_F32, NULL, 0);
        fx_tensor *t = fx_tensor_copy_from(&shape, &pattern, NULL);
        double value = fx_tensor_get(t, 0);
        const char *text = strchr(fx_tensor_text(t).s, '(');
        if (!isnan(value) && !isinf(value)) assert_true((double)strtof(text + 1, NULL) == value);
        fx_tensor_free(t);
    }
}

static void nesting(void **state) {
    (void)state;
    const int32_t values[] = {1, 2, 3, 4, 5, 6};
    fx_shape matrix = SHAPE(FX_S32, 2, 3), cube = SHAPE(FX_S32, 2, 1, 3), vector = SHAPE(FX_F32, 2);
    fx_tensor *t = fx_tensor_copy_from(&matrix, values, NULL);
    assert_string_equal(fx_tensor_text(t).s, "[2][3]int32{{1, 2, 3}, {4, 5, 6}}");
    fx_tensor_free(t);
    t = fx_tensor_copy_from(&cube, values, NULL);
    assert_string_equal(fx_tensor_text(t).s, "[2][1][3]int32{{{1, 2, 3}}, {{4, 5, 6}}}");
    fx_tensor_free(t);
    t = fx_tensor_copy_from(&vector, (const float[]){1, 2}, NULL);
    assert_string_equal(fx_tensor_text(t).s, "[2]float32{1, 2}");
    fx_tensor_free(t);
}

static void empty_and_other_kinds(void **state) {
    (void)state;
    fx_shape empty = SHAPE(FX_F32, 0), rows = SHAPE(FX_F32, 2, 0), no_rows = SHAPE(FX_F32, 0, 2);
    fx_shape complex_pair = SHAPE(FX_C128, 3), packed = SHAPE(FX_S4, 3), bools = SHAPE(FX_BOOL, 2);
    fx_tensor *t = fx_tensor_new(&empty, NULL);
    assert_string_equal(fx_tensor_text(t).s, "[0]float32{}");
    fx_tensor_free(t);
    t = fx_tensor_new(&rows, NULL);
    assert_string_equal(fx_tensor_text(t).s, "[2][0]float32{{}, {}}");
    fx_tensor_free(t);
    t = fx_tensor_new(&no_rows, NULL);
    assert_string_equal(fx_tensor_text(t).s, "[0][2]float32{}");
    fx_tensor_free(t);
    const double parts[] = {1, 2, 0.5, -0.0, (double)INFINITY, (double)NAN};
    t = fx_tensor_copy_from(&complex_pair, parts, NULL);
    assert_string_equal(fx_tensor_text(t).s, "[3]complex128{(1+2i), (0.5-0i), (Inf+NaNi)}");
    fx_tensor_free(t);
    t = fx_tensor_copy_from(&packed, "\x8f\x07", NULL);
    assert_string_equal(fx_tensor_text(t).s, "[3]int4{-1, -8, 7}");
    fx_tensor_free(t);
    t = fx_tensor_copy_from(&bools, "\0\1", NULL);
    assert_string_equal(fx_tensor_text(t).s, "[2]bool{false, true}");
    fx_tensor_free(t);
    assert_string_equal(fx_tensor_text(NULL).s, "NULL");
}

static fx_tensor *counting(int64_t rows, int64_t columns) {
    fx_shape shape = SHAPE(FX_S32, rows, columns);
    fx_tensor *t = fx_tensor_new(&shape, NULL);
    for (int64_t i = 0; i < rows * columns; i++)
        fxi_element_store(FX_S32, fx_tensor_mutable_data(t), i, (fxi_scalar){.i = i});
    return t;
}

static void long_axes_are_cut(void **state) {
    (void)state;
    fx_tensor *t = counting(1, 9);
    assert_string_equal(fx_tensor_text(t).s, "[1][9]int32{{0, 1, 2, ..., 6, 7, 8}}");
    char text[100];
    fx_tensor_format(t, text, sizeof text, &(fx_format_options){.full = true});
    assert_string_equal(text, "[1][9]int32{{0, 1, 2, 3, 4, 5, 6, 7, 8}}");
    fx_tensor_free(t);
    t = counting(10, 1);
    assert_string_equal(fx_tensor_text(t).s, "[10][1]int32{{0}, {1}, {2}, ..., {7}, {8}, {9}}");
    fx_tensor_free(t);
    t = counting(1, 8);
    assert_null(strstr(fx_tensor_text(t).s, "..."));
    fx_tensor_free(t);
}

static void long_text_is_cut(void **state) {
    (void)state;
    fx_tensor *t = counting(8, 8);
    for (int64_t i = 0; i < 64; i++)
        fxi_element_store(FX_S32, fx_tensor_mutable_data(t), i, (fxi_scalar){.i = 1000000000 + i});
    fx_text text = fx_tensor_text(t);
    assert_int_equal(strlen(text.s), 255);
    assert_string_equal(text.s + 252, "...");
    size_t needed = fx_tensor_format(t, NULL, 0, NULL);
    char *all = malloc(needed + 1);
    assert_non_null(all);
    assert_int_equal(fx_tensor_format(t, all, needed + 1, NULL), needed);
    assert_int_equal(strlen(all), needed);
    assert_memory_equal(all, text.s, 252);
    char little[8];
    assert_int_equal(fx_tensor_format(t, little, sizeof little, NULL), needed);
    assert_int_equal(strlen(little), 7);
    free(all);
    fx_tensor_free(t);
}

static void options(void **state) {
    (void)state;
    fx_tensor *t = counting(2, 2);
    char text[100];
    fx_tensor_format(t, text, sizeof text, &(fx_format_options){.row_a_line = true});
    assert_string_equal(text, "[2][2]int32{\n  {0, 1},\n  {2, 3}\n}");
    fx_tensor_free(t);
    t = fx_tensor_scalar(FX_F64, 2.0 / 3, NULL);
    fx_tensor_format(t, text, sizeof text,
                     &(fx_format_options){.size = sizeof(fx_format_options), .precision = 3});
    assert_string_equal(text, "float64(0.667)");
    fx_tensor_free(t);
}

static void printing_to_a_stream(void **state) {
    (void)state;
    fx_tensor *t = fx_tensor_scalar(FX_S32, 7, NULL);
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(fx_tensor_print(t, file, NULL));
    rewind(file);
    char line[32];
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "int32(7)\n");
    fclose(file);
    assert_false(fx_tensor_print(t, NULL, NULL));
    fx_tensor_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars),
        cmocka_unit_test(notation),
        cmocka_unit_test(digits_read_back),
        cmocka_unit_test(nesting),
        cmocka_unit_test(empty_and_other_kinds),
        cmocka_unit_test(long_axes_are_cut),
        cmocka_unit_test(long_text_is_cut),
        cmocka_unit_test(options),
        cmocka_unit_test(printing_to_a_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
