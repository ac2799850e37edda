/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise emission against the scalar meaning of each operation, on both instruction sets: all dtypes,
 * special values with each other and random ones. Exact operations must agree to the bit (NaN as NaN),
 * functions within their stated bound, complex functions within a few ulp of the result's magnitude. */
#include "backend/cpu/emit/emit_math.h"
#include "backend/cpu/jit/jit.h"
#include "element_cases.h"
#include "math_reference.h"
#include "ops/ops.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ELEMENTS 1024
typedef void (*case_function)(void *out, const void *a, const void *b, const void *c, int64_t vectors);

/* ---- operand values ---- */

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static const double float_specials[] = {0.0,
                                        -0.0,
                                        1.0,
                                        -1.0,
                                        0.5,
                                        -0.5,
                                        2.0,
                                        -2.5,
                                        3.0,
                                        (double)INFINITY,
                                        -(double)INFINITY,
                                        (double)NAN,
                                        1e-30,
                                        -1e-3,
                                        1e30,
                                        0x1p-149,
                                        -0x1p-133,
                                        0x1p-1074,
                                        3e38,
                                        -1.7e308,
                                        65504.0,
                                        88.7,
                                        -104.0,
                                        0x1p24 + 1,
                                        0x1.fffffep-2,
                                        1.5,
                                        0x1p31,
                                        -0x1p63,
                                        0x1.8p-134,
                                        0x1.00000004p-25};
#define FLOAT_SPECIALS (sizeof float_specials / sizeof *float_specials)
static const int64_t int_specials[] = {0,
                                       1,
                                       -1,
                                       2,
                                       -2,
                                       3,
                                       5,
                                       7,
                                       8,
                                       31,
                                       33,
                                       64,
                                       100,
                                       127,
                                       -128,
                                       32767,
                                       -32768,
                                       INT32_MAX,
                                       INT32_MIN,
                                       INT64_MAX,
                                       INT64_MIN,
                                       0x1000001,
                                       0x0123456789abcdef,
                                       16777217,
                                       (int64_t)1 << 53,
                                       ((int64_t)1 << 53) + 1};
#define INT_SPECIALS (sizeof int_specials / sizeof *int_specials)

static double random_float(uint64_t *state) {
    uint64_t r = next_random(state);
    double unit = (double)(int64_t)(r >> 11) * 0x1p-53, sign = r & 1 ? -1.0 : 1.0;
    switch (r >> 1 & 3) {
    case 0: return sign * unit * 10.0;
    case 1: return sign * unit;
    case 2: return sign * exp2(unit * 40.0 - 20.0);
    default: return sign * exp2(unit * 260.0 - 130.0);
    }
}

static fxi_scalar value_of(fx_dtype dtype, size_t special, uint64_t *state) {
    fxi_scalar v = {0};
    uint64_t r = next_random(state);
    if (fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype)) {
        v.re = special < FLOAT_SPECIALS ? float_specials[special] : random_float(state);
        v.im = r & 4 ? random_float(state) : float_specials[(r >> 8) % FLOAT_SPECIALS];
        return v;
    }
    v.i = special < INT_SPECIALS ? int_specials[special] : (int64_t)(next_random(state) >> (r % 64));
    if (special >= INT_SPECIALS && r & 64) v.i = -v.i;
    if (dtype == FX_BOOL) v.i = (int64_t)(r >> 9 & 1);
    return v;
}

/* Pairs of specials come first, in all combinations; then random values, with a special here and there. */
static void fill(fx_dtype dtype, int operand, void *buffer) {
    uint64_t state = 0x9e3779b97f4a7c15u + (uint64_t)operand * 77 + (uint64_t)dtype;
    bool is_int = fx_dtype_is_integer(dtype);
    size_t specials = is_int ? INT_SPECIALS : FLOAT_SPECIALS;
    for (size_t i = 0; i < ELEMENTS; i++) {
        size_t special = SIZE_MAX;
        if (i < specials * specials && operand < 2)
            special = operand == 0 ? i % specials : i / specials;
        else if (next_random(&state) % 4 == 0)
            special = next_random(&state) % specials;
        element_form_store(dtype, buffer, i, value_of(dtype, special, &state));
    }
}

/* ---- comparison ---- */

