/* SPDX-License-Identifier: Apache-2.0 */
/* log |Gamma| and digamma, always in f64 arithmetic of full accuracy: both have zeros on the negative axis,
 * where f32 results need an absolute error far below their own.
 *
 * Up to 8 the argument is moved by whole steps to the interval of one polynomial, around 2 for lgamma (a
 * multiple of t = u - 2, so the zeros at 1 and 2 keep their relative accuracy) and around 1.5 for digamma
 * (a multiple of u - root); the steps give a product whose logarithm is taken once, or a sum of
 * reciprocals kept as one fraction. From 8 on it is Stirling's series, for negative arguments the
 * reflection formula. */
#include "emit_math_internal.h"

#define PI_HI 0x1.921fb54442d18p+1
#define PI_LO 0x1.1a62633145c07p-53
#define LOG_PI 0x1.250d048e7a1bdp+0
#define STIRLING_CONSTANT 0x1.acfe390c97d69p-2 /* log(2 pi)/2 - 1/2 */
#define ROOT_HI 0x1.762d86356be3fp+0           /* the zero of digamma */
#define ROOT_LO 0x1.b86a722197829p-54
#define ROOT_MINUS_1_HI 0x1.d8b618d5af8fep-2
#define ROOT_MINUS_1_LO (-0x1.1e563779a1f5bp-56)

/* a - round(a), exact, and sin and cos of pi times it. */
typedef struct half_turn {
    fxi_vec rest, sine, cosine;
} half_turn;

static half_turn of_pi(fxi_math_code *m, fxi_vec a) {
    half_turn h = {0};
    h.rest = sub(m, a, fxi_math_nearest(m, a));
    fxi_vec q_int = NULL;
    fxi_vec q = fxi_math_round(m, h.rest, real(m, 2), &q_int);
    fxi_vec turn = fxi_math_fma(m, q, real(m, -0.5), h.rest);
    fxi_pair angle = fxi_math_two_prod(m, turn, real(m, PI_HI));
    angle.lo = fxi_math_fma(m, turn, real(m, PI_LO), angle.lo);
    h.sine = fxi_math_sin_quadrant(m, q_int, angle.hi, angle.lo);
    fxi_vec next = iadd(m, q_int, integer(m, 1));
    h.cosine = fxi_math_sin_quadrant(m, next, angle.hi, angle.lo);
    return h;
}

/* ---- lgamma ---- */

/* How v >= -1/2 is brought to u = 2 + t with |t| <= 1/2: Gamma(v) = Gamma(u) times or divided by the
 * product. */
typedef struct gamma_steps {
    fxi_vec t;
    fxi_pair product;
    fxi_vec weight; /* of the product's logarithm, 1 or -1 */
} gamma_steps;

static gamma_steps step_towards_two(fxi_math_code *m, fxi_vec v) {
    fxi_vec one = real(m, 1), zero = real(m, 0);
    fxi_vec size = fxi_math_abs(m, v);
    fxi_pair above = fxi_math_two_sum(m, one, v);
    fxi_pair both = fxi_math_two_prod(m, size, above.hi); /* |v| (v + 1), for two steps up */
    both.lo = fxi_math_fma(m, size, above.lo, both.lo);
    fxi_vec product = one, taken = zero;
    for (int i = 1; i <= 6; i++) {
        fxi_vec goes = fcmp(m, LLVMRealOGE, v, real(m, 1.5 + i));
        fxi_vec factor = sub(m, v, real(m, i));
        product = pick(m, goes, mul(m, product, factor), product);
        taken = pick(m, goes, real(m, i), taken);
    }
    fxi_vec is_low = fcmp(m, LLVMRealOLT, v, real(m, 0.5));
    fxi_vec is_near_one = fcmp(m, LLVMRealOLT, v, real(m, 1.5));
    gamma_steps s = {0};
    fxi_vec down = sub(m, sub(m, v, real(m, 2)), taken);
    s.t = pick(m, is_near_one, pick(m, is_low, v, sub(m, v, one)), down);
    fxi_vec up = pick(m, is_low, both.hi, v);
    s.product.hi = pick(m, is_near_one, up, product);
    s.product.lo = pick(m, is_low, both.lo, zero);
    s.weight = pick(m, is_near_one, real(m, -1), one);
    return s;
}

