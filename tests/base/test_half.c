/* SPDX-License-Identifier: Apache-2.0 */
/* Small floats against a slow reference that knows only the list of numbers of each type: a value rounds
 * to the nearer neighbour, and a tie to the one with the even pattern. The list comes from the definition
 * (ldexp), not from the code under test. Every pattern is widened and narrowed; every midpoint of
 * neighbours is tried, with the next doubles. */
#include "faulty.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct type {
    const char *name;
    int mantissa_bits, exponent_bits;
    bool has_infinity;
    float (*widen)(uint32_t bits);
    uint32_t (*narrow)(double value);
} type;

static float widen_f16(uint32_t bits) { return fxi_f16_to_f32((uint16_t)bits); }
static float widen_bf16(uint32_t bits) { return fxi_bf16_to_f32((uint16_t)bits); }
static float widen_e4m3(uint32_t bits) { return fxi_f8e4m3fn_to_f32((uint8_t)bits); }
static float widen_e5m2(uint32_t bits) { return fxi_f8e5m2_to_f32((uint8_t)bits); }
static uint32_t narrow_f16(double value) { return fxi_f16_from_f64(value); }
static uint32_t narrow_bf16(double value) { return fxi_bf16_from_f64(value); }
static uint32_t narrow_e4m3(double value) { return fxi_f8e4m3fn_from_f64(value); }
static uint32_t narrow_e5m2(double value) { return fxi_f8e5m2_from_f64(value); }

static const type types[] = {
    {"float16", 10, 5, true, widen_f16, narrow_f16},
    {"bfloat16", 7, 8, true, widen_bf16, narrow_bf16},
    {"float8_e4m3fn", 3, 4, false, widen_e4m3, narrow_e4m3},
    {"float8_e5m2", 2, 5, true, widen_e5m2, narrow_e5m2},
};
enum { TYPES = sizeof types / sizeof *types };

static uint32_t sign_of(const type *t) { return 1u << (t->mantissa_bits + t->exponent_bits); }

/* The first magnitude that is no number: Inf where there is one, else NaN. */
static uint32_t first_special(const type *t)
{
    uint32_t ones = sign_of(t) - 1;
    return t->has_infinity ? ones - ((1u << t->mantissa_bits) - 1) : ones;
}

/* The number of a magnitude by definition; one past the largest is what the next pattern would be. */
static double number_of(const type *t, uint32_t magnitude)
{
    int bias = (1 << (t->exponent_bits - 1)) - 1;
    int exponent = (int)(magnitude >> t->mantissa_bits);
    int mantissa = (int)(magnitude & ((1u << t->mantissa_bits) - 1));
    if (exponent == 0)
        return ldexp(mantissa, 1 - bias - t->mantissa_bits);
    return ldexp(mantissa + (1 << t->mantissa_bits), exponent - bias - t->mantissa_bits);
}

/* Nearest by bisection over the ordered numbers; what is nearer to the number past the end overflows. */
static uint32_t nearest(const type *t, double value)
{
    uint32_t sign = signbit(value) ? sign_of(t) : 0, low = 0, high = first_special(t);
    double size = fabs(value);
    if (size >= number_of(t, high))
        return sign | high;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (number_of(t, middle) <= size)
            low = middle;
        else
            high = middle;
    }
    double down = size - number_of(t, low), up = number_of(t, high) - size; /* exact: one grid */
    bool take_high = up < down || (up == down && low % 2 == 1);
    return sign | (take_high ? high : low);
}

static void check(const type *t, double value)
{
    for (int side = 0; side < 2; side++, value = -value) {
        uint32_t got = t->narrow(value), wanted = nearest(t, value);
        if (got != wanted)
            fail_msg("%s: %a became %#x, not %#x", t->name, value, got, wanted);
    }
}

static void every_pattern_survives(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        const type *t = &types[i];
        for (uint32_t bits = 0; bits < 2 * sign_of(t); bits++) {
            uint32_t magnitude = bits & (sign_of(t) - 1);
            float wide = t->widen(bits);
            uint32_t back = t->narrow((double)wide);
            assert_int_equal(!signbit(wide), (bits & sign_of(t)) == 0);
            if (magnitude > first_special(t) || (magnitude == first_special(t) && !t->has_infinity)) {
                assert_true(isnan(wide));
                assert_int_equal(back & sign_of(t), bits & sign_of(t));
                assert_true(isnan(t->widen(back)));
                continue;
            }
            if (magnitude == first_special(t))
                assert_true(isinf(wide));
            else
                assert_true(fabs((double)wide) == number_of(t, magnitude));
            assert_int_equal(back, bits);
        }
    }
}

