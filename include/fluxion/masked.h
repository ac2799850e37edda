/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of the elements that a mask lets count. What ops.h says of dtypes, axes, errors and results
 * holds here; as there, FX_AXES() means all axes and reduced axes disappear.
 *
 * Masks are bool, true where an element counts: a scalar, of x's dimensions or of the first few of them,
 * where a dimension may also be 1 (fx_broadcast_to_dims). A NULL mask lets all count. Elements that do not
 * count may hold anything, NaN too. */
#ifndef FLUXION_MASKED_H
#define FLUXION_MASKED_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A masked reduction, as fx_masked_reduce_and_keep takes it. */
typedef fx_node *(*fx_masked_reducer)(fx_node *x, fx_node *mask, fx_axes axes);

/* Sum of what counts; 0 where nothing does. Numbers, complex. */
FX_API fx_node *fx_masked_reduce_sum(fx_node *x, fx_node *mask, fx_axes axes);
/* Sum over number of what counts; 0 where nothing does. Floats, complex. */
FX_API fx_node *fx_masked_reduce_mean(fx_node *x, fx_node *mask, fx_axes axes);
/* Maximum of what counts, NaN if there is one; -Inf or the smallest value where nothing does. Numbers. */
FX_API fx_node *fx_masked_reduce_max(fx_node *x, fx_node *mask, fx_axes axes);
/* Minimum of what counts, NaN if there is one; Inf or the largest value where nothing does. Numbers. */
FX_API fx_node *fx_masked_reduce_min(fx_node *x, fx_node *mask, fx_axes axes);
/* fx_masked_reduce_sum over all axes. */
FX_API fx_node *fx_masked_reduce_all_sum(fx_node *x, fx_node *mask);
/* fx_masked_reduce_mean over all axes. */
FX_API fx_node *fx_masked_reduce_all_mean(fx_node *x, fx_node *mask);
/* fx_masked_reduce_max over all axes. */
FX_API fx_node *fx_masked_reduce_all_max(fx_node *x, fx_node *mask);
/* fx_masked_reduce_min over all axes. */
FX_API fx_node *fx_masked_reduce_all_min(fx_node *x, fx_node *mask);
/* Any masked reduction with the reduced axes kept at size 1; no axes: all. The reducer gets x, the mask
 * and the axes, counted from 0 and increasing. */
FX_API fx_node *fx_masked_reduce_and_keep(fx_node *x, fx_node *mask, fx_masked_reducer reducer, fx_axes axes);

#ifdef __cplusplus
}
#endif
#endif