/* One unit in the last place of the dtype at a number of that size. */
static double ulp_at(fx_dtype dtype, double value) {
    int mantissa = 52, lowest = -1022;
    switch (fx_dtype_real(dtype)) {
    case FX_F32: mantissa = 23, lowest = -126; break;
    case FX_F16: mantissa = 10, lowest = -14; break;
    case FX_BF16: mantissa = 7, lowest = -126; break;
    default: break;
    }
    if (value == 0 || !isfinite(value)) return ldexp(1.0, lowest - mantissa);
    int exponent = ilogb(value);
    return ldexp(1.0, (exponent < lowest ? lowest : exponent) - mantissa);
}

static double largest_of(fx_dtype dtype) {
    switch (fx_dtype_real(dtype)) {
    case FX_F32: return (double)0x1.fffffep127f;
    case FX_F16: return 65504.0;
    case FX_BF16: return 0x1.fep127;
    default: return 0x1.fffffffffffffp1023;
    }
}

/* A number beyond the range, stored, is infinite; one near its end may be either. */
static bool near_float(fx_dtype dtype, double got, double want, double tolerance) {
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
    double largest = largest_of(dtype), ulp = ulp_at(dtype, fabs(want) > largest ? largest : want);
    if (isinf(got)) return signbit(got) == signbit(want) && fabs(want) >= largest - (tolerance + 0.5) * ulp;
    if (isinf(want))
        return signbit(got) == signbit(want) && fabs(got) >= largest - tolerance * ulp && isinf(want) &&
               dtype != FX_F64;
    if (got == 0 && want == 0) return signbit(got) == signbit(want);
    return fabs(got - want) <= tolerance * ulp;
}

static bool is_math(fx_op op, fxi_math *function) {
    switch (op) {
#define X(id, operands)                                                                                      \
    case FX_OP_##id: *function = FXI_MATH_##id; return true;
        FXI_MATH_FUNCTIONS(X)
#undef X
    default: return false;
    }
}

/* Growth of the error by what an operation does to its operands' last bits: the exponent of a power is a
 * product, 1 / (1 + w) has a pole, and the angle of (x, y) too. */
static double growth_of(const element_case *c, const fxi_scalar *x, fxi_scalar want) {
    double size = hypot(want.re, want.im);
    switch (c->op) {
    case FX_OP_POW: return 4.0 * hypot(x[1].re, x[1].im) * (fabs(log(hypot(x[0].re, x[0].im))) + 3.2);
    case FX_OP_LOGISTIC: return 4.0 * size;
    case FX_OP_ATAN2: return 8.0 + exp(2.0 * fabs(want.im));
    default: return 0.0;
    }
}

static double tolerance_of(const element_case *c, const fxi_scalar *x, fxi_scalar want) {
    fxi_math function = FXI_MATH_EXP;
    if (fx_dtype_is_complex(c->from)) {
        double growth = growth_of(c, x, want);
        return c->from == FX_C64 ? 1.0 + growth * 0x1p-26 : 6.0 + growth;
    }
    if (!is_math(c->op, &function)) return 0.0;
    if (fx_dtype_is_half(c->to)) return 0.5 + fxi_math_bound(function, 32) * 0x1p-12;
    return fxi_math_bound(function, c->from == FX_F64 ? 64 : 32) + 0.5;
}

static bool same_bits(fx_dtype dtype, fxi_scalar got, fxi_scalar want) {
    unsigned char a[16] = {0}, b[16] = {0};
    element_form_store(dtype, a, 0, got);
    element_form_store(dtype, b, 0, want);
    fxi_scalar stored = element_form_load(dtype, b, 0);
    size_t part = element_form_bytes(dtype) / (fx_dtype_is_complex(dtype) ? 2 : 1);
    bool same_re = memcmp(a, b, part) == 0 || (isnan(got.re) && isnan(stored.re));
    if (!fx_dtype_is_complex(dtype)) return same_re;
    return same_re && (memcmp(a + part, b + part, part) == 0 || (isnan(got.im) && isnan(stored.im)));
}

static bool is_exact(const element_case *c) {
    fxi_math function;
    bool complex_function =
        fx_dtype_is_complex(c->from) && (c->op == FX_OP_ABS || c->op == FX_OP_SIGN || c->op == FX_OP_SQRT ||
                                         c->op == FX_OP_DIV || c->op == FX_OP_STRONG_DIV);
    bool is_float = fx_dtype_is_float(c->from) || fx_dtype_is_complex(c->from);
    return !is_float || !(complex_function || is_math(c->op, &function));
}

