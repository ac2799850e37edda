/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentials: exp, exp2, expm1 and the logistic function.
 *
 * x = n ln2 + r with |r| <= ln2/2 by two fused steps (the first is exact, since ln2's leading part times n
 * cancels against x down to one unit of both), then a polynomial in r and a scaling by 2^n. expm1 and
 * logistic never form e^r itself: they add 2^n r and 2^n (e^r - 1 - r) to the exact 2^n - 1 or 2^n + 1 and
 * keep what the first addition rounds away. */
#include "emit_math_internal.h"

#define LN2_HI32 0x1.62e43p-1
#define LN2_LO32 (-0x1.05c61p-29)
#define LN2_HI64 0x1.62e42fefa39efp-1
#define LN2_LO64 0x1.abc9e3b39803fp-56
#define LOG2E 0x1.71547652b82fep+0

fxi_math_reduced fxi_math_exp_reduce(fxi_math_code *m, fxi_vec x) {
    fxi_math_reduced p = {0};
    fxi_vec n = fxi_math_round(m, x, real(m, LOG2E), &p.n);
    fxi_vec first = fxi_math_fma(m, n, real2(m, -LN2_HI32, -LN2_HI64), x);
    fxi_vec low = real2(m, -LN2_LO32, -LN2_LO64);
    p.r = fxi_math_fma(m, n, low, first);
    p.r_lo = fxi_math_fma(m, n, low, sub(m, first, p.r));
    return p;
}

fxi_vec fxi_math_exp_poly(fxi_math_code *m, fxi_vec r) {
    fxi_vec sum = fxi_math_poly(m, r, fxi_poly_exp);
    sum = fxi_math_fma(m, sum, r, real(m, 1));
    return fxi_math_fma(m, sum, r, real(m, 1));
}

/* Beyond the clamps the result is 0 or infinite anyway, and n stays within what two scalings can do. */
fxi_vec fxi_math_exp(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    x = fxi_math_max(m, x, real2(m, -104, -746));
    x = fxi_math_min(m, x, real2(m, 89, 710));
    fxi_vec n_int = NULL;
    fxi_vec n = fxi_math_round(m, x, real(m, LOG2E), &n_int);
    fxi_vec r = fxi_math_fma(m, n, real2(m, -LN2_HI32, -LN2_HI64), x);
    r = fxi_math_fma(m, n, real2(m, -LN2_LO32, -LN2_LO64), r);
    return fxi_math_scale_rounded(m, fxi_math_exp_poly(m, r), n, n_int);
}

fxi_vec fxi_math_exp2(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    x = fxi_math_max(m, x, real2(m, -151, -1076));
    x = fxi_math_min(m, x, real2(m, 129, 1025));
    fxi_vec n_int = NULL;
    fxi_vec n = fxi_math_round(m, x, real(m, 1), &n_int);
    fxi_vec r = sub(m, x, n);
    fxi_vec sum = fxi_math_poly(m, r, fxi_poly_exp2);
    sum = fxi_math_fma(m, sum, r, real(m, 1));
    return fxi_math_scale_rounded(m, sum, n, n_int);
}

/* 2^n e^r - 1 = (2^n - 1) + 2^n r + 2^n (r_lo + r^2 q). The largest n has no 2^n of its own: there all is
 * done at half the size. The sign of x is the sign of the result and put back for the sake of -0. */
fxi_vec fxi_math_expm1(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec sign = fxi_math_sign(m, x);
    x = fxi_math_max(m, x, real2(m, -20, -40));
    x = fxi_math_min(m, x, real2(m, 89, 710));
    fxi_math_reduced p = fxi_math_exp_reduce(m, x);
    fxi_vec top = integer(m, exponent_bias(m));
    fxi_vec over = icmp(m, LLVMIntSGT, p.n, top);
    fxi_vec scale = fxi_math_power_of_two(m, pick(m, over, top, p.n));
    fxi_vec unit = pick(m, over, real(m, 0.5), real(m, 1));
    fxi_vec base = sub(m, scale, unit);
    fxi_vec base_lost = sub(m, sub(m, scale, base), unit); /* not zero where 2^n has no unit bit */

    fxi_vec square = mul(m, p.r, p.r);
    fxi_vec q = fxi_math_poly(m, p.r, fxi_poly_expm1);
    fxi_vec tail = fxi_math_fma(m, q, square, p.r_lo);
    fxi_vec head = fxi_math_fma(m, scale, p.r, base);
    fxi_vec lost = fxi_math_fma(m, scale, p.r, sub(m, base, head));
    lost = add(m, lost, base_lost);
    fxi_vec sum = add(m, head, fxi_math_fma(m, scale, tail, lost));
    sum = mul(m, sum, pick(m, over, real(m, 2), real(m, 1)));
    return fxi_math_with_sign(m, fxi_math_abs(m, sum), sign);
}

/* 1 / (1 + 2^n (1 + growth)) with the denominator as a pair and one Newton step that makes up for its low
 * part and for the division's rounding. 2^n is kept at 2^64 times a factor applied last, so that results
 * go down to the subnormals. The low part is taken against 2^n, then 1: the order that is exact where n >
 * 0, and where n < 0 loses less than it matters. r is that of -x with its sign flipped. */
fxi_vec fxi_math_logistic(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    x = fxi_math_max(m, x, real2(m, -105, -747));
    x = fxi_math_min(m, x, real(m, 40));
    fxi_vec n_exponent = NULL;
    fxi_vec n = fxi_math_round_exponent(m, x, real(m, -LOG2E), &n_exponent);
    fxi_vec r = fxi_math_fma(m, n, real2(m, LN2_HI32, LN2_HI64), x);
    r = fxi_math_fma(m, n, real2(m, LN2_LO32, LN2_LO64), r);
    fxi_vec sum = fxi_math_poly(m, r, fxi_poly_exp_minus);
    fxi_vec growth = fxi_math_fma(m, sum, mul(m, r, r), negate(m, r)); /* e^-r - 1 */

    int64_t limit = INT64_C(64) << mantissa_bits(m), bias = exponent_bias(m) << mantissa_bits(m);
    fxi_vec most = integer(m, limit);
    fxi_vec capped = pick(m, icmp(m, LLVMIntSLT, n_exponent, most), n_exponent, most);
    fxi_vec scale = as_float(m, iadd(m, capped, integer(m, bias)));
    fxi_vec one_bits = integer(m, bias);
    fxi_vec last = isub(m, integer(m, limit + bias), n_exponent);
    last = pick(m, icmp(m, LLVMIntSLT, last, one_bits), last, one_bits);

    fxi_vec one = real(m, 1);
    fxi_vec denominator = fxi_math_fma(m, scale, growth, add(m, scale, one));
    fxi_vec lost = add(m, sub(m, scale, denominator), one);
    lost = fxi_math_fma(m, scale, growth, lost);
    fxi_vec y = divide(m, one, denominator);
    fxi_vec excess = fxi_math_fma(m, y, denominator, real(m, -1));
    excess = fxi_math_fma(m, y, lost, excess);
    y = fxi_math_fma(m, negate(m, excess), y, y);
    return mul(m, y, as_float(m, last));
}
