/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms.
 *
 * x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), found by integer arithmetic on the bits. log(1 + f)
 * is f plus a correction: f32 by a polynomial in f, f64 by the series in s = f / (2 + f), which needs a
 * third of the coefficients and pays for its division. k ln2 and f are added as a pair, so that
 * cancellation at k = -1 costs nothing. */
#include "emit_math_internal.h"

/* ln2 with 8 (f32) and 11 (f64) zero bits at the end: exact in products with k. */
#define LN2_HI32 0x1.62e4p-1
#define LN2_LO32 0x1.7f7d1cp-20
#define LN2_HI64 0x1.62e42fefa38p-1
#define LN2_LO64 0x1.ef35793c7673p-45

/* log2(e); log10(2), the high part with zero bits as above; log10(e). */
#define LOG2E_HI32 0x1.715476p+0
#define LOG2E_LO32 0x1.4ae0cp-26
#define LOG2E_HI64 0x1.71547652b82fep+0
#define LOG2E_LO64 0x1.777d0ffda0d24p-56
#define LG2_HI32 0x1.3442p-2
#define LG2_LO32 (-0x1.95ec1p-19)
#define LG2_HI64 0x1.34413509f78p-2
#define LG2_LO64 0x1.fef311f12b358p-46
#define LGE_HI32 0x1.bcb7b2p-2
#define LGE_LO32 (-0x1.5b235ep-27)
#define LGE_HI64 0x1.bcb7b1526e50ep-2
#define LGE_LO64 0x1.95355baaafad3p-57

