/* SPDX-License-Identifier: Apache-2.0 */
/* Roots, the hypotenuse and the remainder. Square roots are the machine's; what is built on them makes one
 * correction step with the exact residual (fma), which brings the error from above one ulp to just over a
 * half. */
#include "emit_math_internal.h"

/* y = 1/sqrt(x), then y + y (1 - x y^2) / 2 with x y^2 as a pair. At 0 and infinity the residual is NaN
 * and y stands. */
fxi_vec fxi_math_rsqrt(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec y = divide(m, real(m, 1), fxi_math_sqrt(m, x));
    fxi_pair h = fxi_math_two_prod(m, x, y);
    fxi_vec residual = fxi_math_fma(m, negate(m, h.hi), y, real(m, 1));
    residual = fxi_math_fma(m, negate(m, h.lo), y, residual);
    fxi_vec better = fxi_math_fma(m, mul(m, y, real(m, 0.5)), residual, y);
    return pick(m, fcmp(m, LLVMRealORD, residual, residual), better, y);
}

/* One step for z = a^(-1/3): with e = 1 - a z^3, z (1 + e/3 + 2 e^2 / 9), which cubes the relative error. */
static fxi_vec inverse_cbrt_step(fxi_math_code *m, fxi_vec a, fxi_vec z) {
    fxi_vec square = mul(m, z, z);
    fxi_vec e = fxi_math_fma(m, negate(m, mul(m, a, z)), square, real(m, 1));
    fxi_vec series = fxi_math_fma(m, e, real(m, 2.0 / 9), real(m, 1.0 / 3));
    return fxi_math_fma(m, mul(m, z, e), series, z);
}

/* |x| = 2^(3q) a, 1/2 <= a < 4. z = a^(-1/3) without division; y = a z^2, corrected by (a - y^3) z^2 / 3. */
fxi_vec fxi_math_cbrt(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec size = fxi_math_abs(m, x);
    fxi_vec is_tiny = fcmp(m, LLVMRealOLT, size, real2(m, 0x1p-126, 0x1p-1022));
    fxi_vec scaled = mul(m, size, real2(m, 0x1p24, 0x1p54)); /* both exponents divisible by 3 */
    fxi_vec bits = as_int(m, pick(m, is_tiny, scaled, size));
    fxi_vec biased = LLVMBuildLShr(m->e->builder, bits, integer(m, mantissa_bits(m)), "");
    fxi_vec exponent = isub(m, biased, integer(m, exponent_bias(m)));
    fxi_vec fraction = iand(m, bits, integer(m, (INT64_C(1) << mantissa_bits(m)) - 1));
    fxi_vec one_bits = integer(m, exponent_bias(m) << mantissa_bits(m));
    fxi_vec significand = as_float(m, ior(m, fraction, one_bits));
    fxi_vec q_int = NULL;
    fxi_vec whole = fxi_math_small_to_float(m, exponent);
    fxi_vec q = fxi_math_round(m, whole, real(m, 1.0 / 3), &q_int);
    fxi_vec rest = fxi_math_fma(m, q, real(m, -3), whole); /* -1, 0 or 1 */

    fxi_vec is_up = fcmp(m, LLVMRealOGT, rest, real(m, 0));
    fxi_vec is_down = fcmp(m, LLVMRealOLT, rest, real(m, 0));
    fxi_vec factor = pick(m, is_down, real(m, 0.5), real(m, 1));
    factor = pick(m, is_up, real(m, 2), factor);
    fxi_vec root_factor = pick(m, is_down, real(m, 0x1.428a2f98d728bp+0), real(m, 1));
    root_factor = pick(m, is_up, real(m, 0x1.965fea53d6e3dp-1), root_factor);
    fxi_vec a = mul(m, significand, factor);
    fxi_vec z = mul(m, fxi_math_poly(m, significand, fxi_poly_cbrt), root_factor);
    z = inverse_cbrt_step(m, a, z);
    if (m->precision == 1) z = inverse_cbrt_step(m, a, z);

    fxi_vec square = mul(m, z, z);
    fxi_vec y = mul(m, a, square);
    fxi_pair y2 = fxi_math_two_prod(m, y, y);
    fxi_vec residual = fxi_math_fma(m, negate(m, y2.hi), y, a);
    residual = fxi_math_fma(m, negate(m, y2.lo), y, residual);
    y = fxi_math_fma(m, residual, mul(m, square, real(m, 1.0 / 3)), y);
    fxi_vec shift = pick(m, is_tiny, integer(m, m->bits == 32 ? -8 : -18), integer(m, 0));
    y = mul(m, y, fxi_math_power_of_two(m, iadd(m, q_int, shift)));
    y = fxi_math_with_sign(m, y, fxi_math_sign(m, x));
    fxi_vec bounded = fcmp(m, LLVMRealOLT, size, fxi_math_infinity(m));
    y = pick(m, bounded, y, x);
    return pick(m, fcmp(m, LLVMRealOEQ, x, real(m, 0)), x, y);
}