static bool is_finite(fxi_scalar z) {
    return isfinite(z.re) && isfinite(z.im);
}

/* C leaves open which of the other values a part of a complex result takes once an operand is infinite or
 * NaN; what it fixes is checked: finite parts, and that no infinity turns into a number. */
static bool near_part(const element_case *c, bool special, double got, double want, double tolerance) {
    if (!special) return near_float(c->to, got, want, tolerance);
    if (isnan(want)) return true;
    if (isinf(want)) return !isfinite(got);
    return near_float(c->to, copysign(got, want), want, tolerance) || isnan(got);
}

/* Where the meaning itself, in extended precision, is only right absolutely: x + iy absorbs a small y. On
 * the boundary between the two branches, Re x = 0, either is right, and pi is -pi. */
static bool agrees_angle(const element_case *c, const fxi_scalar *x, fxi_scalar got, fxi_scalar want) {
    double tolerance = tolerance_of(c, x, want) * ulp_at(c->to, fmax(fabs(want.re), fabs(want.im))) + 0x1p-58;
    double pi = acos(-1.0), difference = fabs(got.re - want.re), turn = x[1].re == 0 ? pi : 0.0;
    if (fabs(want.re) > 0.99 * pi) turn = 2.0 * pi;
    return fabs(got.im - want.im) <= tolerance && fmin(difference, fabs(difference - turn)) <= tolerance;
}

/* A power that overflows keeps too little of its phase for the signs of its infinities. */
static bool both_overflow(const element_case *c, fxi_scalar got, fxi_scalar want) {
    bool wanted = !(fmax(fabs(want.re), fabs(want.im)) <= largest_of(c->to));
    return c->op == FX_OP_POW && wanted && !is_finite(got);
}

static bool agrees_complex(const element_case *c, const fxi_scalar *x, fxi_scalar got, fxi_scalar want) {
    double tolerance = tolerance_of(c, x, want);
    bool special =
        !is_finite(x[0]) || (c->operands > 1 && !is_finite(x[1])) || isnan(want.re) || isnan(want.im);
    if (growth_of(c, x, want) > 0x1p50) return true; /* nothing is left of the result's phase */
    if (both_overflow(c, got, want)) return true;
    if (c->op == FX_OP_ATAN2 && is_finite(want) && is_finite(got)) return agrees_angle(c, x, got, want);
    if (is_finite(want) && is_finite(got)) {
        double ulp = ulp_at(c->to, fmax(fabs(want.re), fabs(want.im)));
        return fabs(got.re - want.re) <= tolerance * ulp && fabs(got.im - want.im) <= tolerance * ulp;
    }
    return near_part(c, special, got.re, want.re, tolerance) &&
           near_part(c, special, got.im, want.im, tolerance);
}

/* Products of complex64 are formed in f32, so that their sums cancel and overflow as f32 does. */
static fxi_scalar product_of_floats(const fxi_scalar *x) {
    volatile float ac = (float)x[0].re * (float)x[1].re, bd = (float)x[0].im * (float)x[1].im;
    volatile float ad = (float)x[0].re * (float)x[1].im, bc = (float)x[0].im * (float)x[1].re;
    return (fxi_scalar){.re = (double)(ac - bd), .im = (double)(ad + bc)};
}

static fxi_scalar meaning_of(const element_case *c, const fx_node *node, const fxi_scalar *x) {
    bool strong_zero = c->op == FX_OP_STRONG_MUL && x[0].re == 0 && x[0].im == 0;
    if (c->from == FX_C64 && (c->op == FX_OP_MUL || (c->op == FX_OP_STRONG_MUL && !strong_zero)))
        return product_of_floats(x);
    if (c->op == FX_OP_POW && c->from == FX_F64 && x[1].re == -0x1p63)
        return (fxi_scalar){
            .re = pow(x[0].re, x[1].re)}; /* glibc's powl takes this exponent for a positive one */
    return fxi_map_element(node, x);
}

/* How many ulp of the result a function's stated bound is in: near their zeros at negative arguments, lgamma
 * and digamma of f64 are only right absolutely. */
static double unit_of(const element_case *c, double x, double want) {
    fxi_math function;
    if (c->from != FX_F64 || !is_math(c->op, &function)) return 1.0;
    double smallest = math_smallest(&math_cases[function], x);
    return fmax(ulp_at(FX_F64, smallest) / ulp_at(FX_F64, want), 1.0);
}

