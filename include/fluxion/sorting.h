/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting and selecting by size. What ops.h says of dtypes, axes, errors and results holds here.
 *
 * Order. Numbers by value, false before true, complex numbers by real and then imaginary part. Sorting is
 * stable: equal elements keep their order, -0 and +0 among them. NaN comes last, whether the order is
 * ascending or descending. */
#ifndef FLUXION_SORTING_H
#define FLUXION_SORTING_H

#include <fluxion/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x with each line along the axis sorted, ascending or descending. Any dtype but float8; an error
 * otherwise, or when the axis is out of range. */
FX_API fx_node *fx_sort(fx_node *x, int axis, bool ascending);
/* values in the order that sorts keys: values and keys have equal dimensions; values may be of any dtype. */
FX_API fx_node *fx_sort_by_key(fx_node *keys, fx_node *values, int axis, bool ascending);
/* Several operands of equal dimensions in the order that sorts the first num_keys of them, of which an
 * earlier one counts more: results[i] becomes the sorted operand i (the caller's array; NULL: unwanted),
 * and the first is returned. Keys are as for fx_sort, other operands of any dtype. An error when num_keys
 * is 0 or more than there are operands. */
FX_API fx_node *fx_sort_many(fx_nodes operands, size_t num_keys, int axis, bool ascending, fx_node **results);
/* Operands of equal dimensions and any dtypes in the order of a comparator: a closure with the inputs x0,
 * y0, x1, y1, ..., two scalars for each operand, and one output, a bool scalar that says whether the
 * elements x must come before the elements y. Elements of which neither must come before the other keep
 * their order. When a comparator contradicts itself the order is unspecified, but no element is lost.
 * results as for fx_sort_many. */
FX_API fx_node *fx_sort_func(fx_fn comparator, void *user, int axis, fx_nodes operands, fx_node **results);
/* The indices that sort x: int32, an error when the axis is too long for that. */
FX_API fx_node *fx_argsort(fx_node *x, int axis, bool ascending);
/* fx_argsort with indices of any integer dtype. */
FX_API fx_node *fx_argsort_dtype(fx_node *x, int axis, bool ascending, fx_dtype dtype);

/* The k largest elements of each line along an axis, the largest first, and their indices (int32; NULL:
 * unwanted). NaN counts as largest, as in fx_arg_max; of equal elements the one with the lower index comes
 * first. The axis has size k in both results. Numbers and bool; an error unless 1 <= k <= size of the
 * axis. */
FX_API fx_node *fx_top_k(fx_node *x, int64_t k, int axis, fx_node **indices);
/* fx_top_k with indices of dtype int32 or int64. */
FX_API fx_node *fx_top_k_dtype(fx_node *x, int64_t k, int axis, fx_dtype dtype, fx_node **indices);
/* The k smallest elements, the smallest first and NaN last; otherwise as fx_top_k. */
FX_API fx_node *fx_bottom_k(fx_node *x, int64_t k, int axis, fx_node **indices);
/* fx_bottom_k with indices of dtype int32 or int64. */
FX_API fx_node *fx_bottom_k_dtype(fx_node *x, int64_t k, int axis, fx_dtype dtype, fx_node **indices);
/* Which elements fx_top_k takes: bool, x's dimensions, exactly k true in each line. */
FX_API fx_node *fx_top_k_mask(fx_node *x, int64_t k, int axis);
/* The q-quantile of each line along an axis, which goes: of n sorted elements the one at place q (n - 1),
 * counted from 0, and between two places the value that lies between by as much (NumPy's "linear"). NaN
 * for a line with a NaN, or without elements. Floats; an error when q is not from 0 to 1. */
FX_API fx_node *fx_quantile(fx_node *x, double q, int axis);
/* The quantile at 0.5: the middle one of the sorted elements, or halfway between the two middle ones. */
FX_API fx_node *fx_median(fx_node *x, int axis);

/* Where values would have to be inserted into a sorted vector to keep it sorted: the number of its
 * elements that are less than each value, or, with `right`, not greater. Counts are int32, or int64 when
 * the vector is longer than 2^31 - 1. Numbers and bool; both of one dtype; values of any shape. */
FX_API fx_node *fx_searchsorted(fx_node *sorted, fx_node *values, bool right);
/* The distinct elements of x, of any shape, in ascending order: a vector of exactly `size` elements, into
 * which the first ones go, and for those that it lacks `fill` (a scalar of x's dtype; NULL: the smallest
 * element, 0 when x is empty). *count, unless NULL, becomes their number, which may be larger than size.
 * NaNs count as equal, as do -0 and +0. Any dtype but float8. */
FX_API fx_node *fx_unique(fx_node *x, int64_t size, fx_node *fill, fx_node **count);

#ifdef __cplusplus
}
#endif
#endif
