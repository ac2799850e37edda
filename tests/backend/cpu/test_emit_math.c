/* SPDX-License-Identifier: Apache-2.0 */
/* The vector math against wider arithmetic: fixed samples with all special values, held to the bounds that
 * the emitter states for itself; the same bits on AVX2, AVX-512 (where the machine has it) and in scalar
 * code; and the known traps, exactly. The exhaustive check of f32 is the tool fluxion-ulp. */
#include "math_reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCK = 2048, BLOCKS = 100, SLOW_BLOCKS = 6 };

typedef union values {
    _Alignas(64) float f32[BLOCK];
    double f64[BLOCK];
    unsigned char bytes[BLOCK * 8];
} values;

static values a, b, out, other;

static const double SPECIALS[] = {
    0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 1.5, -2.5, 10, 100, -100, 1e5, 1e9, 1e30, -1e30, 1e-30, -1e-30,
    0x1p-149, -0x1p-149, 0x1p-126, 0x1.fffffep-127, 0x1.fffffep127, -0x1.fffffep127, (double)INFINITY,
    -(double)INFINITY,
    (double)NAN, 88.5, -88.5, 89, -104, 128, -150, 0x1.fffffep-1, 0x1.000002p+0, -0x1.fffffep-1,
};
enum { SPECIAL_COUNT = sizeof SPECIALS / sizeof *SPECIALS };

static const double SPECIALS64[] = {
    0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 709.5, 710, -745.5,
    1024, -1075,
    1e300, -1e300, 1e-300, 0x1.fffffffffffffp-1, 0x1.0000000000001p+0, 9007199254740993.0, 4503599627370497.0,
};
enum { SPECIAL64_COUNT = sizeof SPECIALS64 / sizeof *SPECIALS64 };

/* ---- compiled loops ---- */

typedef struct compiled {
    fxi_code *code;
    math_loop *loop;
} compiled;

static const fxi_target *target_of(const char *isa) {
    fx_error err = {0};
    const fxi_target *target = fxi_target_find(isa, &err);
    if (!target) print_message("%s: %s\n", isa ? isa : "best", err.message);
    assert_non_null(target);
    return target;
}

static compiled compile(fxi_math fn, unsigned bits, unsigned lanes, const fxi_target *target) {
    fx_error err = {0};
    compiled c = {0};
    c.code = math_loop_compile(fn, bits, lanes, target, &c.loop, &err);
    if (!c.code) print_message("%s: %s\n", math_cases[fn].name, err.message);
    assert_non_null(c.code);
    return c;
}

static unsigned lanes_of(unsigned bits) { return bits == 32 ? 16 : 8; }

/* ---- samples ---- */

static void set(int i, unsigned bits, double x, double y) {
    if (bits == 32) a.f32[i] = (float)x, b.f32[i] = (float)y;
    else a.f64[i] = x, b.f64[i] = y;
}

static double special(unsigned index, unsigned bits) {
    unsigned count = SPECIAL_COUNT + (bits == 64 ? (unsigned)SPECIAL64_COUNT : 0);
    index %= count;
    return index < SPECIAL_COUNT ? SPECIALS[index] : SPECIALS64[index - SPECIAL_COUNT];
}

/* Block 0 (and 1, for two operands in f64) holds the special values, each with each; the others are
 * pseudo-random. */
static void fill(const math_case *c, unsigned bits, unsigned block, uint64_t *state) {
    unsigned count = SPECIAL_COUNT + (bits == 64 ? (unsigned)SPECIAL64_COUNT : 0);
    for (unsigned i = 0; i < BLOCK; i++) {
        double x, y;
        math_point(c, bits, state, &x, &y);
        unsigned pair = block * BLOCK + i;
        if (block < 2) x = special(pair, bits), y = special(pair / count, bits);
        set((int)i, bits, x, y);
    }
}

static double operand(const values *v, unsigned bits, unsigned i) {
    return bits == 32 ? (double)v->f32[i] : v->f64[i];
}

