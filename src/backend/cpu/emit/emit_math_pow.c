/* SPDX-License-Identifier: Apache-2.0 */
/* x^y = 2^(y log2 |x|), with the sign and the special cases of C's pow.
 *
 * The product may reach 1075 and its absolute error becomes the relative one of the result, so log2 |x|
 * needs 11 bits more than the result has. f32 gets them from f64 arithmetic. f64 computes the logarithm as
 * a pair: s = f/(2 + f) with its rest, the first two terms of the series in s and the multiplications by
 * log2(e) and y in pairs, and the rest of the series, which is below 2^-11 of the whole, in plain f64. */
#include "emit_math_internal.h"

#define LOG2E_HI 0x1.71547652b82fep+0
#define LOG2E_LO 0x1.777d0ffda0d24p-56
#define LN2 0x1.62e42fefa39efp-1
#define TWO_THIRDS_HI 0x1.5555555555555p-1
#define TWO_THIRDS_LO 0x1.5555555555555p-55

/* Zero and infinity have the logarithms -infinity and infinity; NaN stays. */
static fxi_vec log2_specials(fxi_math_code *m, fxi_vec a, fxi_vec value) {
    fxi_vec infinity = fxi_math_infinity(m);
    value = pick(m, fcmp(m, LLVMRealOLT, a, infinity), value, a);
    return pick(m, fcmp(m, LLVMRealOEQ, a, real(m, 0)), negate(m, infinity), value);
}

/* For f32 results, in f64 arithmetic: error below 2^-42. */
static fxi_vec log2_short(fxi_math_code *m, fxi_vec a) {
    fxi_math_split p = fxi_math_log_split(m, a);
    fxi_vec s = divide(m, p.f, add(m, p.f, real(m, 2)));
    fxi_vec z = mul(m, s, s);
    fxi_vec series = fxi_math_fma(m, fxi_math_poly(m, z, fxi_poly_log_atanh), z, real(m, 2));
    fxi_vec natural = mul(m, series, s);
    return log2_specials(m, a, fxi_math_fma(m, natural, real(m, LOG2E_HI), p.k));
}

/* f / (2 + f) as a pair. */
static fxi_pair atanh_argument(fxi_math_code *m, fxi_vec f) {
    fxi_pair below = fxi_math_fast_two_sum(m, real(m, 2), f);
    fxi_pair s = {.hi = divide(m, f, below.hi)};
    fxi_vec rest = fxi_math_fma(m, negate(m, s.hi), below.hi, f);
    rest = fxi_math_fma(m, negate(m, s.hi), below.lo, rest);
    s.lo = divide(m, rest, below.hi);
    return s;
}

/* hi and lo parts of a product of pairs. */
static fxi_pair pair_mul(fxi_math_code *m, fxi_pair a, fxi_pair b) {
    fxi_pair p = fxi_math_two_prod(m, a.hi, b.hi);
    p.lo = fxi_math_fma(m, a.hi, b.lo, p.lo);
    p.lo = fxi_math_fma(m, a.lo, b.hi, p.lo);
    return p;
}

/* log(1 + f) = 2s + 2/3 s z + s z^2 Q(z); the sum as a pair. */
static fxi_pair log_long(fxi_math_code *m, fxi_vec f) {
    fxi_pair s = atanh_argument(m, f);
    fxi_pair z = pair_mul(m, s, s);
    fxi_pair third = {real(m, TWO_THIRDS_HI), real(m, TWO_THIRDS_LO)};
    fxi_pair second = pair_mul(m, pair_mul(m, s, z), third);
    fxi_vec square = mul(m, z.hi, z.hi);
    fxi_vec rest = mul(m, fxi_math_poly(m, z.hi, fxi_poly_pow_log), mul(m, square, s.hi));
    fxi_pair sum = fxi_math_fast_two_sum(m, add(m, s.hi, s.hi), second.hi);
    fxi_vec low = add(m, add(m, s.lo, s.lo), second.lo);
    low = add(m, low, rest);
    sum.lo = add(m, sum.lo, low);
    return fxi_math_fast_two_sum(m, sum.hi, sum.lo);
}

/* y log2(a) as a pair whose low part is finite. */
static fxi_pair exponent_long(fxi_math_code *m, fxi_vec a, fxi_vec y) {
    fxi_math_split p = fxi_math_log_split(m, a);
    fxi_pair log2e = {real(m, LOG2E_HI), real(m, LOG2E_LO)};
    fxi_pair fraction = pair_mul(m, log_long(m, p.f), log2e);
    fxi_pair sum = fxi_math_fast_two_sum(m, p.k, fraction.hi);
    sum.lo = add(m, sum.lo, fraction.lo);
    sum = fxi_math_fast_two_sum(m, sum.hi, sum.lo);
    sum.hi = log2_specials(m, a, sum.hi);
    fxi_pair e = {.hi = mul(m, y, sum.hi)};
    e.lo = fxi_math_fma(m, y, sum.hi, negate(m, e.hi));
    e.lo = fxi_math_fma(m, y, sum.lo, e.lo);
    fxi_vec is_moderate = fcmp(m, LLVMRealOLT, fxi_math_abs(m, e.hi), real(m, 1100));
    e.lo = pick(m, is_moderate, e.lo, real(m, 0));
    return e;
}