/* sqrt(a^2 + b^2) with the sum of squares as a pair, scaled into the middle of the exponent range. */
fxi_vec fxi_math_hypot(fxi_math_code *m, fxi_vec x, fxi_vec y) {
    fxi_vec ax = fxi_math_abs(m, x), ay = fxi_math_abs(m, y);
    fxi_vec infinity = fxi_math_infinity(m), zero = real(m, 0), one = real(m, 1);
    fxi_vec is_more = fcmp(m, LLVMRealOGT, ay, ax);
    fxi_vec a = pick(m, is_more, ay, ax), b = pick(m, is_more, ax, ay);
    fxi_vec is_big = fcmp(m, LLVMRealOGT, a, real2(m, 0x1p62, 0x1p500));
    fxi_vec is_small = fcmp(m, LLVMRealOLT, a, real2(m, 0x1p-40, 0x1p-300));
    fxi_vec scale = pick(m, is_big, real2(m, 0x1p-70, 0x1p-600), one);
    scale = pick(m, is_small, real2(m, 0x1p100, 0x1p700), scale);
    fxi_vec back = pick(m, is_big, real2(m, 0x1p70, 0x1p600), one);
    back = pick(m, is_small, real2(m, 0x1p-100, 0x1p-700), back);
    fxi_pair aa = {.hi = mul(m, a, scale)}, bb = {.hi = mul(m, b, scale)};
    aa = fxi_math_two_prod(m, aa.hi, aa.hi);
    bb = fxi_math_two_prod(m, bb.hi, bb.hi);
    fxi_pair sum = fxi_math_fast_two_sum(m, aa.hi, bb.hi);
    sum.lo = add(m, sum.lo, add(m, aa.lo, bb.lo));
    fxi_vec h = fxi_math_sqrt(m, sum.hi);
    fxi_vec residual = fxi_math_fma(m, negate(m, h), h, sum.hi);
    residual = add(m, residual, sum.lo);
    fxi_vec better = add(m, h, divide(m, residual, add(m, h, h)));
    h = pick(m, fcmp(m, LLVMRealOGT, h, zero), better, h); /* else 0/0 */
    h = mul(m, h, back);
    h = pick(m, fcmp(m, LLVMRealUNO, x, y), fxi_math_nan(m), h);
    h = pick(m, fcmp(m, LLVMRealOEQ, ax, infinity), infinity, h);
    return pick(m, fcmp(m, LLVMRealOEQ, ay, infinity), infinity, h);
}

/* ---- remainder ---- */

/* Exponent of a positive number, subnormals included, as an unbiased integer. */
static fxi_vec exponent_of(fxi_math_code *m, fxi_vec a) {
    fxi_vec is_tiny = fcmp(m, LLVMRealOLT, a, real2(m, 0x1p-126, 0x1p-1022));
    fxi_vec scaled = mul(m, a, real2(m, 0x1p24, 0x1p54));
    fxi_vec bits = as_int(m, pick(m, is_tiny, scaled, a));
    fxi_vec biased = LLVMBuildLShr(m->e->builder, bits, integer(m, mantissa_bits(m)), "");
    int64_t bias = exponent_bias(m), more = m->bits == 32 ? 24 : 54;
    return isub(m, biased, pick(m, is_tiny, integer(m, bias + more), integer(m, bias)));
}

/* One step of long division: takes from r the largest multiple of b 2^k that fits, where k leaves a
 * quotient below 2^STEP. The quotient, truncated, is right or one too large (rounding up to an integer),
 * and the fma is exact in both cases. */
static fxi_vec remainder_step(fxi_math_code *m, fxi_vec r, fxi_vec b) {
    enum { STEP32 = 20, STEP64 = 48 };
    fxi_vec zero = integer(m, 0);
    fxi_vec gap = isub(m, exponent_of(m, r), exponent_of(m, b));
    fxi_vec k = isub(m, gap, integer(m, m->bits == 32 ? STEP32 : STEP64));
    fxi_vec most = integer(m, 2 * exponent_bias(m)); /* of two scalings; q may then gain 3 bits */
    k = pick(m, icmp(m, LLVMIntSGT, k, zero), k, zero);
    k = pick(m, icmp(m, LLVMIntSLT, k, most), k, most);
    fxi_vec unit = fxi_math_scale(m, b, k);
    fxi_vec q = fxi_math_trunc(m, divide(m, r, unit));
    fxi_vec next = fxi_math_fma(m, negate(m, q), unit, r);
    fxi_vec is_negative = fcmp(m, LLVMRealOLT, next, real(m, 0));
    next = pick(m, is_negative, add(m, next, unit), next);
    return pick(m, fcmp(m, LLVMRealOGE, r, b), next, r);
}

/* C's fmod: exact, with the sign of x. Steps until no lane has r >= b; almost always the first is the
 * last. */
fxi_vec fxi_math_rem(fxi_math_code *m, fxi_vec x, fxi_vec y) {
    LLVMBuilderRef builder = m->e->builder;
    fxi_vec b = fxi_math_abs(m, y), start = fxi_math_abs(m, x);
    fxi_vec x_ok = fcmp(m, LLVMRealOLT, start, fxi_math_infinity(m));
    fxi_vec b_ok = fcmp(m, LLVMRealOGT, b, real(m, 0));
    fxi_vec is_defined = LLVMBuildAnd(builder, x_ok, b_ok, ""); /* NaN in y falls out of b_ok */
    start = pick(m, is_defined, start, real(m, 0));
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(m->e->context, m->e->function, "step");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(m->e->context, m->e->function, "done");
    LLVMBuildBr(builder, loop);
    LLVMPositionBuilderAtEnd(builder, loop);
    fxi_vec r = LLVMBuildPhi(builder, m->type, "");
    fxi_vec next = remainder_step(m, r, b);
    LLVMValueRef more = fxi_math_any(m, fcmp(m, LLVMRealOGE, next, b));
    LLVMBuildCondBr(builder, more, loop, done);
    LLVMAddIncoming(r, &start, &before, 1);
    LLVMAddIncoming(r, &next, &loop, 1);
    LLVMPositionBuilderAtEnd(builder, done);
    fxi_vec result = fxi_math_with_sign(m, fxi_math_abs(m, next), fxi_math_sign(m, x));
    return pick(m, is_defined, result, fxi_math_nan(m));
}
