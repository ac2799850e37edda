/* SPDX-License-Identifier: Apache-2.0 */
/* Sine, cosine, tangent: reduction to [-pi/4, pi/4] as a pair (emit_math_reduce.c), then the sine or the
 * cosine polynomial by the parity of the quadrant. The two polynomials share one evaluation with lane-wise
 * chosen coefficients. */
#include "emit_math_internal.h"

/* sin(r + lo) = r + (r z s(z) + lo);  cos(r + lo) = w + (z^2 c(z) + (1 - w - z/2) - r lo), w = 1 - z/2
 * rounded. The bits of q beyond the lowest two do not matter. */
fxi_vec fxi_math_sin_quadrant(fxi_math_code *m, fxi_vec q, fxi_vec r, fxi_vec lo) {
    fxi_vec one = real(m, 1), none = integer(m, 0);
    fxi_vec is_odd = icmp(m, LLVMIntNE, iand(m, q, integer(m, 1)), none);
    fxi_vec z = mul(m, r, r);
    fxi_vec half = mul(m, z, real(m, 0.5));
    fxi_vec w = sub(m, one, half);
    fxi_vec lost = sub(m, sub(m, one, w), half);
    lost = fxi_math_fma(m, negate(m, r), lo, lost);
    fxi_vec factor = mul(m, z, pick(m, is_odd, z, r));
    fxi_vec small = pick(m, is_odd, lost, lo);
    fxi_vec p = fxi_math_poly_pick(m, z, is_odd, fxi_poly_cos, fxi_poly_sin);
    fxi_vec base = pick(m, is_odd, w, r);
    fxi_vec value = add(m, base, fxi_math_fma(m, factor, p, small));
    fxi_vec second = iand(m, q, integer(m, 2));
    return fxi_math_flip(m, value, LLVMBuildShl(m->e->builder, second, integer(m, (int64_t)m->bits - 2), ""));
}

fxi_vec fxi_math_sin(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_math_reduced p = fxi_math_trig_reduce(m, fxi_math_abs(m, x));
    fxi_vec value = fxi_math_sin_quadrant(m, p.n, p.r, p.r_lo);
    return fxi_math_flip(m, value, fxi_math_sign(m, x));
}

fxi_vec fxi_math_cos(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_math_reduced p = fxi_math_trig_reduce(m, fxi_math_abs(m, x));
    fxi_vec next = iadd(m, p.n, integer(m, 1));
    return fxi_math_sin_quadrant(m, next, p.r, p.r_lo);
}

/* t = tan(r + lo) as a pair, with tan' = 1 + t^2; in odd quadrants -1/t, corrected by one Newton step. */
fxi_vec fxi_math_tan(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec one = real(m, 1);
    fxi_math_reduced p = fxi_math_trig_reduce(m, fxi_math_abs(m, x));
    fxi_vec z = mul(m, p.r, p.r);
    fxi_vec series = fxi_math_poly(m, z, fxi_poly_tan);
    fxi_pair cube = fxi_math_cube(m, p.r, z);
    fxi_vec rough = fxi_math_fma(m, series, cube.hi, p.r);
    fxi_vec slope = fxi_math_fma(m, rough, rough, one);
    fxi_vec tail = fxi_math_fma(m, series, cube.lo, mul(m, p.r_lo, slope));
    tail = fxi_math_fma(m, series, cube.hi, tail);
    fxi_pair t = fxi_math_fast_two_sum(m, p.r, tail);
    fxi_vec inverse = divide(m, real(m, -1), t.hi);
    fxi_vec excess = fxi_math_fma(m, inverse, t.hi, one);
    excess = fxi_math_fma(m, inverse, t.lo, excess);
    inverse = fxi_math_fma(m, inverse, excess, inverse);
    fxi_vec is_odd = icmp(m, LLVMIntNE, iand(m, p.n, integer(m, 1)), integer(m, 0));
    return fxi_math_flip(m, pick(m, is_odd, inverse, t.hi), fxi_math_sign(m, x));
}
