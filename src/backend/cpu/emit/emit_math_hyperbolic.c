/* SPDX-License-Identifier: Apache-2.0 */
/* Hyperbolic functions.
 *
 * tanh joins two formulas at |x| near 1: below, an odd polynomial whose correction to x is small; above, 1 - 2/(e^2x + 1),
 * whose second term is small, so that its error counts little and it can never exceed 1. */
#include "emit_math_internal.h"

#define LN2 0x1.62e42fefa39efp-1
#define LOG2E 0x1.71547652b82fep+0

/* ln2 in one piece is enough: its error times n is far below the weight of the second term. */
fxi_vec fxi_math_tanh(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec a = fxi_math_abs(m, x);
    fxi_vec capped = fxi_math_min(m, a, real2(m, 10, 20));
    fxi_vec twice = add(m, capped, capped);
    fxi_vec n_int = NULL;
    fxi_vec n = fxi_math_round(m, twice, real(m, LOG2E), &n_int);
    fxi_vec r = fxi_math_fma(m, n, real(m, -LN2), twice);
    fxi_vec power = fxi_math_exp_poly(m, r);
    fxi_vec denominator = fxi_math_fma(m, power, fxi_math_power_of_two(m, n_int), real(m, 1));
    fxi_vec large = sub(m, real(m, 1), divide(m, real(m, 2), denominator));

    fxi_vec square = mul(m, a, a);
    fxi_vec p = fxi_math_poly(m, square, fxi_poly_tanh);
    fxi_vec small = fxi_math_fma(m, p, mul(m, square, a), a);
    fxi_vec magnitude = pick(m, fcmp(m, LLVMRealOLT, a, real2(m, 1.0, 1.04)), small, large);
    return fxi_math_with_sign(m, magnitude, fxi_math_sign(m, x));
}