/* Infinity at 0; infinity and NaN stay. */
static fxi_vec right_specials(fxi_math_code *m, fxi_vec v, fxi_vec result) {
    fxi_vec infinity = fxi_math_infinity(m);
    result = pick(m, fcmp(m, LLVMRealOLT, v, infinity), result, v);
    return pick(m, fcmp(m, LLVMRealOEQ, v, real(m, 0)), infinity, result);
}

/* log Gamma(v), v >= -1/2 (log |Gamma| below 0). */
static fxi_vec log_gamma_right(fxi_math_code *m, fxi_vec v) {
    gamma_steps s = step_towards_two(m, v);
    fxi_vec is_large = fcmp(m, LLVMRealOGE, v, real(m, 8));
    fxi_vec hi = pick(m, is_large, v, s.product.hi);
    fxi_vec lo = pick(m, is_large, real(m, 0), s.product.lo);
    fxi_pair log = fxi_math_log_both(m, hi, lo, NULL, NULL);
    fxi_pair near_two = fxi_math_two_prod(m, s.t, fxi_math_poly(m, s.t, fxi_poly_lgamma));
    fxi_pair sum = fxi_math_two_sum(m, near_two.hi, mul(m, s.weight, log.hi));
    fxi_vec low = fxi_math_fma(m, s.weight, log.lo, add(m, near_two.lo, sum.lo));
    fxi_vec small = add(m, sum.hi, low);

    fxi_vec inverse = divide(m, real(m, 1), v);
    fxi_vec series = fxi_math_poly(m, mul(m, inverse, inverse), fxi_poly_stirling);
    fxi_vec rest = fxi_math_fma(m, series, inverse, real(m, STIRLING_CONSTANT));
    fxi_vec factor = sub(m, v, real(m, 0.5));
    fxi_pair less = fxi_math_fast_two_sum(m, log.hi, real(m, -1));
    rest = fxi_math_fma(m, factor, add(m, less.lo, log.lo), rest);
    fxi_vec large = fxi_math_fma(m, factor, less.hi, rest);
    return right_specials(m, v, pick(m, is_large, large, small));
}

/* Below -1/2: log pi - log |x sin(pi x)| - log Gamma(-x). */
static fxi_vec lgamma_all(fxi_math_code *m, fxi_vec x) {
    fxi_vec a = fxi_math_abs(m, x);
    fxi_vec is_reflected = fcmp(m, LLVMRealOLT, x, real(m, -0.5));
    fxi_vec right = log_gamma_right(m, pick(m, is_reflected, a, x));
    half_turn h = of_pi(m, a);
    fxi_pair product = fxi_math_two_prod(m, a, fxi_math_abs(m, h.sine));
    fxi_vec log = fxi_math_log_pair(m, product.hi, product.lo, NULL, NULL);
    fxi_vec left = sub(m, sub(m, real(m, LOG_PI), log), right);
    fxi_vec infinity = fxi_math_infinity(m);
    fxi_vec is_pole = fcmp(m, LLVMRealOEQ, h.rest, real(m, 0)); /* also where the terms overflow */
    left = pick(m, is_pole, infinity, left);
    fxi_vec result = pick(m, is_reflected, left, right);
    return pick(m, fcmp(m, LLVMRealOEQ, a, infinity), infinity, result);
}

fxi_vec fxi_math_lgamma(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    if (m->bits == 64) return lgamma_all(m, x);
    fxi_math_code wide = fxi_math_begin(m->e, 64);
    return fxi_math_narrow(m, lgamma_all(&wide, fxi_math_widen(&wide, x)));
}

/* ---- digamma ---- */