static bool is_acceptable(const math_case *c, unsigned bits, unsigned i) {
    double bound = fxi_math_bound(c->fn, bits);
    double error, got, want;
    bool flipped; /* the wrong zero */
    if (bits == 32) {
        double x = (double)a.f32[i], y = (double)b.f32[i];
        want = c->wide1 ? c->wide1(x) : c->wide2(x, y);
        got = (double)out.f32[i];
        error = math_ulp32(out.f32[i], want, math_smallest(c, x));
        flipped = got == 0 && want == 0 && !signbit(got) != !signbit(want);
    } else {
        long double x = a.f64[i], y = b.f64[i];
        long double wider = c->wider1 ? c->wider1(x) : c->wider2(x, y);
        want = (double)wider;
        got = out.f64[i];
        error = math_ulp64(got, wider, math_smallest(c, a.f64[i]));
        flipped = got == 0 && wider == 0 && !signbit(got) != !signbit(wider);
    }
    if (error <= bound && !flipped) return true;
    print_message("%s f%u(%a, %a) = %a, want %a: %g ulp\n", c->name, bits, operand(&a, bits, i),
                  operand(&b, bits, i), got, want, error);
    return false;
}

static void check_function(fxi_math fn, unsigned bits, const fxi_target *target) {
    const math_case *c = &math_cases[fn];
    assert_non_null(c->name);
    compiled k = compile(fn, bits, lanes_of(bits), target);
    uint64_t state = 17;
    unsigned blocks = fn == FXI_MATH_ERF_INV ? SLOW_BLOCKS : BLOCKS, bad = 0;
    for (unsigned block = 0; block < blocks && bad < 5; block++) {
        fill(c, bits, block, &state);
        k.loop(&a, &b, &out, BLOCK);
        for (unsigned i = 0; i < BLOCK && bad < 5; i++) bad += !is_acceptable(c, bits, i);
    }
    fxi_code_free(k.code);
    assert_int_equal(bad, 0);
}

static void functions_keep_their_bounds_in_f32(void **state) {
    (void)state;
    for (int fn = 0; fn < FXI_MATH_COUNT; fn++) check_function((fxi_math)fn, 32, target_of(NULL));
}

static void functions_keep_their_bounds_in_f64(void **state) {
    (void)state;
    for (int fn = 0; fn < FXI_MATH_COUNT; fn++) check_function((fxi_math)fn, 64, target_of(NULL));
}

/* ---- the same bits everywhere ---- */

static bool same_value(unsigned bits, unsigned i) {
    if (bits == 32) {
        float x = out.f32[i], y = other.f32[i];
        return (isnan(x) && isnan(y)) || memcmp(&x, &y, sizeof x) == 0;
    }
    double x = out.f64[i], y = other.f64[i];
    return (isnan(x) && isnan(y)) || memcmp(&x, &y, sizeof x) == 0;
}

static void compare_codes(fxi_math fn, unsigned bits, compiled first, compiled second) {
    uint64_t state = 5;
    for (unsigned block = 0; block < 4; block++) {
        fill(&math_cases[fn], bits, block, &state);
        first.loop(&a, &b, &out, BLOCK);
        second.loop(&a, &b, &other, BLOCK);
        for (unsigned i = 0; i < BLOCK; i++) {
            if (same_value(bits, i)) continue;
            print_message("%s f%u differs at %a\n", math_cases[fn].name, bits, operand(&a, bits, i));
            assert_true(false);
        }
    }
    fxi_code_free(first.code);
    fxi_code_free(second.code);
}

static void results_do_not_depend_on_vector_width(void **state) {
    (void)state;
    for (int fn = 0; fn < FXI_MATH_COUNT; fn++)
        for (unsigned bits = 32; bits <= 64; bits += 32) {
            compiled wide = compile((fxi_math)fn, bits, lanes_of(bits), target_of(NULL));
            compiled narrow = compile((fxi_math)fn, bits, lanes_of(bits), target_of("avx2"));
            compare_codes((fxi_math)fn, bits, wide, narrow);
            wide = compile((fxi_math)fn, bits, lanes_of(bits), target_of(NULL));
            compare_codes((fxi_math)fn, bits, wide, compile((fxi_math)fn, bits, 1, target_of(NULL)));
        }
}

