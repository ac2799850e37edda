/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that combine neighbours along an axis: running sums and their kin. The rules at the head of
 * ops.h hold here too. */
#ifndef FLUXION_WINDOW_H
#define FLUXION_WINDOW_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- running combinations: result[i] combines elements 0 .. i of the axis; _reverse: i .. the last ---- */

/* Running sum: {1, 2, 3} gives {1, 3, 6}. Numbers, complex; floats are summed in blocks, half types in
 * float32 or wider and rounded once each. */
FX_API fx_node *fx_cum_sum(fx_node *x, int axis);
/* The same from the last element backwards: {1, 2, 3} gives {6, 5, 3}. */
FX_API fx_node *fx_cum_sum_reverse(fx_node *x, int axis);
/* Running product. Numbers, complex. */
FX_API fx_node *fx_cum_prod(fx_node *x, int axis);
/* Running product from the last element backwards. Numbers, complex. */
FX_API fx_node *fx_cum_prod_reverse(fx_node *x, int axis);
/* Largest element so far; a NaN stays from where it appears, -0 < +0. Numbers. */
FX_API fx_node *fx_cum_max(fx_node *x, int axis);
/* Largest element from here to the last. Numbers. */
FX_API fx_node *fx_cum_max_reverse(fx_node *x, int axis);
/* Smallest element so far; a NaN stays from where it appears, -0 < +0. Numbers. */
FX_API fx_node *fx_cum_min(fx_node *x, int axis);
/* Smallest element from here to the last. Numbers. */
FX_API fx_node *fx_cum_min_reverse(fx_node *x, int axis);
/* log of the running sum of e^x, without overflow: all -Inf gives -Inf, a +Inf gives +Inf from there on.
 * Floats. */
FX_API fx_node *fx_cum_logsumexp(fx_node *x, int axis);
/* The same from the last element backwards. Floats. */
FX_API fx_node *fx_cum_logsumexp_reverse(fx_node *x, int axis);

#ifdef __cplusplus
}
#endif
#endif