/* digamma(a) for 1 <= a < 8, and digamma(a + 1) for a < 1: (u - root) R(u - 3/2) plus the sum of 1/(a -
 * i), i <= n. */
static fxi_vec digamma_small(fxi_math_code *m, fxi_vec a) {
    fxi_vec one = real(m, 1), zero = real(m, 0);
    fxi_vec top = zero, bottom = one, u = a;
    for (int i = 1; i <= 6; i++) {
        fxi_vec goes = fcmp(m, LLVMRealOGE, a, real(m, 1 + i));
        fxi_vec term = sub(m, a, real(m, i));
        fxi_vec new_top = fxi_math_fma(m, top, term, bottom);
        top = pick(m, goes, new_top, top);
        bottom = pick(m, goes, mul(m, bottom, term), bottom);
        u = pick(m, goes, term, u);
    }
    fxi_vec is_low = fcmp(m, LLVMRealOLT, a, one);
    fxi_vec t = sub(m, u, pick(m, is_low, real(m, 0.5), real(m, 1.5)));
    fxi_vec distance = sub(m, u, pick(m, is_low, real(m, ROOT_MINUS_1_HI), real(m, ROOT_HI)));
    distance = sub(m, distance, pick(m, is_low, real(m, ROOT_MINUS_1_LO), real(m, ROOT_LO)));
    fxi_vec p = fxi_math_poly(m, t, fxi_poly_digamma);
    return fxi_math_fma(m, distance, p, divide(m, top, bottom));
}

/* log a - 1/(2a) - P(1/a^2)/a^2. */
static fxi_vec digamma_large(fxi_math_code *m, fxi_vec a, fxi_vec inverse) {
    fxi_vec z = mul(m, inverse, inverse);
    fxi_vec series = mul(m, fxi_math_poly(m, z, fxi_poly_digamma_series), z);
    series = fxi_math_fma(m, inverse, real(m, 0.5), series);
    return sub(m, fxi_math_log(m, a, NULL), series);
}

/* For negative x: digamma(a) + 1/a + pi cot(pi a), a = -x, where digamma(a) + 1/a = digamma(a + 1) spares
 * the reciprocals below 1. Zero and the negative integers give NaN. */
static fxi_vec digamma_all(fxi_math_code *m, fxi_vec x) {
    fxi_vec zero = real(m, 0), one = real(m, 1);
    fxi_vec a = fxi_math_abs(m, x);
    fxi_vec inverse = divide(m, one, a);
    fxi_vec is_large = fcmp(m, LLVMRealOGE, a, real(m, 8));
    fxi_vec large = digamma_large(m, a, inverse);
    fxi_vec small = digamma_small(m, fxi_math_min(m, a, real(m, 8)));
    fxi_vec body = pick(m, is_large, large, small);
    fxi_vec is_low = fcmp(m, LLVMRealOLT, a, one);
    fxi_vec right = pick(m, is_low, sub(m, body, inverse), body);
    half_turn h = of_pi(m, a);
    fxi_vec cotangent = divide(m, h.cosine, h.sine);
    fxi_vec moved = pick(m, is_low, body, add(m, body, inverse));
    fxi_vec left = fxi_math_fma(m, cotangent, real(m, PI_HI), moved);
    fxi_vec is_whole = fcmp(m, LLVMRealUEQ, h.rest, zero); /* or not a number, at -infinity */
    fxi_vec is_pole = LLVMBuildAnd(m->e->builder, is_whole, fcmp(m, LLVMRealOLE, x, zero), "");
    fxi_vec result = pick(m, fcmp(m, LLVMRealOLT, x, zero), left, right);
    return pick(m, is_pole, fxi_math_nan(m), result);
}

fxi_vec fxi_math_digamma(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    if (m->bits == 64) return digamma_all(m, x);
    fxi_math_code wide = fxi_math_begin(m->e, 64);
    return fxi_math_narrow(m, digamma_all(&wide, fxi_math_widen(&wide, x)));
}
