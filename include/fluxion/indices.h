/* SPDX-License-Identifier: Apache-2.0 */
/* Indices as values: lists of all of them, conversion between positions and flat numbers, elements read and
 * written by index, counting. What ops.h and indexing.h say of dtypes, axes, indices, errors and results
 * holds here. */
#ifndef FLUXION_INDICES_H
#define FLUXION_INDICES_H

#include <fluxion/indexing.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- positions and flat numbers ---- */

/* int64 [size, rank]: the positions of all elements of an array of these dimensions in row-major order, as
 * fx_gather takes them. No dimensions are an error. */
FX_API fx_node *fx_indices_for_shape(fx_graph *graph, fx_dims dims);
/* Flat row-major numbers [o...] as positions [o..., rank] in an array of these dimensions. Numbers outside
 * count as the nearest inside; in an empty array all are 0. Integers, whose dtype stays. */
FX_API fx_node *fx_unravel_index(fx_node *numbers, fx_dims dims);
/* Positions [o..., rank] as flat row-major numbers [o...], int64. Components outside count as the nearest
 * inside. Integers. */
FX_API fx_node *fx_ravel_index(fx_node *positions, fx_dims dims);

/* ---- parts by index ---- */

/* The part of x at a position in its first axes, which disappear: fx_part_at(x, FX_DIMS(2, -1)) of [3, 4,
 * 5] is [5]. Negative components count from the end; one outside is an error. Any dtype. */
FX_API fx_node *fx_part_at(fx_node *x, fx_dims index);
/* x with that part replaced by a value of x's dtype: of its dimensions, or a scalar. Any dtype. */
FX_API fx_node *fx_update_at(fx_node *x, fx_dims index, fx_node *value);
/* x with values combined into it at indices along an axis, where fx_take reads them: values are of the
 * dimensions that fx_take gives, or a scalar. Negative indices count from the end; those outside are dropped.
 * Dtypes as the kind of scatter takes. */
FX_API fx_node *fx_put(fx_node *x, fx_node *indices, fx_node *values, int axis, fx_scatter_kind kind);

/* ---- counting ---- */

/* How often each number from 0 to length - 1 occurs, int32 [length]; others do not count. Integers of any
 * dimensions, up to 2^31 - 1 of them. */
FX_API fx_node *fx_bincount(fx_node *numbers, int64_t length);
/* The sum of the weights of the elements with each number, in the weights' dtype. The dimensions are equal.
 * Integers; weights: numbers, complex. */
FX_API fx_node *fx_bincount_weighted(fx_node *numbers, fx_node *weights, int64_t length);
/* How many elements lie in each of as many equal parts of [low, high], int32 [bins]: from one edge up to
 * the next, which only the last part includes. The edges are low + i (high - low) / bins, compared with the
 * elements in float64. Numbers of any dimensions; NaN and what lies outside do not count. low < high, both
 * finite. */
FX_API fx_node *fx_histogram(fx_node *x, int64_t bins, double low, double high);

/* ---- segments of unequal lengths ---- */

/* Softmax within each segment of a vector: fx_softmax of the elements with one id, in their places. As
 * there, a segment of -Inf gives 0. An id outside 0 .. segments - 1 gives 0. Floats. */
FX_API fx_node *fx_segment_softmax(fx_node *x, fx_node *ids, int64_t segments);
/* Rows of unequal lengths: their elements one after the other, and the number of the row of each. */
typedef struct fx_ragged2d {
    int64_t rows;
    fx_node *flat;    /* [n] */
    fx_node *row_ids; /* integers [n], from 0 to rows - 1 */
} fx_ragged2d;
/* The struct of these three, checked: with members that do not fit, flat is the inert node. */
FX_API fx_ragged2d fx_make_ragged2d(int64_t rows, fx_node *flat, fx_node *row_ids);
/* Sum of each row: [rows]; 0 of an empty one. Numbers, complex. */
FX_API fx_node *fx_ragged2d_reduce_sum_cols(fx_ragged2d ragged);
/* Largest of each row: [rows]; -Inf or the smallest value of an empty one. Numbers. */
FX_API fx_node *fx_ragged2d_reduce_max_cols(fx_ragged2d ragged);
/* Smallest of each row: [rows]; Inf or the largest value of an empty one. Numbers. */
FX_API fx_node *fx_ragged2d_reduce_min_cols(fx_ragged2d ragged);
/* fx_segment_softmax of the rows, as flat elements. Floats. */
FX_API fx_ragged2d fx_ragged2d_softmax(fx_ragged2d ragged);

/* ---- assertions, which give back x ---- */

/* An error unless x has these dimensions; -1 stands for any. */
FX_API fx_node *fx_assert_dims(fx_node *x, fx_dims dims);
/* An error unless x has that rank. */
FX_API fx_node *fx_assert_rank(fx_node *x, int rank);
/* An error unless x is a scalar. */
FX_API fx_node *fx_assert_scalar(fx_node *x);

#ifdef __cplusplus
}
#endif
#endif