/* ---- known traps ---- */

static float value32(fxi_math fn, float x) {
    compiled k = compile(fn, 32, 16, target_of(NULL));
    for (unsigned i = 0; i < 16; i++) a.f32[i] = x;
    k.loop(&a, &b, &out, 16);
    fxi_code_free(k.code);
    return out.f32[7];
}

static double value64(fxi_math fn, double x) {
    compiled k = compile(fn, 64, 8, target_of(NULL));
    for (unsigned i = 0; i < 8; i++) a.f64[i] = x;
    k.loop(&a, &b, &out, 8);
    fxi_code_free(k.code);
    return out.f64[3];
}

static void assert_float(float got, float want) {
    if (memcmp(&got, &want, sizeof got) == 0) return;
    print_message("%a, want %a\n", (double)got, (double)want);
    assert_true(false);
}

/* V01: log1p where range tests go wrong, and atanh, which is made of it. */
static void log1p_keeps_accuracy_near_one_minus_sqrt2(void **state) {
    (void)state;
    assert_true(math_ulp64(value64(FXI_MATH_LOG1P, -0.4141892), -0x1.11cbdaa6f412fp-1L, 0) <= 1);
    assert_true(math_ulp64(value64(FXI_MATH_ATANH, 0.4141892), atanhl((long double)0.4141892), 0) <= 1);
    compiled k = compile(FXI_MATH_LOG1P, 64, 8, target_of(NULL));
    for (int start = 0; start < 10001; start += BLOCK) {
        for (int i = 0; i < BLOCK; i++) a.f64[i] = -0.53 + 0.25 * (start + i) / 10000;
        k.loop(&a, &b, &out, BLOCK);
        for (int i = 0; i < BLOCK; i++) assert_true(math_ulp64(out.f64[i], log1pl(a.f64[i]), 0) <= 2);
    }
    fxi_code_free(k.code);
}

/* Every f32 in [from, to], that is, consecutive bit patterns. */
static void assert_at_most_one(fxi_math fn, float from, float to) {
    compiled k = compile(fn, 32, 16, target_of(NULL));
    uint32_t pattern, last;
    memcpy(&pattern, &from, sizeof pattern);
    memcpy(&last, &to, sizeof last);
    while (pattern <= last) {
        for (int i = 0; i < BLOCK; i++, pattern++) memcpy(&a.f32[i], &pattern, sizeof pattern);
        k.loop(&a, &b, &out, BLOCK);
        for (int i = 0; i < BLOCK; i++) assert_true(out.f32[i] <= 1);
    }
    fxi_code_free(k.code);
}

