/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms.
 *
 * x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), found by integer arithmetic on the bits. log(1 + f) is f plus a
 * correction: f32 by a polynomial in f, f64 by the series in s = f / (2 + f), which needs a third of the coefficients
 * and pays for its division. k ln2 and f are added as a pair, so that cancellation at k = -1 costs nothing. */
#include "emit_math_internal.h"

/* ln2 with 8 (f32) and 11 (f64) zero bits at the end: exact in products with k. */
#define LN2_HI32 0x1.62e4p-1
#define LN2_LO32 0x1.7f7d1cp-20
#define LN2_HI64 0x1.62e42fefa38p-1
#define LN2_LO64 0x1.ef35793c7673p-45

fxi_math_split fxi_math_log_split(fxi_math_code *m, fxi_vec x) {
    fxi_vec tiny = fcmp(m, LLVMRealOLT, x, real2(m, 0x1p-126, 0x1p-1022));
    fxi_vec scaled = mul(m, x, real2(m, 0x1p24, 0x1p54));
    fxi_vec bits = as_int(m, pick(m, tiny, scaled, x));
    fxi_vec base = integer(m, m->bits == 32 ? 0x3f3504f3 : 0x3fe6a09e667f3bcd); /* sqrt(1/2), rounded down */
    fxi_vec shifted = isub(m, bits, base);
    fxi_vec exponent = LLVMBuildAShr(m->e->builder, shifted, integer(m, mantissa_bits(m)), "");
    fxi_vec mantissa = iand(m, shifted, integer(m, (INT64_C(1) << mantissa_bits(m)) - 1));
    fxi_vec one_plus_f = as_float(m, iadd(m, mantissa, base));
    fxi_math_split s = {.f = sub(m, one_plus_f, real(m, 1))};
    fxi_vec adjust = pick(m, tiny, integer(m, m->bits == 32 ? -24 : -54), integer(m, 0));
    s.k = to_float(m, iadd(m, exponent, adjust));
    return s;
}

fxi_vec fxi_math_log_tail(fxi_math_code *m, fxi_vec f) {
    fxi_vec square = mul(m, f, f);
    if (m->precision == 0) return mul(m, fxi_math_poly(m, f, fxi_poly_log), square);
    fxi_vec s = divide(m, f, add(m, f, real(m, 2)));
    fxi_vec z = mul(m, s, s);
    fxi_vec half = mul(m, square, real(m, 0.5));
    fxi_vec series = fxi_math_fma(m, fxi_math_poly(m, z, fxi_poly_log_atanh), z, half);
    return fxi_math_fma(m, s, series, negate(m, half));
}

/* Puts right what the main path makes of 0, negative numbers, infinity and NaN. */
fxi_vec fxi_math_log_specials(fxi_math_code *m, fxi_vec x, fxi_vec result) {
    fxi_vec infinity = fxi_math_infinity(m);
    result = pick(m, fcmp(m, LLVMRealOLT, x, infinity), result, x);
    fxi_vec bad = pick(m, fcmp(m, LLVMRealOLT, x, real(m, 0)), fxi_math_nan(m), real(m, -INFINITY));
    return pick(m, fcmp(m, LLVMRealOLE, x, real(m, 0)), bad, result);
}

fxi_vec fxi_math_log(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_math_split s = fxi_math_log_split(m, x);
    fxi_vec tail = fxi_math_log_tail(m, s.f);
    fxi_vec whole = mul(m, s.k, real2(m, LN2_HI32, LN2_HI64));
    fxi_pair sum = fxi_math_fast_two_sum(m, whole, s.f);
    fxi_vec low = fxi_math_fma(m, s.k, real2(m, LN2_LO32, LN2_LO64), sum.lo);
    fxi_vec result = add(m, sum.hi, add(m, low, tail));
    return fxi_math_log_specials(m, x, result);
}
