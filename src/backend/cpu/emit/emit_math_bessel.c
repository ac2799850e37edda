/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentially scaled modified Bessel functions e^-|x| I0(x) and e^-|x| I1(x), in f64 arithmetic for both
 * widths.
 *
 * Up to 8 the power series' form, a polynomial in x^2/4 with positive coefficients, times e^-|x|; beyond,
 * a polynomial in 8/|x| over sqrt(|x|). */
#include "emit_math_internal.h"

static fxi_vec scaled_bessel(fxi_math_code *m, fxi_vec x, bool first_order) {
    fxi_vec a = fxi_math_abs(m, x);
    fxi_vec is_small = fcmp(m, LLVMRealOLE, a, real(m, 8));
    fxi_vec half = mul(m, a, real(m, 0.5));
    fxi_vec inverse = divide(m, real(m, 8), a);
    fxi_vec v = pick(m, is_small, mul(m, half, half), inverse);
    const fxi_poly *low = first_order ? fxi_poly_bessel_i1 : fxi_poly_bessel_i0;
    const fxi_poly *high = first_order ? fxi_poly_bessel_i1_large : fxi_poly_bessel_i0_large;
    fxi_vec p = fxi_math_poly_pick(m, v, is_small, low, high);
    fxi_vec small = mul(m, p, fxi_math_exp(m, negate(m, a), NULL));
    if (first_order) small = mul(m, small, half);
    fxi_vec large = divide(m, p, fxi_math_sqrt(m, a));
    fxi_vec magnitude = pick(m, is_small, small, large);
    return first_order ? fxi_math_with_sign(m, magnitude, fxi_math_sign(m, x)) : magnitude;
}

static fxi_vec in_wide(fxi_math_code *m, fxi_vec x, bool first_order) {
    if (m->bits == 64) return scaled_bessel(m, x, first_order);
    fxi_math_code wide = fxi_math_widened(m);
    return fxi_math_narrow(m, scaled_bessel(&wide, fxi_math_widen(&wide, x), first_order));
}

fxi_vec fxi_math_bessel_i0e(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    return in_wide(m, x, false);
}

fxi_vec fxi_math_bessel_i1e(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    return in_wide(m, x, true);
}
