/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax and its relatives. What ops.h says of dtypes, axes, errors and results holds here. All take floats;
 * integers and bool are errors that say to convert. float16 and bfloat16 are computed in float32 and rounded
 * once at the end. The largest element is taken off first, so nothing overflows; a row is what runs along the
 * named axes together. Rows of nothing but -Inf, and masked rows, never give NaN; a NaN, and in fx_softmax
 * and fx_log_softmax a +Inf, makes its row NaN.
 *
 * Masks are bool, true where an element counts: a scalar, of x's dimensions or of the first few of them,
 * where a dimension may also be 1 (fx_broadcast_to_dims): axes are matched from the left, so a mask [n] of x
 * [n, n] takes whole rows, and one for its columns is [1, n]. Elements that do not count may hold anything,
 * NaN too. */
#ifndef FLUXION_SOFTMAX_H
#define FLUXION_SOFTMAX_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* e^x over the sum of e^x along the axes, of x's shape; no axes: the last one. A row of -Inf gives 0. */
FX_API fx_node *fx_softmax(fx_node *x, fx_axes axes);
/* log of fx_softmax, without its underflow. A row of -Inf gives -Inf. */
FX_API fx_node *fx_log_softmax(fx_node *x, fx_axes axes);
/* fx_softmax of the elements that count; 0 at the others, so all 0 where none counts. A NULL mask: all
 * count. */
FX_API fx_node *fx_masked_softmax(fx_node *x, fx_node *mask, fx_axes axes);
/* fx_log_softmax of the elements that count, -Inf at the others. A NULL mask: all count. */
FX_API fx_node *fx_masked_log_softmax(fx_node *x, fx_node *mask, fx_axes axes);
/* log of the sum of e^x over the axes, which disappear; no axes: all. -Inf of nothing and of a row of -Inf,
 * Inf with a +Inf. fx_reduce_and_keep(x, fx_logsumexp, axes) keeps the axes. */
FX_API fx_node *fx_logsumexp(fx_node *x, fx_axes axes);

#ifdef __cplusplus
}
#endif
#endif
