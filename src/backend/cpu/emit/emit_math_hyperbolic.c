/* SPDX-License-Identifier: Apache-2.0 */
/* Hyperbolic functions.
 *
 * tanh joins two formulas: near 0 an odd polynomial whose correction to x is small; beyond, 1 - 2/(e^2x +
 * 1), whose second term is small, so that its error counts little and the result cannot exceed 1. sinh and
 * cosh combine the even and odd parts of e^r with 2^n and 2^-n, so that nothing cancels and no division is
 * needed. The inverse functions are log1p of an argument carried as a pair. */
#include "emit_math_internal.h"

#define HALF_LN2 0x1.62e42fefa39efp-2
#define TWO_LOG2E 0x1.71547652b82fep+1
#define TANH_SMALL 0.92

/* Both formulas need w + w v p(v): a + a^3 p(a^2) near 0, and (e^2r - 1)/2 = r + r^2 q(r) for the
 * exponential. They share one evaluation with lane-wise chosen coefficients: choosing costs half of what a
 * multiplication does. ln2 in one piece is enough, since its error times n is far below the weight of the
 * second term. */
fxi_vec fxi_math_tanh(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec a = fxi_math_abs(m, x);
    fxi_vec capped = fxi_math_min(m, a, real2(m, 10, 20));
    fxi_vec n_exponent = NULL;
    fxi_vec n = fxi_math_round_exponent(m, capped, real(m, TWO_LOG2E), &n_exponent);
    fxi_vec r = fxi_math_fma(m, n, real(m, -HALF_LN2), capped);
    fxi_vec is_small = fcmp(m, LLVMRealOLT, a, real(m, TANH_SMALL));
    fxi_vec w = pick(m, is_small, a, r);
    fxi_vec square = mul(m, w, w);
    fxi_vec v = pick(m, is_small, square, w);
    fxi_vec p = fxi_math_poly_pick(m, v, is_small, fxi_poly_tanh, fxi_poly_half_expm1);
    fxi_vec growth = fxi_math_fma(m, p, mul(m, w, v), w);

    fxi_vec bias = integer(m, exponent_bias(m) << mantissa_bits(m));
    fxi_vec scale = as_float(m, iadd(m, n_exponent, bias));
    fxi_vec base = fxi_math_fma(m, scale, real(m, 0.5), real(m, 0.5));
    fxi_vec half_denominator = fxi_math_fma(m, scale, growth, base);
    fxi_vec large = sub(m, real(m, 1), divide(m, real(m, 1), half_denominator));
    fxi_vec magnitude = pick(m, is_small, growth, large);
    return fxi_math_with_sign(m, magnitude, fxi_math_sign(m, x));
}

/* Half of 2^n and 2^-n, their sum and difference with what rounding took from them, and r. n is capped and
 * the rest of the scaling comes last, as the largest results need 2^128 or 2^1024. */
typedef struct halves {
    fxi_vec difference, difference_lost, sum, sum_lost;
    fxi_vec r, r_lo;
    fxi_vec even, odd; /* cosh(r) - 1 and sinh(r) - r */
    fxi_vec last;      /* factor */
} halves;

static halves split_exponential(fxi_math_code *m, fxi_vec a) {
    halves h = {0};
    fxi_math_reduced p = fxi_math_exp_reduce(m, fxi_math_min(m, a, real2(m, 91, 712)));
    fxi_vec cap = integer(m, exponent_bias(m) - 3);
    fxi_vec n = pick(m, icmp(m, LLVMIntSLT, p.n, cap), p.n, cap);
    h.last = fxi_math_power_of_two(m, isub(m, p.n, n));
    fxi_vec up = fxi_math_power_of_two(m, isub(m, n, integer(m, 1)));
    fxi_vec down = fxi_math_power_of_two(m, isub(m, integer(m, -1), n));
    h.difference = sub(m, up, down);
    h.difference_lost = sub(m, sub(m, up, h.difference), down);
    h.sum = add(m, up, down);
    h.sum_lost = add(m, sub(m, up, h.sum), down);
    h.r = p.r, h.r_lo = p.r_lo;
    fxi_vec square = mul(m, p.r, p.r);
    h.even = mul(m, fxi_math_poly(m, square, fxi_poly_cosh), square);
    h.odd = mul(m, fxi_math_poly(m, square, fxi_poly_sinh), mul(m, square, p.r));
    return h;
}

/* base + slope (r + r_lo + odd) + base even, the large part as a pair. */
static fxi_vec combine(fxi_math_code *m, const halves *h, fxi_vec base, fxi_vec base_lost, fxi_vec slope) {
    fxi_vec head = fxi_math_fma(m, slope, h->r, base);
    fxi_vec lost = fxi_math_fma(m, slope, h->r, sub(m, base, head));
    lost = add(m, lost, base_lost);
    fxi_vec tail = fxi_math_fma(m, slope, add(m, h->odd, h->r_lo), lost);
    tail = fxi_math_fma(m, base, h->even, tail);
    return mul(m, add(m, head, tail), h->last);
}

fxi_vec fxi_math_sinh(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    halves h = split_exponential(m, fxi_math_abs(m, x));
    fxi_vec magnitude = combine(m, &h, h.difference, h.difference_lost, h.sum);
    return fxi_math_with_sign(m, fxi_math_abs(m, magnitude), fxi_math_sign(m, x));
}

