/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of one element: truncation, saturation, wrapping, single rounding, packed dtypes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tensor/tensor.h"
#include <math.h>

/* What a value becomes when it is stored in a dtype. */
static fxi_scalar through(fx_dtype from, fxi_scalar value, fx_dtype to) {
    uint64_t room[2] = {0};
    fxi_element_store(to, room, 0, fxi_scalar_convert(value, from, to));
    return fxi_element_load(to, room, 0);
}

static int64_t float_to_int(double value, fx_dtype to) {
    return through(FX_F64, (fxi_scalar){.re = value}, to).i;
}

static double float_to_float(double value, fx_dtype to) {
    return through(FX_F64, (fxi_scalar){.re = value}, to).re;
}

static int64_t int_to_int(int64_t value, fx_dtype from, fx_dtype to) {
    return through(from, (fxi_scalar){.i = value}, to).i;
}

/* V14, V15: truncation towards zero, saturation at both ends, NaN gives 0. */
static void float_to_integer(void **state) {
    (void)state;
    const double values[] = {1.48259,  1.79334, -1.76206, 0.0971,   -1.09999,
                             -3.12108, 2.93178, -0.07595, -1.12773, -8.64211};
    const int expected[] = {1, 1, 0, 0, 0, 0, 2, 0, 0, 0};
    for (int i = 0; i < 10; i++) assert_int_equal(float_to_int(values[i], FX_U16), expected[i]);
    const fx_dtype unsigned_types[] = {FX_U2, FX_U4, FX_U8, FX_U16, FX_U32, FX_U64};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(float_to_int(-1.0, unsigned_types[i]), 0);
        assert_int_equal(float_to_int((double)NAN, unsigned_types[i]), 0);
        assert_true(float_to_int((double)INFINITY, unsigned_types[i]) ==
                    fxi_dtype_highest(unsigned_types[i]).i);
    }
    assert_true(float_to_int(1e30, FX_U64) == -1);
    assert_true((uint64_t)float_to_int(0x1p63, FX_U64) == UINT64_C(1) << 63);
    assert_true(float_to_int(0x1p63, FX_S64) == INT64_MAX);
    assert_true(float_to_int(-0x1p63, FX_S64) == INT64_MIN);
    assert_true(float_to_int(-1e30, FX_S64) == INT64_MIN);
    assert_int_equal(float_to_int(127.9, FX_S8), 127);
    assert_int_equal(float_to_int(128, FX_S8), 127);
    assert_int_equal(float_to_int(-128.9, FX_S8), -128);
    assert_int_equal(float_to_int(-1e9, FX_S2), -2);
    assert_int_equal(float_to_int(7.5, FX_S4), 7);
}

/* V16: one rounding, from the wide value. */
static void float_to_narrow_float(void **state) {
    (void)state;
    assert_true(float_to_float(0x1p-133, FX_BF16) == 0x1p-133);
    assert_true(float_to_float(0x1p-134, FX_BF16) == 0);
    assert_true(float_to_float(1.5 * 0x1p-134, FX_BF16) == 0x1p-133);
    assert_true(float_to_float(0x1p-24, FX_F16) == 0x1p-24);
    assert_true(float_to_float(0x1p-25, FX_F16) == 0);
    assert_true(float_to_float(0x1p-25 * (1 + 0x1p-30), FX_F16) == 0x1p-24);
    assert_true(float_to_float(65519.99, FX_F16) == 65504);
    assert_true(isinf(float_to_float(65520, FX_F16)));
    assert_true(isnan(float_to_float(1e6, FX_F8E4M3FN))); /* no infinity there */
    assert_true(float_to_float(448, FX_F8E4M3FN) == 448);
    assert_true(isinf(float_to_float(1e6, FX_F8E5M2)));
    assert_true(signbit(float_to_float(-0.0, FX_F16)));
}

/* V17: a NaN stays one whatever its payload. */
static void nan_stays_nan(void **state) {
    (void)state;
    const uint32_t nans[] = {0x7f800001, 0x7fffffff, 0xff800001};
    const fx_dtype targets[] = {FX_BF16, FX_F16, FX_F32, FX_F64, FX_F8E4M3FN, FX_F8E5M2};
    for (int i = 0; i < 3; i++)
        for (int t = 0; t < 6; t++)
            assert_true(isnan(through(FX_F32, fxi_element_load(FX_F32, &nans[i], 0), targets[t]).re));
}

static void integers_wrap(void **state) {
    (void)state;
    assert_int_equal(int_to_int(300, FX_S32, FX_S8), 44);
    assert_int_equal(int_to_int(200, FX_U8, FX_S8), -56);
    assert_int_equal(int_to_int(-1, FX_S8, FX_U16), 65535);
    assert_int_equal(int_to_int(9, FX_S8, FX_S4), -7);
    assert_int_equal(int_to_int(-1, FX_S4, FX_U2), 3);
    assert_true(int_to_int(-1, FX_S32, FX_U64) == -1);
    assert_int_equal(int_to_int(256, FX_S32, FX_BOOL), 1); /* not the low byte */
    assert_int_equal(int_to_int(1, FX_BOOL, FX_S64), 1);
}

