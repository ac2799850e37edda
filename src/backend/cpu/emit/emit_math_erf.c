/* SPDX-License-Identifier: Apache-2.0 */
/* The error function, its complement and its inverse.
 *
 * erf is a + a q(a^2) up to 1; beyond, f32 takes 1 - exp(-g(a)) with g a polynomial, and f64 1 - erfc(a),
 * so neither can exceed 1. erfc(a) is exp(-a^2) R(t) / (1 + 2a) for all a, with t = (a - k)/(a + k) and
 * a^2 as a pair: full relative accuracy down to the subnormals. erf_inv starts from three polynomials,
 * good for f32; f64 adds one Halley step. */
#include "emit_math_internal.h"

#define LN2 0x1.62e42fefa39efp-1
#define LOG2E 0x1.71547652b82fep+0
#define ERFC_K 3.5 /* the polynomial erfc is fitted for it */

/* exp(-a^2) R(t) / (1 + 2a), a >= 0, as value times 2^n. */
typedef struct scaled {
    fxi_vec value, n;
} scaled;

static scaled erfc_tail(fxi_math_code *m, fxi_vec a) {
    fxi_vec k = real(m, ERFC_K);
    fxi_vec t = divide(m, sub(m, a, k), add(m, a, k));
    fxi_vec r = fxi_math_poly(m, t, fxi_poly_erfc);
    fxi_pair square = fxi_math_two_prod(m, a, a);
    fxi_math_reduced p = fxi_math_exp_reduce(m, negate(m, square.hi));
    fxi_vec low = sub(m, p.r_lo, square.lo);
    fxi_vec tail = mul(m, fxi_math_poly(m, p.r, fxi_poly_expm1), mul(m, p.r, p.r));
    fxi_vec whole = add(m, add(m, p.r, real(m, 1)), tail);
    tail = fxi_math_fma(m, low, whole, tail);   /* low reaches 2^-44 */
    fxi_vec growth = add(m, p.r, tail);         /* e^-a^2 = 2^n (1 + growth) */
    fxi_vec top = fxi_math_fma(m, r, growth, r);
    fxi_vec top_lost = fxi_math_fma(m, r, growth, sub(m, r, top));
    fxi_pair bottom = fxi_math_two_sum(m, add(m, a, a), real(m, 1));
    fxi_vec q = divide(m, top, bottom.hi);
    fxi_vec rest = fxi_math_fma(m, negate(m, q), bottom.hi, top);
    rest = fxi_math_fma(m, negate(m, q), bottom.lo, add(m, rest, top_lost));
    return (scaled){add(m, q, divide(m, rest, bottom.hi)), p.n};
}

static fxi_vec erfc_large(fxi_math_code *m, fxi_vec a) {
    scaled s = erfc_tail(m, fxi_math_min(m, a, real(m, 28)));
    return fxi_math_scale(m, s.value, s.n);
}

/* exp(-g) = s (1 + growth) enters as (1 - s) - s growth, rounded once: its own rounding would count
 * double. */
static fxi_vec erf32(fxi_math_code *m, fxi_vec a) {
    a = fxi_math_min(m, a, real(m, 4));
    fxi_vec is_small = fcmp(m, LLVMRealOLT, a, real(m, 1));
    fxi_vec v = pick(m, is_small, mul(m, a, a), a);
    fxi_vec p = fxi_math_poly_pick(m, v, is_small, fxi_poly_erf, fxi_poly_erf_log);
    fxi_vec small = fxi_math_fma(m, a, p, a);
    fxi_vec n_exponent = NULL;
    fxi_vec n = fxi_math_round_exponent(m, p, real(m, -LOG2E), &n_exponent);
    fxi_vec r = fxi_math_fma(m, n, real(m, -LN2), negate(m, p));
    fxi_vec growth = fxi_math_fma(m, fxi_math_poly(m, r, fxi_poly_exp), mul(m, r, r), r);
    fxi_vec s = as_float(m, iadd(m, n_exponent, integer(m, exponent_bias(m) << mantissa_bits(m))));
    fxi_vec one = real(m, 1), base = sub(m, one, s);
    fxi_vec lost = sub(m, s, sub(m, one, base)); /* not zero from s = 2^-25 on */
    fxi_vec large = sub(m, base, fxi_math_fma(m, s, growth, lost));
    return pick(m, is_small, small, large);
}

static fxi_vec erf64(fxi_math_code *m, fxi_vec a) {
    fxi_vec p = fxi_math_poly(m, mul(m, a, a), fxi_poly_erf);
    fxi_vec small = fxi_math_fma(m, a, p, a);
    fxi_vec large = sub(m, real(m, 1), erfc_large(m, a));
    return pick(m, fcmp(m, LLVMRealOLT, a, real(m, 1)), small, large);
}

fxi_vec fxi_math_erf(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec a = fxi_math_abs(m, x);
    fxi_vec magnitude = m->bits == 32 ? erf32(m, a) : erf64(m, a);
    return fxi_math_with_sign(m, magnitude, fxi_math_sign(m, x));
}

