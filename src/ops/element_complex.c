/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of each operation on complex operands, for one element. Transcendental functions go through
 * the C library's extended precision, which both keeps the rounding to double the only error that counts
 * and moves overflow out of reach. Sums and products are the plain formulas in double (one rounding to
 * float32 follows in the store), as every backend computes them; quotients are the plain formula in
 * extended precision, whose range makes scaling unnecessary. */
#include "element_internal.h"
#include <complex.h>
#include <math.h>
#include <string.h>

typedef long double complex wide;

/* C11's CMPLXL without relying on a compiler's extension: x + I * y would turn an infinite y into a NaN
 * real part. The layout of a complex as an array of two is guaranteed by C11 6.2.5. */
static wide make_wide(long double re, long double im) {
    long double parts[2] = {re, im};
    wide z;
    memcpy(&z, parts, sizeof z);
    return z;
}

static wide widen(fxi_scalar s) { return make_wide(s.re, s.im); }

static fxi_scalar narrow(wide z) { return (fxi_scalar){.re = (double)creall(z), .im = (double)cimagl(z)}; }

/* (a + ib) / (c + id) without the recovery of infinities of C's annex G. */
static wide divide(wide x, wide y) {
    long double a = creall(x), b = cimagl(x), c = creall(y), d = cimagl(y), square = c * c + d * d;
    return make_wide((a * c + b * d) / square, (b * c - a * d) / square);
}

/* ---- one operand ---- */

static wide expm1_complex(wide z) {
    long double x = creall(z), y = cimagl(z), half = sinl(y / 2);
    if (y == 0) return make_wide(expm1l(x), y);
    /* e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y / 2) */
    return make_wide(expm1l(x) * cosl(y) - 2 * half * half, expl(x) * sinl(y));
}

static wide log1p_complex(wide z) {
    long double x = creall(z), y = cimagl(z), angle = atan2l(y, 1 + x);
    if (!(fabsl(x) < 1 && fabsl(y) < 1)) return make_wide(creall(clogl(make_wide(1 + x, y))), angle);
    return make_wide(log1pl(x * (2 + x) + y * y) / 2, angle); /* |1 + z|^2 - 1 */
}

static wide rsqrt_complex(wide z) { return divide(1, csqrtl(z)); }

/* On the side where e^-z would overflow the equal form e^z / (1 + e^z). */
static wide logistic_complex(wide z) {
    if (creall(z) < 0) {
        wide e = cexpl(z);
        return divide(e, 1 + e);
    }
    return divide(1, 1 + cexpl(-z));
}

static wide sign_complex(wide z) {
    long double size = cabsl(z);
    return size == 0 ? z : make_wide(creall(z) / size, cimagl(z) / size);
}

static wide abs_complex(wide z) { return cabsl(z); }

static wide real_complex(wide z) { return creall(z); }

static wide imag_complex(wide z) { return cimagl(z); }

static wide neg_complex(wide z) { return make_wide(-creall(z), -cimagl(z)); }

/* ---- two operands ---- */

static wide pow_complex(wide x, wide y) {
    if (y == 0) return 1; /* also of infinities and NaN, as for reals */
    if (x == 0 && creall(y) > 0) return 0;
    return cpowl(x, y);
}

/* -i log((x + iy) / sqrt(x^2 + y^2)) */
static wide atan2_complex(wide y, wide x) {
    wide iy = make_wide(-cimagl(y), creall(y));
    wide log_unit = clogl(divide(x + iy, csqrtl(x * x + y * y)));
    return make_wide(cimagl(log_unit), -creall(log_unit));
}

typedef struct complex_rule {
    wide (*one)(wide);
    wide (*two)(wide, wide);
} complex_rule;

static const complex_rule rules[FX_OP_COUNT] = {
    [FX_OP_ABS] = {.one = abs_complex},
    [FX_OP_NEG] = {.one = neg_complex},
    [FX_OP_SIGN] = {.one = sign_complex},
    [FX_OP_REAL] = {.one = real_complex},
    [FX_OP_IMAG] = {.one = imag_complex},
    [FX_OP_CONJ] = {.one = conjl},
    [FX_OP_EXP] = {.one = cexpl},
    [FX_OP_EXPM1] = {.one = expm1_complex},
    [FX_OP_LOG] = {.one = clogl},
    [FX_OP_LOG1P] = {.one = log1p_complex},
    [FX_OP_SQRT] = {.one = csqrtl},
    [FX_OP_RSQRT] = {.one = rsqrt_complex},
    [FX_OP_SIN] = {.one = csinl},
    [FX_OP_COS] = {.one = ccosl},
    [FX_OP_TAN] = {.one = ctanl},
    [FX_OP_ASIN] = {.one = casinl},
    [FX_OP_ACOS] = {.one = cacosl},
    [FX_OP_ATAN] = {.one = catanl},
    [FX_OP_SINH] = {.one = csinhl},
    [FX_OP_COSH] = {.one = ccoshl},
    [FX_OP_TANH] = {.one = ctanhl},
    [FX_OP_ASINH] = {.one = casinhl},
    [FX_OP_ACOSH] = {.one = cacoshl},
    [FX_OP_ATANH] = {.one = catanhl},
    [FX_OP_LOGISTIC] = {.one = logistic_complex},
    [FX_OP_DIV] = {.two = divide},
    [FX_OP_POW] = {.two = pow_complex},
    [FX_OP_ATAN2] = {.two = atan2_complex},
};

fxi_scalar fxi_element_complex(fx_op op, const fxi_scalar *operands) {
    const fxi_scalar *x = &operands[0], *y = &operands[1];
    const complex_rule *rule = &rules[op];
    if (rule->one) return narrow(rule->one(widen(*x)));
    if (rule->two) return narrow(rule->two(widen(*x), widen(*y)));
    bool zero = x->re == 0 && x->im == 0;
    switch (op) {
    case FX_OP_ADD: return (fxi_scalar){.re = x->re + y->re, .im = x->im + y->im};
    case FX_OP_SUB: return (fxi_scalar){.re = x->re - y->re, .im = x->im - y->im};
    case FX_OP_STRONG_MUL:
    case FX_OP_MUL:
        if (zero && op == FX_OP_STRONG_MUL) break;
        return (fxi_scalar){.re = x->re * y->re - x->im * y->im, .im = x->re * y->im + x->im * y->re};
    case FX_OP_STRONG_DIV:
        if (!zero) return narrow(divide(widen(*x), widen(*y)));
        break;
    default: break; /* the op table admits no other operation on complex operands */
    }
    return (fxi_scalar){0};
}