/* Integers of more than 53 bits to a narrow float: one rounding, not first to double. */
static void big_integers_round_once(void **state) {
    (void)state;
    int64_t tie = (INT64_C(1) << 62) + (INT64_C(1) << 54);
    assert_true(through(FX_S64, (fxi_scalar){.i = tie}, FX_BF16).re == 0x1p62);
    assert_true(through(FX_S64, (fxi_scalar){.i = tie + 1}, FX_BF16).re == 0x1p62 + 0x1p55);
    assert_true(through(FX_S64, (fxi_scalar){.i = -tie - 1}, FX_BF16).re == -(0x1p62 + 0x1p55));
    const int64_t values[] = {INT64_MAX, INT64_MIN, INT64_C(0x7fffffbfffffffff), INT64_C(0x4000004000000001)};
    for (int i = 0; i < 4; i++) {
        assert_true(through(FX_S64, (fxi_scalar){.i = values[i]}, FX_F32).re == (double)(float)values[i]);
        assert_true(through(FX_S64, (fxi_scalar){.i = values[i]}, FX_F64).re == (double)values[i]);
        assert_true(through(FX_U64, (fxi_scalar){.i = values[i]}, FX_F32).re ==
                    (double)(float)(uint64_t)values[i]);
    }
}

static void bool_and_complex(void **state) {
    (void)state;
    assert_int_equal(float_to_int((double)NAN, FX_BOOL), 1);
    assert_int_equal(float_to_int(-0.0, FX_BOOL), 0);
    assert_int_equal(float_to_int(0.1, FX_BOOL), 1);
    fxi_scalar z = {.re = 0, .im = 2};
    assert_int_equal(fxi_scalar_convert(z, FX_C128, FX_BOOL).i, 1);
    assert_true(fxi_scalar_convert(z, FX_C128, FX_F64).re == 0);
    assert_true(fxi_scalar_convert(z, FX_C64, FX_C128).im == 2);
    assert_true(fxi_scalar_convert((fxi_scalar){.i = -3}, FX_S8, FX_C64).re == -3);
}

static void packing_round_trips(void **state) {
    (void)state;
    const int8_t values[] = {0, 1, -1, 7, -8, 3, -2};
    uint8_t packed[4] = {0xff, 0xff, 0xff, 0xff};
    fxi_pack(FX_S4, values, 7, packed);
    assert_int_equal(packed[0], 0x10); /* low bits first */
    assert_int_equal(packed[3], 0x0e); /* unused bits are 0 */
    int8_t back[7];
    fxi_unpack(FX_S4, packed, 7, back);
    assert_memory_equal(back, values, 7);
    const uint8_t small[] = {3, 2, 1, 0, 1};
    uint8_t unpacked[5];
    fxi_pack(FX_U2, small, 5, packed);
    assert_int_equal(packed[0], 0x1b);
    fxi_unpack(FX_U2, packed, 5, unpacked);
    assert_memory_equal(unpacked, small, 5);
}

static void storing_leaves_neighbours_alone(void **state) {
    (void)state;
    uint8_t packed[2] = {0, 0};
    for (int i = 0; i < 8; i++) fxi_element_store(FX_S2, packed, i, (fxi_scalar){.i = i % 4 - 2});
    for (int i = 0; i < 8; i++) assert_int_equal(fxi_element_load(FX_S2, packed, i).i, i % 4 - 2);
    fxi_element_store(FX_S2, packed, 2, (fxi_scalar){.i = 1});
    assert_int_equal(fxi_element_load(FX_S2, packed, 1).i, -1);
    assert_int_equal(fxi_element_load(FX_S2, packed, 3).i, 1);
}

static void limits(void **state) {
    (void)state;
    assert_int_equal(fxi_dtype_lowest(FX_S2).i, -2);
    assert_int_equal(fxi_dtype_highest(FX_S4).i, 7);
    assert_int_equal(fxi_dtype_highest(FX_U2).i, 3);
    assert_true(fxi_dtype_lowest(FX_S64).i == INT64_MIN);
    assert_true(fxi_dtype_highest(FX_U64).i == -1);
    assert_true(fxi_dtype_lowest(FX_BF16).re == -(double)INFINITY);
    assert_int_equal(fxi_dtype_highest(FX_BOOL).i, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_to_integer),
        cmocka_unit_test(float_to_narrow_float),
        cmocka_unit_test(nan_stays_nan),
        cmocka_unit_test(integers_wrap),
        cmocka_unit_test(big_integers_round_once),
        cmocka_unit_test(bool_and_complex),
        cmocka_unit_test(packing_round_trips),
        cmocka_unit_test(storing_leaves_neighbours_alone),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
