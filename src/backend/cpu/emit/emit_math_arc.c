/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse trigonometric functions. asin and acos use their polynomial up to 1/2 and the half-angle formula
 * beyond, with the square root carried as a pair; atan and atan2 use one polynomial on [0, 1], the
 * quotient's rest, and pi/2 - atan(1/t). */
#include "emit_math_internal.h"

#define PIO2_HI32 0x1.921fb6p+0
#define PIO2_LO32 (-0x1.777a5cp-25)
#define PIO2_HI64 0x1.921fb54442d18p+0
#define PIO2_LO64 0x1.1a62633145c07p-54

/* asin(s) = s + s_lo + tail for s = a, or for s = sqrt((1 - a)/2) where a > 1/2. Above 1 the root gives
 * NaN. */
typedef struct arc {
    fxi_vec is_large, s, tail;
} arc;

static arc arc_series(fxi_math_code *m, fxi_vec a) {
    arc p = {.is_large = fcmp(m, LLVMRealOGT, a, real(m, 0.5))};
    fxi_vec half = sub(m, real(m, 0.5), mul(m, a, real(m, 0.5))); /* exact for a > 1/2 */
    fxi_vec z = pick(m, p.is_large, half, mul(m, a, a));
    fxi_vec root = fxi_math_sqrt(m, half);
    fxi_vec rest = fxi_math_fma(m, negate(m, root), root, half);
    fxi_vec root_lo = divide(m, rest, add(m, root, root));
    fxi_vec zero = real(m, 0);
    fxi_vec has_rest = fcmp(m, LLVMRealONE, rest, zero); /* else 0/0 at a = 1 */
    root_lo = pick(m, has_rest, root_lo, zero);
    p.s = pick(m, p.is_large, root, a);
    fxi_vec s_lo = pick(m, p.is_large, root_lo, zero);
    p.tail = fxi_math_fma(m, fxi_math_poly(m, z, fxi_poly_asin), mul(m, z, p.s), s_lo);
    return p;
}

fxi_vec fxi_math_asin(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    arc p = arc_series(m, fxi_math_abs(m, x));
    fxi_vec direct = add(m, p.s, p.tail);
    fxi_vec twice = real(m, -2);
    fxi_pair d = fxi_math_fast_two_sum(m, real2(m, PIO2_HI32, PIO2_HI64), mul(m, p.s, twice));
    fxi_vec low = add(m, d.lo, real2(m, PIO2_LO32, PIO2_LO64));
    low = fxi_math_fma(m, p.tail, twice, low);
    fxi_vec magnitude = pick(m, p.is_large, add(m, d.hi, low), direct);
    return fxi_math_with_sign(m, fxi_math_abs(m, magnitude), fxi_math_sign(m, x));
}

/* x > 1/2: 2(s + tail); x < -1/2: pi - 2(s + tail); between: pi/2 - x - tail with the sign of x. */
fxi_vec fxi_math_acos(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec sign = fxi_math_sign(m, x);
    arc p = arc_series(m, fxi_math_abs(m, x));
    fxi_vec direct = add(m, p.s, p.tail);
    direct = add(m, direct, direct);
    fxi_vec is_negative = fcmp(m, LLVMRealOLT, x, real(m, 0));
    fxi_vec weight = pick(m, p.is_large, real(m, -2), fxi_math_flip(m, real(m, -1), sign));
    fxi_vec hi = pick(m, p.is_large, real2(m, 2 * PIO2_HI32, 2 * PIO2_HI64), real2(m, PIO2_HI32, PIO2_HI64));
    fxi_vec lo = pick(m, p.is_large, real2(m, 2 * PIO2_LO32, 2 * PIO2_LO64), real2(m, PIO2_LO32, PIO2_LO64));
    fxi_pair d = fxi_math_fast_two_sum(m, hi, mul(m, p.s, weight));
    fxi_vec low = fxi_math_fma(m, p.tail, weight, add(m, d.lo, lo));
    fxi_vec other = add(m, d.hi, low);
    fxi_vec right_end = pick(m, is_negative, other, direct);
    return pick(m, p.is_large, right_end, other);
}

/* atan(t + t_lo) = t + tail, 0 <= t <= 1; the derivative 1/(1 + z) is replaced by 1 - z/2, as t_lo is
 * below half an ulp. */