/* V02 */
static void tanh_never_exceeds_one(void **state) {
    (void)state;
    assert_at_most_one(FXI_MATH_TANH, 7, 9.1f);
    static const float points[][2] = {{7, 0x1.ffffc8p-1f}, {7.5f, 0x1.ffffecp-1f}, {7.99f, 0x1.fffff8p-1f},
                                      {8, 0x1.fffff8p-1f}, {9, 0x1.fffffep-1f},    {1e-40f, 1e-40f},
                                      {INFINITY, 1},       {-INFINITY, -1},        {-0.0f, -0.0f}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        assert_float(value32(FXI_MATH_TANH, points[i][0]), points[i][1]);
    assert_true(isnan(value32(FXI_MATH_TANH, NAN)));
}

/* V03 */
static void erf_never_exceeds_one(void **state) {
    (void)state;
    assert_at_most_one(FXI_MATH_ERF, 1, 6);
    assert_float(value32(FXI_MATH_ERF, 3.9004288f), 0x1.fffffep-1f);
    for (int x = 1; x <= 9; x++)
        assert_true(math_ulp32(value32(FXI_MATH_ERFC, (float)x), erfc((double)x), 0) <= 1);
}

/* V04 */
static void expm1_keeps_tiny_arguments(void **state) {
    (void)state;
    static const float points[][2] = {{1e-8f, 9.99999999e-9f},  {1e-7f, 1.00000006e-7f},
                                      {1e-3f, 0.0010005002f},   {-1e-8f, -1e-8f},
                                      {-0.0f, -0.0f},           {1e-42f, 1e-42f}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        assert_float(value32(FXI_MATH_EXPM1, points[i][0]), points[i][1]);
}

/* Where the reduction of the argument loses everything unless it uses hundreds of bits of pi. */
static void trigonometry_holds_for_huge_arguments(void **state) {
    (void)state;
    assert_true(math_ulp64(value64(FXI_MATH_SIN, 0x1.6ac5b262ca1ffp+849), 1.0L, 0) <= 1);
    double cosine = value64(FXI_MATH_COS, 0x1.6ac5b262ca1ffp+849);
    assert_true(math_ulp64(cosine, -4.687165924254627611122583e-19L, 0) <= 1);
    assert_true(math_ulp64(value64(FXI_MATH_SIN, 1e22), -0.8522008497671888017727L, 0) <= 1);
    assert_true(math_ulp32(value32(FXI_MATH_SIN, 0x1.fffffep127f), sin(0x1.fffffep127), 0) <= 1);
    assert_true(isnan(value32(FXI_MATH_SIN, INFINITY)));
    assert_true(isnan(value64(FXI_MATH_TAN, -(double)INFINITY)));
}

/* The zero of digamma and those of lgamma on the right keep relative accuracy. */
static void gamma_functions_keep_accuracy_at_their_zeros(void **state) {
    (void)state;
    assert_true(math_ulp64(value64(FXI_MATH_DIGAMMA, 0x1.762d86356be3fp+0), -0x1.aa2d9b3ce29ep-54L, 0) <= 4);
    assert_true(math_ulp64(value64(FXI_MATH_LGAMMA, 1 + 0x1p-40), lgammal(1 + 0x1p-40L), 0) <= 4);
    assert_true(math_ulp64(value64(FXI_MATH_LGAMMA, 2 - 0x1p-40), lgammal(2 - 0x1p-40L), 0) <= 4);
}

/* The checker itself: it must see wrong values, wrong zeros and wrong infinities. */
static void distance_sees_planted_errors(void **state) {
    (void)state;
    assert_true(math_ulp32(0x1.000002p+0f, 1.0, 0) == 1);
    assert_true(math_ulp32(0x1.000002p+0f, 1.0, 4.0) < 0.26);
    assert_true(math_ulp64(0x1.0000000000002p+0, 1.0L, 0) == 2);
    assert_true(isinf(math_ulp32(1, (double)NAN, 0)) && isinf(math_ulp32(NAN, 1, 0)));
    assert_true(isinf(math_ulp64(1, (long double)INFINITY, 0)));
    assert_true(isinf(math_ulp64(-(double)INFINITY, (long double)INFINITY, 0)));
    assert_true(math_ulp32(INFINITY, 0x1p127, 0) > 1000);
    set(0, 32, -0.0, 0);
    out.f32[0] = 0.0f;
    assert_false(is_acceptable(&math_cases[FXI_MATH_TANH], 32, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_sees_planted_errors),
        cmocka_unit_test(log1p_keeps_accuracy_near_one_minus_sqrt2),
        cmocka_unit_test(tanh_never_exceeds_one),
        cmocka_unit_test(erf_never_exceeds_one),
        cmocka_unit_test(expm1_keeps_tiny_arguments),
        cmocka_unit_test(trigonometry_holds_for_huge_arguments),
        cmocka_unit_test(gamma_functions_keep_accuracy_at_their_zeros),
        cmocka_unit_test(results_do_not_depend_on_vector_width),
        cmocka_unit_test(functions_keep_their_bounds_in_f32),
        cmocka_unit_test(functions_keep_their_bounds_in_f64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