fxi_math_split fxi_math_log_split(fxi_math_code *m, fxi_vec x) {
    fxi_vec tiny = fcmp(m, LLVMRealOLT, x, real2(m, 0x1p-126, 0x1p-1022));
    fxi_vec scaled = mul(m, x, real2(m, 0x1p24, 0x1p54));
    fxi_vec bits = as_int(m, pick(m, tiny, scaled, x));
    int64_t base = m->bits == 32 ? 0x3f3504f3 : 0x3fe6a09e667f3bcd; /* sqrt(1/2), rounded down */
    int64_t bias = exponent_bias(m) + 1; /* for a positive exponent: AVX2 has no arithmetic 64-bit shift */
    fxi_vec shifted = isub(m, bits, integer(m, base - (bias << mantissa_bits(m))));
    fxi_vec exponent = LLVMBuildLShr(m->e->builder, shifted, integer(m, mantissa_bits(m)), "");
    fxi_vec mantissa = iand(m, shifted, integer(m, (INT64_C(1) << mantissa_bits(m)) - 1));
    fxi_vec one_plus_f = as_float(m, iadd(m, mantissa, integer(m, base)));
    fxi_math_split s = {.f = sub(m, one_plus_f, real(m, 1))};
    fxi_vec adjust = pick(m, tiny, integer(m, (m->bits == 32 ? -24 : -54) - bias), integer(m, -bias));
    s.k_int = iadd(m, exponent, adjust);
    s.k = fxi_math_small_to_float(m, s.k_int);
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

/* f = (hi - 1) + lo 2^-k becomes a pair; log(1 + f_hi + f_lo) = log(1 + f_hi) + f_lo / (1 + f_hi) + ...,
 * with the quotient approximated, since f_lo is below half an ulp. Beyond 2^60 and for subnormals lo no
 * longer counts, but its factor must stay a number. */
fxi_pair fxi_math_log_both(fxi_math_code *m, fxi_vec hi, fxi_vec lo, fxi_vec lowest, fxi_vec more_k) {
    fxi_math_split s = fxi_math_log_split(m, hi);
    fxi_vec most = integer(m, 60), least = integer(m, 3 - exponent_bias(m));
    fxi_vec k_capped = pick(m, icmp(m, LLVMIntSLT, s.k_int, most), s.k_int, most);
    k_capped = pick(m, icmp(m, LLVMIntSGT, k_capped, least), k_capped, least);
    fxi_vec down = fxi_math_power_of_two(m, isub(m, integer(m, 0), k_capped));
    fxi_pair f = fxi_math_fast_two_sum(m, s.f, mul(m, lo, down));
    if (lowest) f.lo = fxi_math_fma(m, lowest, down, f.lo);
    fxi_vec slope = sub(m, f.hi, real(m, 1));
    slope = fxi_math_fma(m, slope, f.hi, real(m, 1)); /* 1 - f + f^2 */
    if (more_k) s.k = add(m, s.k, more_k);

    fxi_vec tail = fxi_math_log_tail(m, f.hi);
    fxi_vec whole = mul(m, s.k, real2(m, LN2_HI32, LN2_HI64));
    fxi_pair sum = fxi_math_fast_two_sum(m, whole, f.hi);
    fxi_vec low = fxi_math_fma(m, s.k, real2(m, LN2_LO32, LN2_LO64), sum.lo);
    low = fxi_math_fma(m, f.lo, slope, low);
    return (fxi_pair){sum.hi, add(m, low, tail)};
}

fxi_vec fxi_math_log_pair(fxi_math_code *m, fxi_vec hi, fxi_vec lo, fxi_vec lowest, fxi_vec more_k) {
    fxi_pair sum = fxi_math_log_both(m, hi, lo, lowest, more_k);
    return fxi_math_log_specials(m, hi, add(m, sum.hi, sum.lo));
}

fxi_vec fxi_math_log1p(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_pair u = fxi_math_two_sum(m, real(m, 1), x);
    fxi_vec result = fxi_math_log_pair(m, u.hi, u.lo, NULL, NULL);
    return fxi_math_with_sign(m, fxi_math_abs(m, result), fxi_math_sign(m, x));
}

/* The same as -f^2/2, as a pair, plus what follows: products with it then lose nothing that counts. */
static fxi_pair log_tail_both(fxi_math_code *m, fxi_vec f) {
    fxi_pair square = fxi_math_two_prod(m, f, f);
    fxi_pair tail = {.hi = mul(m, square.hi, real(m, -0.5))};
    fxi_vec rest;
    if (m->precision == 0) {
        rest = mul(m, fxi_math_poly(m, f, fxi_poly_log_third), mul(m, square.hi, f));
    } else {
        fxi_vec s = divide(m, f, add(m, f, real(m, 2)));
        fxi_vec z = mul(m, s, s);
        rest = fxi_math_fma(m, fxi_math_poly(m, z, fxi_poly_log_atanh), z, negate(m, tail.hi));
        rest = mul(m, rest, s);
    }
    tail.lo = fxi_math_fma(m, square.lo, real(m, -0.5), rest);
    return tail;
}

/* (k whole) + (f + tail) factor, the product f factor and both sums as pairs. whole_hi k is exact. */
static fxi_vec log_base(fxi_math_code *m, fxi_vec x, fxi_vec whole_hi, fxi_vec whole_lo, fxi_vec factor,
                        fxi_vec factor_lo) {
    fxi_math_split s = fxi_math_log_split(m, x);
    fxi_pair tail = log_tail_both(m, s.f);
    fxi_pair product = fxi_math_two_prod(m, s.f, factor);
    fxi_pair sum = fxi_math_fast_two_sum(m, mul(m, s.k, whole_hi), product.hi);
    fxi_vec low = add(m, sum.lo, product.lo);
    low = fxi_math_fma(m, s.f, factor_lo, low);
    if (whole_lo) low = fxi_math_fma(m, s.k, whole_lo, low);
    low = fxi_math_fma(m, tail.lo, factor, low);
    low = fxi_math_fma(m, tail.hi, factor, low);
    return fxi_math_log_specials(m, x, add(m, sum.hi, low));
}

fxi_vec fxi_math_log2(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec factor = real2(m, LOG2E_HI32, LOG2E_HI64), factor_lo = real2(m, LOG2E_LO32, LOG2E_LO64);
    return log_base(m, x, real(m, 1), NULL, factor, factor_lo);
}

fxi_vec fxi_math_log10(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec whole_hi = real2(m, LG2_HI32, LG2_HI64), whole_lo = real2(m, LG2_LO32, LG2_LO64);
    fxi_vec factor = real2(m, LGE_HI32, LGE_HI64), factor_lo = real2(m, LGE_LO32, LGE_LO64);
    return log_base(m, x, whole_hi, whole_lo, factor, factor_lo);
}
