/* SPDX-License-Identifier: Apache-2.0 */
/* Two special functions that only CHLO has, of floats with equal dimensions; computed in float64. */
#ifndef FXI_STABLEHLO_IMPORT_ZETA_H
#define FXI_STABLEHLO_IMPORT_ZETA_H

#include "stablehlo/import_rules.h"

/* Hurwitz zeta function, the sum over k >= 0 of (q + k)^-x. Infinite at x = 1; NaN for x < 1, and for q <= 0
 * unless x is an integer; at the poles q = 0, -1, ... infinite for even x, else NaN. */
fx_node *fxi_hlo_zeta(fx_node *x, fx_node *q);
/* Derivative number n (0, 1, 2, ...; NaN for others) of digamma: (-1)^(n + 1) n! zeta(n + 1, x). */
fx_node *fxi_hlo_polygamma(fx_node *n, fx_node *x);

#endif
