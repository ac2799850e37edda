/* SPDX-License-Identifier: Apache-2.0 */
/* The dtype table: numbers, names both ways, classes and widths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fluxion/dtype.h>

static const struct {
    fx_dtype dtype;
    const char *name, *hlo;
    int bits;
} expected[] = {
    {FX_BOOL, "bool", "i1", 8},
    {FX_S2, "int2", "i2", 2},
    {FX_S4, "int4", "i4", 4},
    {FX_S8, "int8", "i8", 8},
    {FX_S16, "int16", "i16", 16},
    {FX_S32, "int32", "i32", 32},
    {FX_S64, "int64", "i64", 64},
    {FX_U2, "uint2", "ui2", 2},
    {FX_U4, "uint4", "ui4", 4},
    {FX_U8, "uint8", "ui8", 8},
    {FX_U16, "uint16", "ui16", 16},
    {FX_U32, "uint32", "ui32", 32},
    {FX_U64, "uint64", "ui64", 64},
    {FX_F16, "float16", "f16", 16},
    {FX_BF16, "bfloat16", "bf16", 16},
    {FX_F32, "float32", "f32", 32},
    {FX_F64, "float64", "f64", 64},
    {FX_C64, "complex64", "complex<f32>", 64},
    {FX_C128, "complex128", "complex<f64>", 128},
    {FX_F8E5M2, "float8_e5m2", "f8E5M2", 8},
    {FX_F8E4M3FN, "float8_e4m3fn", "f8E4M3FN", 8},
};
#define COUNT (sizeof expected / sizeof *expected)

static void names_and_bits(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(fx_dtype_is_valid(expected[i].dtype));
        assert_string_equal(fx_dtype_name(expected[i].dtype), expected[i].name);
        assert_int_equal(fx_dtype_bits(expected[i].dtype), expected[i].bits);
        assert_int_equal(fx_dtype_parse(expected[i].name), expected[i].dtype);
        assert_int_equal(fx_dtype_parse(expected[i].hlo), expected[i].dtype);
    }
}

static void other_spellings(void **state) {
    (void)state;
    assert_int_equal(fx_dtype_parse("PRED"), FX_BOOL);
    assert_int_equal(fx_dtype_parse("S32"), FX_S32);
    assert_int_equal(fx_dtype_parse("u4"), FX_U4);
    assert_int_equal(fx_dtype_parse("Float32"), FX_F32);
    assert_int_equal(fx_dtype_parse("BF16"), FX_BF16);
    assert_int_equal(fx_dtype_parse("c64"), FX_C64);
    assert_int_equal(fx_dtype_parse("COMPLEX<F64>"), FX_C128);
    assert_int_equal(fx_dtype_parse("f8e4m3fn"), FX_F8E4M3FN);
}

static void what_is_no_dtype(void **state) {
    (void)state;
    assert_int_equal(fx_dtype_parse(NULL), FX_INVALID_DTYPE);
    assert_int_equal(fx_dtype_parse(""), FX_INVALID_DTYPE);
    assert_int_equal(fx_dtype_parse("f3"), FX_INVALID_DTYPE);
    assert_int_equal(fx_dtype_parse("f32x"), FX_INVALID_DTYPE);
    const int numbers[] = {-1, 0, 18, 20, 23, 26, 1000000};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_false(fx_dtype_is_valid((fx_dtype)numbers[i]));
        assert_int_equal(fx_dtype_bits((fx_dtype)numbers[i]), 0);
        assert_string_equal(fx_dtype_name((fx_dtype)numbers[i]), "invalid");
    }
    int valid = 0;
    for (int d = 0; d < 64; d++) valid += fx_dtype_is_valid((fx_dtype)d);
    assert_int_equal(valid, COUNT);
}

static void classes(void **state) {
    (void)state;
    assert_true(fx_dtype_is_float(FX_F8E5M2) && fx_dtype_is_float(FX_BF16) && !fx_dtype_is_float(FX_C64));
    assert_true(fx_dtype_is_half(FX_F16) && fx_dtype_is_half(FX_BF16) && !fx_dtype_is_half(FX_F32));
    assert_true(fx_dtype_is_integer(FX_S2) && fx_dtype_is_integer(FX_U64) && !fx_dtype_is_integer(FX_BOOL));
    assert_true(fx_dtype_is_signed(FX_S4) && !fx_dtype_is_signed(FX_U4) && !fx_dtype_is_signed(FX_F32));
    assert_true(fx_dtype_is_unsigned(FX_U2) && !fx_dtype_is_unsigned(FX_BOOL));
    assert_true(fx_dtype_is_complex(FX_C128) && !fx_dtype_is_complex(FX_F64));
    assert_int_equal(fx_dtype_real(FX_C64), FX_F32);
    assert_int_equal(fx_dtype_real(FX_C128), FX_F64);
    assert_int_equal(fx_dtype_real(FX_S8), FX_S8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_bits),
        cmocka_unit_test(other_spellings),
        cmocka_unit_test(what_is_no_dtype),
        cmocka_unit_test(classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
