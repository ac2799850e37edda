/* SPDX-License-Identifier: Apache-2.0 */
/* Roots and powers. The square root itself is the machine's; what is built on it makes one correction step with the exact
 * residual (fma), which brings the error from above one ulp to just over a half. */
#include "emit_math_internal.h"

/* y = 1/sqrt(x), then y + y (1 - x y^2) / 2 with x y^2 as a pair. At 0 and infinity the residual is NaN and y stands. */
fxi_vec fxi_math_rsqrt(fxi_math_code *m, fxi_vec x, fxi_vec unused) {
    (void)unused;
    fxi_vec y = divide(m, real(m, 1), fxi_math_sqrt(m, x));
    fxi_pair h = fxi_math_two_prod(m, x, y);
    fxi_vec residual = fxi_math_fma(m, negate(m, h.hi), y, real(m, 1));
    residual = fxi_math_fma(m, negate(m, h.lo), y, residual);
    fxi_vec better = fxi_math_fma(m, mul(m, y, real(m, 0.5)), residual, y);
    return pick(m, fcmp(m, LLVMRealORD, residual, residual), better, y);
}