static fxi_vec arctangent_tail(fxi_math_code *m, fxi_vec t, fxi_vec t_lo) {
    fxi_vec z = mul(m, t, t);
    fxi_vec slope = fxi_math_fma(m, z, real(m, -0.5), real(m, 1));
    fxi_vec p = fxi_math_poly(m, z, fxi_poly_atan);
    fxi_pair cube = fxi_math_cube(m, t, z);
    fxi_vec tail = fxi_math_fma(m, p, cube.lo, mul(m, t_lo, slope));
    return fxi_math_fma(m, p, cube.hi, tail);
}

fxi_vec fxi_math_atan(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec one = real(m, 1), zero = real(m, 0);
    fxi_vec a = fxi_math_abs(m, x);
    fxi_vec is_large = fcmp(m, LLVMRealOGT, a, one);
    fxi_vec inverse = divide(m, one, a);
    fxi_vec rest = fxi_math_fma(m, negate(m, inverse), a, one);
    fxi_vec inverse_lo = mul(m, rest, inverse);
    fxi_vec is_number = fcmp(m, LLVMRealORD, inverse_lo, inverse_lo); /* not so at infinity */
    inverse_lo = pick(m, is_number, inverse_lo, zero);
    fxi_vec t = pick(m, is_large, inverse, a);
    fxi_vec tail = arctangent_tail(m, t, pick(m, is_large, inverse_lo, zero));
    fxi_vec direct = add(m, t, tail);
    fxi_pair d = fxi_math_fast_two_sum(m, real2(m, PIO2_HI32, PIO2_HI64), negate(m, t));
    fxi_vec low = sub(m, add(m, d.lo, real2(m, PIO2_LO32, PIO2_LO64)), tail);
    fxi_vec magnitude = pick(m, is_large, add(m, d.hi, low), direct);
    return fxi_math_with_sign(m, fxi_math_abs(m, magnitude), fxi_math_sign(m, x));
}

/* num / den with 0/0 = 0 and infinity/infinity = 1, and the rest of the division. */
static fxi_pair slope_of(fxi_math_code *m, fxi_vec num, fxi_vec den) {
    fxi_vec zero = real(m, 0);
    fxi_vec t = divide(m, num, den);
    t = pick(m, fcmp(m, LLVMRealOEQ, num, den), real(m, 1), t);
    t = pick(m, fcmp(m, LLVMRealOEQ, num, zero), zero, t);
    fxi_vec rest = fxi_math_fma(m, negate(m, t), den, num);
    fxi_vec lo = divide(m, rest, den);
    fxi_vec bound = fxi_math_abs(m, lo);
    lo = pick(m, fcmp(m, LLVMRealOLT, bound, t), lo, zero); /* drops what infinite or zero operands give */
    return (fxi_pair){t, lo};
}

/* atan(min/max), then reflected at pi/4 (|y| > |x|) and at pi/2 (x negative, -0 included): base + weight
 * (t + tail). */
fxi_vec fxi_math_atan2(fxi_math_code *m, fxi_vec y, fxi_vec x) {
    fxi_vec ay = fxi_math_abs(m, y), ax = fxi_math_abs(m, x);
    fxi_vec is_steep = fcmp(m, LLVMRealOGT, ay, ax);
    fxi_pair t = slope_of(m, pick(m, is_steep, ax, ay), pick(m, is_steep, ay, ax));
    fxi_vec tail = arctangent_tail(m, t.hi, t.lo);
    fxi_vec zero = real(m, 0);
    fxi_vec left = icmp(m, LLVMIntSLT, as_int(m, x), integer(m, 0));
    fxi_vec flat_hi = pick(m, left, real2(m, 2 * PIO2_HI32, 2 * PIO2_HI64), zero);
    fxi_vec flat_lo = pick(m, left, real2(m, 2 * PIO2_LO32, 2 * PIO2_LO64), zero);
    fxi_vec hi = pick(m, is_steep, real2(m, PIO2_HI32, PIO2_HI64), flat_hi);
    fxi_vec lo = pick(m, is_steep, real2(m, PIO2_LO32, PIO2_LO64), flat_lo);
    fxi_vec turns = LLVMBuildXor(m->e->builder, left, is_steep, "");
    fxi_vec weight = pick(m, turns, real(m, -1), real(m, 1));
    fxi_pair d = fxi_math_two_sum(m, hi, mul(m, t.hi, weight));
    fxi_vec low = fxi_math_fma(m, tail, weight, add(m, d.lo, lo));
    fxi_vec magnitude = fxi_math_abs(m, add(m, d.hi, low));
    fxi_vec result = fxi_math_with_sign(m, magnitude, fxi_math_sign(m, y));
    return pick(m, fcmp(m, LLVMRealUNO, x, y), fxi_math_nan(m), result);
}