fxi_vec fxi_math_cosh(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    halves h = split_exponential(m, fxi_math_abs(m, x));
    return combine(m, &h, h.sum, h.sum_lost, h.difference);
}

/* log(1 + u), u = a + a^2 / (1 + sqrt(1 + a^2)), with u as a triple; for large a log(2a). */
fxi_vec fxi_math_asinh(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec one = real(m, 1);
    fxi_vec a = fxi_math_abs(m, x);
    fxi_vec is_large = fcmp(m, LLVMRealOGT, a, real2(m, 0x1p14, 0x1p29));
    fxi_vec c = fxi_math_min(m, a, real2(m, 0x1p15, 0x1p30)); /* keeps the unused formula finite */
    fxi_pair square = fxi_math_two_prod(m, c, c);
    fxi_pair inner = fxi_math_two_sum(m, one, square.hi);
    inner.lo = add(m, inner.lo, square.lo);
    fxi_vec root = fxi_math_sqrt(m, inner.hi);
    fxi_vec residual = fxi_math_fma(m, negate(m, root), root, inner.hi);
    residual = add(m, residual, inner.lo);
    fxi_vec root_lo = divide(m, residual, add(m, root, root));
    fxi_pair below = fxi_math_fast_two_sum(m, root, one);
    below.lo = add(m, below.lo, root_lo);
    fxi_vec q = divide(m, square.hi, below.hi);
    fxi_vec q_rest = fxi_math_fma(m, negate(m, q), below.hi, square.hi);
    q_rest = add(m, q_rest, square.lo);
    q_rest = fxi_math_fma(m, negate(m, q), below.lo, q_rest);
    fxi_vec q_lo = divide(m, q_rest, below.hi);
    fxi_pair u = fxi_math_fast_two_sum(m, c, q);
    fxi_pair whole = fxi_math_two_sum(m, one, u.hi);
    fxi_vec zero = real(m, 0);
    fxi_vec hi = pick(m, is_large, a, whole.hi);
    fxi_vec lo = pick(m, is_large, zero, whole.lo);
    fxi_vec lowest = pick(m, is_large, zero, add(m, u.lo, q_lo));
    fxi_vec result = fxi_math_log_pair(m, hi, lo, lowest, pick(m, is_large, one, zero));
    return fxi_math_with_sign(m, fxi_math_abs(m, result), fxi_math_sign(m, x));
}

/* log(x + sqrt((x - 1)(x + 1))), all as pairs; for large x log(2x). */
fxi_vec fxi_math_acosh(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec one = real(m, 1), zero = real(m, 0);
    fxi_vec is_large = fcmp(m, LLVMRealOGT, x, real2(m, 0x1p14, 0x1p29));
    fxi_vec c = fxi_math_min(m, x, real2(m, 0x1p15, 0x1p30));
    fxi_pair less = fxi_math_two_sum(m, c, real(m, -1));
    fxi_pair more = fxi_math_two_sum(m, c, one);
    fxi_pair square = fxi_math_two_prod(m, less.hi, more.hi);
    square.lo = fxi_math_fma(m, less.hi, more.lo, square.lo);
    square.lo = fxi_math_fma(m, less.lo, more.hi, square.lo);
    fxi_vec root = fxi_math_sqrt(m, square.hi);
    fxi_vec residual = fxi_math_fma(m, negate(m, root), root, square.hi);
    residual = add(m, residual, square.lo);
    fxi_vec root_lo = divide(m, residual, add(m, root, root));
    root_lo = pick(m, fcmp(m, LLVMRealOGT, root, zero), root_lo, zero);
    fxi_pair whole = fxi_math_two_sum(m, c, root);
    fxi_vec hi = pick(m, is_large, x, whole.hi);
    fxi_vec lo = pick(m, is_large, zero, whole.lo);
    fxi_vec lowest = pick(m, is_large, zero, root_lo);
    fxi_vec result = fxi_math_log_pair(m, hi, lo, lowest, pick(m, is_large, one, zero));
    return pick(m, fcmp(m, LLVMRealOLT, x, one), fxi_math_nan(m), result);
}

/* log(1 + 2a / (1 - a)) / 2, the quotient with its rest. */
fxi_vec fxi_math_atanh(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec a = fxi_math_abs(m, x);
    fxi_vec twice = add(m, a, a);
    fxi_pair below = fxi_math_two_sum(m, real(m, 1), negate(m, a));
    fxi_vec q = divide(m, twice, below.hi);
    fxi_vec rest = fxi_math_fma(m, negate(m, q), below.hi, twice);
    rest = fxi_math_fma(m, negate(m, q), below.lo, rest);
    fxi_vec q_lo = divide(m, rest, below.hi);
    fxi_pair whole = fxi_math_two_sum(m, real(m, 1), q);
    fxi_vec result = fxi_math_log_pair(m, whole.hi, whole.lo, q_lo, NULL);
    result = mul(m, result, real(m, 0.5));
    return fxi_math_with_sign(m, fxi_math_abs(m, result), fxi_math_sign(m, x));
}