/* |x| < 1/2: 1 - x - x q(x^2) with 1 - x as a pair; negative: 2 - erfc(-x). */
static fxi_vec erfc_all(fxi_math_code *m, fxi_vec x) {
    fxi_vec a = fxi_math_abs(m, x);
    fxi_vec large = erfc_large(m, a);
    fxi_vec is_negative = fcmp(m, LLVMRealOLT, x, real(m, 0));
    large = pick(m, is_negative, sub(m, real(m, 2), large), large);
    fxi_vec p = fxi_math_poly(m, mul(m, x, x), fxi_poly_erf);
    fxi_pair d = fxi_math_fast_two_sum(m, real(m, 1), negate(m, x));
    fxi_vec small = add(m, d.hi, fxi_math_fma(m, negate(m, x), p, d.lo));
    return pick(m, fcmp(m, LLVMRealOLT, a, real(m, 0.5)), small, large);
}

fxi_vec fxi_math_erfc(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    if (m->bits == 64) return erfc_all(m, x);
    fxi_math_code wide = fxi_math_widened(m);
    return fxi_math_narrow(m, erfc_all(&wide, fxi_math_widen(&wide, x)));
}

/* ---- inverse ---- */

/* a P(a^2) up to 3/4, and beyond s A(s) or s B(s) with s = sqrt(-log(1 - a^2)), from s = 2.3 on the
 * latter. */
static fxi_vec inverse_start(fxi_math_code *m, fxi_vec a) {
    fxi_math_code rough = *m;
    rough.precision = 0;
    fxi_vec one = real(m, 1);
    fxi_vec above = mul(m, sub(m, one, a), add(m, one, a));
    fxi_math_split p = fxi_math_log_split(m, above);
    fxi_vec w = fxi_math_log_tail(&rough, p.f);
    w = fxi_math_fma(m, p.k, real(m, LN2), add(m, w, p.f));
    fxi_vec s = fxi_math_sqrt(m, negate(m, w));
    fxi_vec is_central = fcmp(m, LLVMRealOLE, a, real(m, 0.75));
    fxi_vec is_far = fcmp(m, LLVMRealOGT, s, real(m, 2.3));
    fxi_vec v = pick(m, is_central, mul(m, a, a), s);
    const fxi_poly *b = &fxi_poly_erf_inv_b[0], *c = &fxi_poly_erf_inv_c[0], *d = &fxi_poly_erf_inv_a[0];
    fxi_vec sum = NULL;
    for (unsigned i = b->count; i-- > 0;) {
        fxi_vec far = pick(m, is_far, real(m, b->c[i]), real(m, i < d->count ? d->c[i] : 0));
        fxi_vec coefficient = pick(m, is_central, real(m, i < c->count ? c->c[i] : 0), far);
        sum = sum ? fxi_math_fma(m, sum, v, coefficient) : coefficient;
    }
    return mul(m, sum, pick(m, is_central, a, s));
}

/* Halley: u = (F(x) - target) / (2/sqrt(pi) e^-x^2), x - u / (1 + x u), with F = erf below 0.65 and -erfc
 * above. */
static fxi_vec inverse_refine(fxi_math_code *m, fxi_vec a, fxi_vec x) {
    fxi_vec p = fxi_math_poly(m, mul(m, x, x), fxi_poly_erf);
    fxi_vec near_error = fxi_math_fma(m, x, p, sub(m, x, a));
    fxi_vec far_error = sub(m, sub(m, real(m, 1), a), erfc_large(m, x));
    fxi_vec error = pick(m, fcmp(m, LLVMRealOLT, a, real(m, 0.65)), near_error, far_error);
    fxi_vec growth = fxi_math_exp(m, mul(m, x, x), NULL);
    fxi_vec u = mul(m, mul(m, error, growth), real(m, 0x1.c5bf891b4ef6ap-1)); /* sqrt(pi)/2 */
    fxi_vec slope = fxi_math_fma(m, x, u, real(m, 1));
    return sub(m, x, divide(m, u, slope));
}

/* At 1 the start is infinite and stands; beyond 1 it is NaN. */
static fxi_vec inverse_all(fxi_math_code *m, fxi_vec x) {
    fxi_vec a = fxi_math_abs(m, x);
    fxi_vec one = real(m, 1);
    fxi_vec result = inverse_start(m, a);
    if (m->precision == 1) result = inverse_refine(m, a, result);
    result = pick(m, fcmp(m, LLVMRealOLT, a, one), result, fxi_math_nan(m));
    result = pick(m, fcmp(m, LLVMRealOEQ, a, one), fxi_math_infinity(m), result);
    return fxi_math_with_sign(m, fxi_math_abs(m, result), fxi_math_sign(m, x));
}

fxi_vec fxi_math_erf_inv(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    if (m->bits == 64) return inverse_all(m, x);
    fxi_math_code wide = fxi_math_widened(m);
    return fxi_math_narrow(m, inverse_all(&wide, fxi_math_widen(&wide, x)));
}
