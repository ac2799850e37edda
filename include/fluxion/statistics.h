/* SPDX-License-Identifier: Apache-2.0 */
/* Deviations, norms and similarities of rows. What ops.h says of dtypes, axes, errors and results holds here.
 * All take floats unless said otherwise; integers and bool are errors that say to convert. float16 and
 * bfloat16 are computed in float32 and rounded once at the end. The derivative of a norm or a deviation
 * that is 0 is 0. */
#ifndef FLUXION_STATISTICS_H
#define FLUXION_STATISTICS_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reductions: over the named axes, which disappear; FX_AXES() means all ---- */

/* Square root of fx_reduce_variance; NaN of nothing. */
FX_API fx_node *fx_reduce_std(fx_node *x, fx_axes axes);
/* fx_reduce_std over all axes. */
FX_API fx_node *fx_reduce_all_std(fx_node *x);
/* Mean of ((x - mean) / deviation)^3, of the population; NaN of nothing and of equal elements. */
FX_API fx_node *fx_reduce_skewness(fx_node *x, fx_axes axes);
/* fx_reduce_skewness over all axes. */
FX_API fx_node *fx_reduce_all_skewness(fx_node *x);
/* Another name of fx_reduce_variance. */
FX_API fx_node *fx_variance(fx_node *x, fx_axes axes);
/* Another name of fx_reduce_skewness. */
FX_API fx_node *fx_skewness(fx_node *x, fx_axes axes);

/* ---- norms: named axes stay with size 1; FX_AXES() gives a scalar ---- */

/* Sum of |x|. Floats; complex, in the component dtype. */
FX_API fx_node *fx_l1_norm(fx_node *x, fx_axes axes);
/* Sum of |x|^2. Floats; complex, in the component dtype. */
FX_API fx_node *fx_l2_norm_square(fx_node *x, fx_axes axes);
/* Square root of the sum of |x|^2. Floats; complex, in the component dtype. */
FX_API fx_node *fx_l2_norm(fx_node *x, fx_axes axes);
/* x over fx_l2_norm along the axes (all of them for FX_AXES()); rows of 0 stay 0. */
FX_API fx_node *fx_l2_normalize(fx_node *x, fx_axes axes);
/* x / (fx_l2_norm(x) + epsilon). */
FX_API fx_node *fx_l2_normalize_with_epsilon(fx_node *x, double epsilon, fx_axes axes);

/* ---- similarities ---- */

/* Sum of x y over the product of the two norms, along an axis, which stays with size 1; 0 with a row of 0.
 * Equal dtypes and dimensions. */
FX_API fx_node *fx_cosine_similarity(fx_node *x, fx_node *y, int axis);
/* The same of each row of x with each row of y: rows run along contract_axis and are counted by cross_axis,
 * whose dimension alone may differ. The result is [other axes, x's rows, y's rows]. */
FX_API fx_node *fx_cross_cosine_similarity(fx_node *x, fx_node *y, int contract_axis, int cross_axis);

#ifdef __cplusplus
}
#endif
#endif