static bool agrees(const element_case *c, const fxi_scalar *x, fxi_scalar got, fxi_scalar want) {
    if (is_exact(c)) return same_bits(c->to, got, want);
    if (fx_dtype_is_complex(c->from)) return agrees_complex(c, x, got, want);
    double tolerance = tolerance_of(c, x, want) * unit_of(c, x[0].re, want.re);
    return near_float(c->to, got.re, want.re, tolerance);
}

/* ---- running ---- */

static void print_difference(const char *name, const element_case *c, const fxi_scalar *x, fxi_scalar got,
                             fxi_scalar want) {
    bool is_int = !(fx_dtype_is_float(c->from) || fx_dtype_is_complex(c->from));
    print_error("%s:", name);
    for (int i = 0; i < c->operands; i++)
        is_int ? print_error(" %lld", (long long)x[i].i) : print_error(" (%.17g, %.17g)", x[i].re, x[i].im);
    print_error(" gives %lld (%.17g, %.17g), want %lld (%.17g, %.17g)\n", (long long)got.i, got.re, got.im,
                (long long)want.i, want.re, want.im);
}

static size_t check_case(const element_case *c, const char *name, case_function function, unsigned lanes) {
    static _Alignas(64) unsigned char operands[3][ELEMENTS * 16], out[ELEMENTS * 16];
    case_node node;
    element_case_node(c, &node);
    for (int i = 0; i < c->operands; i++) fill(element_case_operand(c, i), i, operands[i]);
    memset(out, 0xee, sizeof out);
    function(out, operands[0], operands[1], operands[2], ELEMENTS / lanes);
    size_t wrong = 0;
    for (size_t i = 0; i < ELEMENTS; i++) {
        fxi_scalar x[3] = {{0, 0, 0}};
        for (int k = 0; k < c->operands; k++)
            x[k] = element_form_load(element_case_operand(c, k), operands[k], i);
        fxi_scalar got = element_form_load(c->to, out, i), want = meaning_of(c, &node.node, x);
        if (!agrees(c, x, got, want) && wrong++ < 3) print_difference(name, c, x, got, want);
    }
    return wrong;
}

static element_case cases[ELEMENT_CASES_LIMIT];

static size_t check_all(const fxi_target *target, bool scalar) {
    size_t count = element_cases(cases), wrong = 0;
    assert_in_range(count, 500, ELEMENT_CASES_LIMIT - 1);
    fxi_emit e = element_emit_begin(target);
    for (size_t i = 0; i < count; i++) {
        char name[96];
        element_case_name(&cases[i], name);
        e.lanes = scalar ? 1 : element_case_lanes(&cases[i]);
        element_case_build(&e, &cases[i], name);
    }
    fx_error err = {0};
    fxi_code *code = fxi_jit_compile(e.module, target, scalar, &err);
    element_emit_end(&e);
    if (code == NULL) fail_msg("%s", err.message);
    for (size_t i = 0; i < count; i++) {
        char name[96];
        element_case_name(&cases[i], name);
        void *symbol = fxi_code_symbol(code, name);
        assert_non_null(symbol);
        case_function function;
        memcpy(&function, &symbol, sizeof function);
        size_t bad = check_case(&cases[i], name, function, scalar ? 1 : element_case_lanes(&cases[i]));
        if (bad > 0) print_error("%s: %zu of %d differ\n", name, bad, ELEMENTS);
        wrong += bad;
    }
    fxi_code_free(code);
    return wrong;
}

static const fxi_target *target_of(const char *isa) {
    fx_error err = {0};
    const fxi_target *target = fxi_target_find(isa, &err);
    if (target == NULL) print_message("[  NOTE    ] %s\n", err.message);
    return target;
}

static void all_operations_avx2(void **state) {
    (void)state;
    const fxi_target *target = target_of("avx2");
    assert_non_null(target); /* the backend's floor */
    assert_int_equal(check_all(target, false), 0);
}

static void all_operations_avx512(void **state) {
    (void)state;
    const fxi_target *target = target_of("avx512");
    if (target == NULL) skip();
    assert_int_equal(check_all(target, false), 0);
}

static void all_operations_one_lane(void **state) {
    (void)state;
    const fxi_target *target = target_of(NULL);
    assert_non_null(target);
    assert_int_equal(check_all(target, true), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_operations_avx2),
        cmocka_unit_test(all_operations_avx512),
        cmocka_unit_test(all_operations_one_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