/* 2^(r + lo) = 1 + c0 r + r^2 S(r) with the second term as a pair, |r| <= 1/2. */
static fxi_vec exp2_of_pair(fxi_math_code *m, fxi_vec r, fxi_vec lo) {
    const fxi_poly *whole = &fxi_poly_exp2[1];
    const fxi_poly rest[2] = {{0, NULL}, {whole->count - 1, whole->c + 1}};
    fxi_pair x = fxi_math_two_sum(m, r, lo);
    fxi_pair linear = fxi_math_two_prod(m, x.hi, real(m, whole->c[0]));
    fxi_vec tail = fxi_math_fma(m, fxi_math_poly(m, x.hi, rest), mul(m, x.hi, x.hi), linear.lo);
    tail = fxi_math_fma(m, x.lo, real(m, LN2), tail);
    fxi_pair sum = fxi_math_fast_two_sum(m, real(m, 1), linear.hi);
    return add(m, sum.hi, add(m, sum.lo, tail));
}

/* 2^(hi + lo); lo may be NULL. Beyond the clamps all is 0 or infinite in the format of the result. */
static fxi_vec power_of(fxi_math_code *m, fxi_vec hi, fxi_vec lo) {
    hi = fxi_math_max(m, hi, real(m, -1080));
    hi = fxi_math_min(m, hi, real(m, 1030));
    fxi_vec n_int = NULL;
    fxi_vec n = fxi_math_round(m, hi, real(m, 1), &n_int);
    fxi_vec r = sub(m, hi, n);
    if (!lo) {
        fxi_vec sum = fxi_math_fma(m, fxi_math_poly(m, r, fxi_poly_exp2), r, real(m, 1));
        return fxi_math_scale(m, sum, n_int);
    }
    return fxi_math_scale(m, exp2_of_pair(m, r, lo), n_int);
}

/* Sign of negative bases, NaN for their broken powers, and the ones: x^0, 1^y, (-1)^infinity. */
static fxi_vec pow_specials(fxi_math_code *m, fxi_vec x, fxi_vec y, fxi_vec magnitude) {
    LLVMBuilderRef b = m->e->builder;
    fxi_vec one = real(m, 1), zero = real(m, 0);
    fxi_vec is_unit = fcmp(m, LLVMRealOEQ, fxi_math_abs(m, x), one);
    fxi_vec is_infinite = fcmp(m, LLVMRealOEQ, fxi_math_abs(m, y), fxi_math_infinity(m));
    magnitude = pick(m, LLVMBuildAnd(b, is_unit, is_infinite, ""), one, magnitude);
    fxi_vec is_whole = fcmp(m, LLVMRealOEQ, fxi_math_floor(m, y), y);
    fxi_vec half = mul(m, y, real(m, 0.5));
    fxi_vec is_half = fcmp(m, LLVMRealUNE, fxi_math_floor(m, half), half);
    fxi_vec is_odd = LLVMBuildAnd(b, is_whole, is_half, "");
    fxi_vec sign = pick(m, is_odd, fxi_math_sign(m, x), integer(m, 0));
    fxi_vec result = fxi_math_flip(m, magnitude, sign);
    fxi_vec is_negative = fcmp(m, LLVMRealOLT, x, zero);
    fxi_vec is_finite = fcmp(m, LLVMRealOGT, x, real(m, -INFINITY));
    fxi_vec is_domain_error = LLVMBuildAnd(b, is_negative, is_finite, "");
    is_domain_error = LLVMBuildAnd(b, is_domain_error, LLVMBuildNot(b, is_whole, ""), "");
    result = pick(m, is_domain_error, fxi_math_nan(m), result);
    result = pick(m, fcmp(m, LLVMRealOEQ, y, zero), one, result);
    return pick(m, fcmp(m, LLVMRealOEQ, x, one), one, result);
}

fxi_vec fxi_math_pow(fxi_math_code *m, fxi_vec x, fxi_vec y) {
    fxi_vec a = fxi_math_abs(m, x);
    if (m->bits == 64) {
        fxi_pair e = exponent_long(m, a, y);
        return pow_specials(m, x, y, power_of(m, e.hi, e.lo));
    }
    fxi_math_code wide = fxi_math_widened(m);
    fxi_vec log2_a = log2_short(&wide, fxi_math_widen(&wide, a));
    fxi_vec e = mul(&wide, fxi_math_widen(&wide, y), log2_a);
    return pow_specials(m, x, y, fxi_math_narrow(m, power_of(&wide, e, NULL)));
}