static void midpoints_round_to_even(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        const type *t = &types[i];
        for (uint32_t magnitude = 0; magnitude < first_special(t); magnitude++) {
            double middle = (number_of(t, magnitude) + number_of(t, magnitude + 1)) / 2;
            check(t, middle);
            check(t, nextafter(middle, 0));
            check(t, nextafter(middle, INFINITY));
            check(t, nextafter(number_of(t, magnitude), 0));
            check(t, nextafter(number_of(t, magnitude), INFINITY));
        }
    }
}

static void random_values_round_to_nearest(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int step = 0; step < 100000; step++) {
        random = fxi_hash_u64(random, 1);
        const type *t = &types[step % TYPES];
        int range = t->exponent_bits == 8 ? 300 : 40;
        double fraction = 1.0 + (double)(random >> 12) * 0x1p-52;
        check(t, ldexp(fraction, (int)(random % (uint64_t)range) - range / 2));
    }
}

static void extremes(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        const type *t = &types[i];
        check(t, 0.0);
        check(t, 0x1p-1074);
        check(t, 0x1p-1022);
        check(t, 0x1.fffffffffffffp1023);
        check(t, (double)INFINITY);
        assert_true(isnan(t->widen(t->narrow((double)NAN))));
    }
    assert_int_equal(fxi_f8e4m3fn_from_f64(448), 0x7E);
    assert_int_equal(fxi_f8e4m3fn_from_f64(464), 0x7E);
    assert_int_equal(fxi_f8e4m3fn_from_f64(464.0001), 0x7F);
    assert_int_equal(fxi_f8e4m3fn_from_f64(-(double)INFINITY), 0xFF);
    assert_int_equal(fxi_f8e5m2_from_f64(61440), 0x7C);
    assert_int_equal(fxi_f8e5m2_from_f64(61439.99), 0x7B);
    assert_int_equal(fxi_f16_from_f64(65519.99), 0x7BFF);
    assert_int_equal(fxi_f16_from_f64(65520), 0x7C00);
}

/* Edge case V16: subnormals are kept and nothing rounds twice. */
static void subnormals_of_wide_values(void **state)
{
    (void)state;
    assert_true((double)fxi_bf16_to_f32(fxi_bf16_from_f64(0x1p-133)) == 0x1p-133);
    assert_int_equal(fxi_bf16_from_f64(0x1p-134), 0);
    assert_true((double)fxi_bf16_to_f32(fxi_bf16_from_f64(0x1.8p-134)) == 0x1p-133);
    assert_true((double)fxi_f16_to_f32(fxi_f16_from_f64(0x1p-24)) == 0x1p-24);
    assert_int_equal(fxi_f16_from_f64(0x1p-25), 0);
    assert_true((double)fxi_f16_to_f32(fxi_f16_from_f64(0x1p-25 * (1 + 0x1p-30))) == 0x1p-24);
}

static double double_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Edge case V17: a NaN stays one. The patterns are those of float32 0x7f800001, 0x7fffffff and 0xff800001
 * as doubles, signalling and quiet, because a conversion by hardware makes the first form quiet and a
 * compiler may not. */
static void nans_stay(void **state)
{
    (void)state;
    static const uint64_t patterns[] = {
        UINT64_C(0x7FF0000020000000), UINT64_C(0x7FF8000020000000), UINT64_C(0x7FFFFFFFE0000000),
        UINT64_C(0xFFF0000020000000), UINT64_C(0xFFF8000020000000), UINT64_C(0x7FF0000000000001),
        UINT64_C(0xFFFFFFFFFFFFFFFF),
    };
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
        for (int i = 0; i < TYPES; i++) {
            uint32_t bits = types[i].narrow(double_from_bits(patterns[p]));
            assert_true(isnan(types[i].widen(bits)));
            assert_int_equal((bits & sign_of(&types[i])) != 0, patterns[p] >> 63);
        }
    assert_int_equal(fxi_bf16_from_f64(double_from_bits(patterns[0])), 0x7FC0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_survives),         cmocka_unit_test(midpoints_round_to_even),
        cmocka_unit_test(random_values_round_to_nearest), cmocka_unit_test(extremes),
        cmocka_unit_test(subnormals_of_wide_values),      cmocka_unit_test(nans_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
